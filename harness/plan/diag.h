/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diag.h - all mistakes of all files of a run, reported in one go.
 *
 * A message reads "file:line:col: what is wrong, what was expected". Parsers
 * add and go on; the caller prints the list and stops if it is not empty.
 */
#ifndef KJUMP_PLAN_DIAG_H
#define KJUMP_PLAN_DIAG_H

#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"

struct diag_message {
	char *file;
	unsigned int line, col;
	char *text;
};

struct diag {
	struct diag_message *messages;
	size_t n;
};

#define DIAG_INIT       \
	{               \
		NULL, 0 \
	}

/* @line and @col count from 1; 0: no position (the whole file). */
void diag_add(struct diag *d, const char *file, unsigned int line, unsigned int col,
	      const char *fmt, ...) __printf(5, 6);
/*
 * Appends the content of @path, at most @max_bytes of it; what is in the way
 * becomes a message, and -errno.
 */
int diag_read_file(struct diag *d, const char *path, size_t max_bytes, struct buf *ret);
/* In file, line, column order, each once. */
void diag_print(struct diag *d, FILE *out);
void diag_fini(struct diag *d);

#define __free_diag __cleanup(diag_fini)

#endif
