/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line.h - a line of bytes that may break and comes back by itself.
 *
 * Opens it, queues what is written, and when it ends tries to open it again,
 * several times a second, for as long as it lives. Owns the descriptor. All
 * callbacks come from the loop; free is legal in each of them.
 */
#ifndef KJUMP_MACHINE_CONSOLE_LINE_H
#define KJUMP_MACHINE_CONSOLE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <systemd/sd-event.h>

#include "base/err.h"

struct line;

struct line_opts {
	sd_event *loop;
	/* A non-blocking descriptor, *taken*, perhaps still connecting; or -errno. */
	int (*open)(void *arg, struct err *e);
	void (*up)(void *arg); /* it can be written to */
	void (*bytes)(const void *data, size_t len, void *arg);
	void (*down)(void *arg); /* it was up, and has ended; what was queued is lost */
	void *arg;
};

/* Opens it for the first time; fails if that fails. up follows from the loop. */
int line_new(const struct line_opts *opts, struct line **ret, struct err *e);
void line_free(struct line *l);

/* -ENOBUFS: more than CONSOLE_QUEUE_MAX wait. Nothing is kept for a line that is down. */
int line_write(struct line *l, const void *data, size_t len);

/* -1: it is down. Borrowed. */
int line_fd(const struct line *l);

#endif
