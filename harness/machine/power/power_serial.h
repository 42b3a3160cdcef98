/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * power_serial.h - what relays behind a serial adapter have in common.
 *
 * The adapter is opened for each request and closed again, so that several
 * outlets share it and one that was plugged in again is found.
 */
#ifndef KJUMP_MACHINE_POWER_POWER_SERIAL_H
#define KJUMP_MACHINE_POWER_POWER_SERIAL_H

#include "base/buf.h"
#include "machine/power/power.h"
#include "machine/serial/tty_find.h"

struct power_serial_protocol {
	unsigned int baud;
	/* The bytes that switch; returns how many come back (0: none, and no get). */
	size_t (*set)(unsigned int unit, unsigned int channel, bool on, struct buf *out);
	/* The bytes that ask; returns how many come back. */
	size_t (*get)(unsigned int unit, unsigned int channel, struct buf *out);
	/* The answer to either. -EBADMSG with the reason: it is none. */
	int (*read_set)(const struct buf *asked, const struct buf *reply, struct err *e);
	int (*read_get)(unsigned int unit, const struct buf *reply, enum power_state *ret,
			struct err *e);
};

/* Takes over @address. */
struct power *power_serial_new(sd_event *loop, const struct power_serial_protocol *protocol,
			       struct tty_address *address, unsigned int unit, unsigned int channel,
			       const struct power_events *events);

#endif
