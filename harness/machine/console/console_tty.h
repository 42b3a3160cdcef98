/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console_tty.h - a console on a serial adapter.
 *
 * The adapter must be there when the console is made. When it is unplugged the
 * line hangs up; it is looked for by its address until it is back, whatever its
 * number is then.
 */
#ifndef KJUMP_MACHINE_CONSOLE_CONSOLE_TTY_H
#define KJUMP_MACHINE_CONSOLE_CONSOLE_TTY_H

#include <systemd/sd-event.h>

#include "machine/console/console.h"
#include "machine/serial/tty_find.h"

/* @address and @roots (NULL: the system's) are borrowed and outlive the console. */
int console_tty_new(sd_event *loop, const struct tty_address *address,
		    const struct tty_roots *roots, unsigned int baud,
		    const struct console_events *events, struct console **ret, struct err *e);

#endif
