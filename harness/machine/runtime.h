/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runtime.h - private directories for sockets and small files of a machine.
 *
 * Named kjump-XXXXXX, mode 0700, under $XDG_RUNTIME_DIR or else /tmp. Each
 * holds a file "lock" that its owner keeps locked (flock): the kernel drops
 * the lock however the owner dies, so what is unlocked is litter.
 */
#ifndef KJUMP_MACHINE_RUNTIME_H
#define KJUMP_MACHINE_RUNTIME_H

#include <stddef.h>

#include "base/err.h"

struct runtime_dir {
	char *path; /* NULL: none */
	int lock_fd;
};

#define RUNTIME_DIR_INIT \
	{                \
		NULL, -1 \
	}

int runtime_dir_init(struct runtime_dir *r, struct err *e);
/* Removes the directory with all that is in it. Legal in any state. */
void runtime_dir_fini(struct runtime_dir *r);

#define __free_runtime_dir __cleanup(runtime_dir_fini)

/* Removes directories whose owner is dead; returns how many. */
size_t machine_runtime_gc(void);

/* How many of those there are; removes nothing. */
size_t machine_runtime_stale(void);

#endif
