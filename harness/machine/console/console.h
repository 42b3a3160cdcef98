/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console.h - the port to a target's console.
 *
 * Bytes in, bytes out, any value. Calls never block; events come from the loop
 * and never before the call that causes them has returned. free is legal in
 * any state and no event comes after it.
 */
#ifndef KJUMP_MACHINE_CONSOLE_CONSOLE_H
#define KJUMP_MACHINE_CONSOLE_CONSOLE_H

#include <stddef.h>

#include "base/err.h"

struct console;

struct console_events {
	void (*bytes)(const void *data, size_t len, void *arg);
	void (*hangup)(void *arg); /* the line is gone; output in between is lost */
	void (*back)(void *arg);   /* and here again */
	void *arg;
};

struct console_ops {
	const char *name;
	/* Queues bytes; -ENOBUFS when more than CONSOLE_QUEUE_MAX are waiting. */
	int (*write)(struct console *c, const void *data, size_t len);
	/* NULL where the line has no speed. */
	int (*set_baud)(struct console *c, unsigned int baud);
	void (*free)(struct console *c);
};

#define CONSOLE_QUEUE_MAX 65536

struct console {
	const struct console_ops *ops;
	struct console_events events;
};

static inline int console_write(struct console *c, const void *data, size_t len)
{
	return c->ops->write(c, data, len);
}

static inline void console_free(struct console *c)
{
	if (c)
		c->ops->free(c);
}

#endif
