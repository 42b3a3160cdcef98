/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console_unix.h - a console on a unix socket that the target's host connects
 * to (QEMU: -chardev socket,server=off).
 *
 * One connection at a time is the line; the next one waits until it ends.
 * back comes for the first connection, too. What is written while nobody is
 * connected is lost, as on a cable whose far end is off; so is what a
 * connection left unread when it ended.
 */
#ifndef KJUMP_MACHINE_CONSOLE_UNIX_H
#define KJUMP_MACHINE_CONSOLE_UNIX_H

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "machine/console/console.h"

/* Listens on @path, in a directory of our own. */
int console_unix_new(sd_event *loop, const char *path, const struct console_events *events,
		     struct console **ret, struct err *e);

bool console_unix_connected(const struct console *c);

/*
 * The far end's program has ended: hands over what it had sent, without
 * waiting, and takes leave of the line silently, so that the next connection is
 * that of the next program. Calls bytes before it returns.
 */
void console_unix_finish(struct console *c);

#endif
