/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * board_loader.h - what U-Boot is told so that it starts what it should.
 *
 * The files are put below the TFTP server's directory and fetched from there,
 * each checked by its size; the command line comes in a file, too, so that none
 * of it is typed.
 */
#ifndef KJUMP_MACHINE_BOARD_LOADER_H
#define KJUMP_MACHINE_BOARD_LOADER_H

#include "machine/machine.h"
#include "machine/uboot/uboot.h"
#include "plan/hardware.h"
#include "plan/lab.h"

struct board_loader {
	/* All *borrowed*, set by the caller. */
	struct uboot *uboot;
	const struct hardware *hardware;
	const struct lab_place *place;
	/* A line of U-Boot that ended: for the evidence. */
	void (*said)(const char *line, int status, void *arg);
	/*
	 * Once, from the loop. 0: a kernel starts. -ENOEXEC: the system cannot be
	 * loaded; -EIO, -ETIMEDOUT, -ENETUNREACH: the board or its wires failed.
	 * @text says how; NULL on success.
	 */
	void (*done)(int error, const char *text, void *arg);
	void *arg;
	/* Its own. */
	char **lines;
	size_t n, next;
};

/* Puts @boot's files where the server finds them; blocks while it copies. */
int board_loader_prepare(struct board_loader *l, const struct machine_boot *boot, struct err *e);
/* At U-Boot's prompt. */
void board_loader_run(struct board_loader *l);
void board_loader_fini(struct board_loader *l);

#endif
