/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console_tcp.h - a console behind a network port: ser2net and the like.
 *
 * Raw bytes, or telnet with RFC 2217 for the port's speed. It may not be
 * reachable yet: back comes when it is.
 */
#ifndef KJUMP_MACHINE_CONSOLE_CONSOLE_TCP_H
#define KJUMP_MACHINE_CONSOLE_CONSOLE_TCP_H

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "machine/console/console.h"

struct console_tcp_opts {
	const char *host, *port; /* copied; looked up once, now */
	bool rfc2217;
	unsigned int baud; /* only with RFC 2217 */
};

int console_tcp_new(sd_event *loop, const struct console_tcp_opts *opts,
		    const struct console_events *events, struct console **ret, struct err *e);

#endif
