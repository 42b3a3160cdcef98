// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power_lcus.c - LCUS-1 to LCUS-8: relays behind a CH340, 9600 8N1.
 *
 * A0 CHANNEL STATE SUM, where SUM is the low byte of the sum of the others.
 * Source: the vendor's product pages. It does not answer.
 */
#include <errno.h>

#include "machine/power/power_serial.h"

static size_t set(unsigned int unit, unsigned int channel, bool on, struct buf *out)
{
	const unsigned char frame[] = {0xa0, (unsigned char)channel, on,
				       (unsigned char)(0xa0 + channel + on)};

	buf_add(out, frame, sizeof(frame));
	return 0;
}

static const struct power_serial_protocol protocol = {.baud = 9600, .set = set};

static int lcus_new(sd_event *loop, const struct yaml_node *node, const struct power_events *events,
		    struct power **ret, struct diag *diag)
{
	static const char *const keys[] = {POWER_KEYS, TTY_KEYS, "channel"};
	struct tty_address address __cleanup(tty_address_fini) = {0};
	size_t before = diag->n;
	uint64_t channel = 1;

	yaml_check_keys(diag, node, keys, ARRAY_SIZE(keys));
	yaml_u64(diag, yaml_need(diag, node, "channel"), 1, 8, &channel);
	tty_address_read(&address, node, diag);
	if (diag->n != before)
		return -EINVAL;
	*ret = power_serial_new(loop, &protocol, &address, 0, (unsigned int)channel, events);
	return 0;
}

const struct power_driver power_lcus = {"lcus", lcus_new};
