/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console_fake.h - a console whose far end is a test or a fake machine.
 *
 * What is fed is queued and handed over from the loop, in order. What is
 * written is kept for inspection and given to a hook.
 */
#ifndef KJUMP_MACHINE_CONSOLE_FAKE_H
#define KJUMP_MACHINE_CONSOLE_FAKE_H

#include <systemd/sd-event.h>

#include "base/buf.h"
#include "machine/console/console.h"

int console_fake_new(sd_event *loop, const struct console_events *events, struct console **ret,
		     struct err *e);

/* The target prints, the line goes, the line is back. */
void console_fake_feed(struct console *c, const void *data, size_t len);
void console_fake_hangup(struct console *c);
void console_fake_back(struct console *c);

/* Hands over at once what is queued; for callers that the loop calls. */
void console_fake_flush(struct console *c);

/* All that was written since the start or the last buf_reset(); borrowed. */
struct buf *console_fake_written(struct console *c);

/* @hook gets each write as it is made; it may feed. NULL: none. */
void console_fake_on_write(struct console *c, void (*hook)(const void *data, size_t len, void *arg),
			   void *arg);

#endif
