/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ram.h - a guest's RAM as a file that QEMU and kjump both map.
 *
 * The file has no name and goes away with the last of them. It is sparse: what
 * a guest never touches costs nothing, whatever its size.
 */
#ifndef KJUMP_MACHINE_RAM_H
#define KJUMP_MACHINE_RAM_H

#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

struct ram {
	int fd;
	uint64_t address;    /* where the guest sees its first byte */
	uint64_t size_bytes; /* 0: there is none */
	const uint8_t *base; /* read-only; changes at any time */
};

#define RAM_INIT         \
	{                \
		.fd = -1 \
	}

int ram_init(struct ram *r, uint64_t address, uint64_t size_bytes, struct err *e);
void ram_fini(struct ram *r);

/* The path by which another process of this user opens it while we live; *returned*. */
char *ram_path(const struct ram *r);

/* @len bytes at the guest's @address; NULL when they are not all RAM. */
const void *ram_at(const struct ram *r, uint64_t address, uint64_t len);

#endif
