/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * board.h - what a board is, from board/NAME.yaml: its bounds, and its hardware.
 *
 * Where it is plugged in and what is asked of it stand elsewhere.
 */
#ifndef KJUMP_PLAN_BOARD_H
#define KJUMP_PLAN_BOARD_H

#include <stdint.h>

#include "plan/diag.h"
#include "plan/hardware.h"

struct board {
	char *name;
	uint64_t ram_min_bytes, ram_max_bytes;
	unsigned int cpus_max;
	char **cpus; /* CPU models it comes with; the first is the default */
	size_t n_cpus;
	struct hardware *hardware; /* NULL: it is no real board */
};

/* Reads the file @path. -ENOENT without a message if there is no such file. */
int board_load(const char *path, const char *name, struct diag *diag, struct board **ret);
void board_free(struct board *b);
DEFINE_FREE(board, struct board *, board_free(_v));

#endif
