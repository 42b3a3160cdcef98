/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console_place.h - the console that a place's map in a lab file describes.
 */
#ifndef KJUMP_MACHINE_CONSOLE_CONSOLE_PLACE_H
#define KJUMP_MACHINE_CONSOLE_CONSOLE_PLACE_H

#include <systemd/sd-event.h>

#include "machine/console/console.h"
#include "machine/serial/tty_find.h"
#include "plan/yaml.h"

enum console_kind { CONSOLE_TTY, CONSOLE_TCP, CONSOLE_RFC2217, CONSOLE_UNIX };

struct console_place {
	enum console_kind kind;
	struct tty_address tty;
	char *host, *port; /* TCP, RFC 2217 */
	char *path;	   /* unix: where the target's host connects to */
};

/* Mistakes go to @diag; false: there were some. */
bool console_place_read(struct console_place *p, const struct yaml_node *node, struct diag *diag);
void console_place_fini(struct console_place *p);

/* @p outlives the console. */
int console_place_open(const struct console_place *p, sd_event *loop, unsigned int baud,
		       const struct console_events *events, struct console **ret, struct err *e);

#endif
