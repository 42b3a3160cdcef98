/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shell_typist.h - types one line and looks at its echo.
 *
 * The line goes out in bursts; the next burst waits until the echo shows all
 * that was typed so far, in one piece, and only a line that was seen whole is
 * entered. Kernel messages and control sequences were removed from the echo
 * before. It has no clock: the caller tells it when an echo is late.
 */
#ifndef KJUMP_RUN_SHELL_TYPIST_H
#define KJUMP_RUN_SHELL_TYPIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct typist {
	int (*write)(const void *data, size_t len, void *arg);
	void *arg;
	struct buf line; /* to be typed, without newline */
	size_t burst;	 /* bytes between two looks */
	size_t typed;
	bool entered;
	bool echoed;	 /* something of this line was seen */
	struct buf seen; /* text since the line was begun that can still matter */
};

void typist_init(struct typist *t, int (*write)(const void *data, size_t len, void *arg),
		 void *arg);
void typist_fini(struct typist *t);

/* Begins with @t->line, which the caller has filled. -errno of write. */
int typist_start(struct typist *t, size_t burst);

/* Text from the target; *ret_progress: a burst was seen whole. -errno of write. */
int typist_feed(struct typist *t, const char *text, size_t len, bool *ret_progress);

#endif
