/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.h - what a machine driver exports: one descriptor, in machine.c's table.
 */
#ifndef KJUMP_MACHINE_DRIVER_H
#define KJUMP_MACHINE_DRIVER_H

#include "machine/machine.h"

/* Each as its namesake in machine.h. */
struct machine_driver {
	const char *board;
	int (*new)(const struct machine_opts *opts, const struct machine_events *events,
		   const struct console_events *console_events, struct machine **ret,
		   struct err *e);
	int (*base_dtb)(const struct machine_opts *opts, struct buf *out, struct err *e);
	int (*preflight)(const struct machine_spec *spec, uint64_t *ret_bytes, struct err *e);
};

extern const struct machine_driver machine_driver_qemu;
extern const struct machine_driver machine_driver_fake;
extern const struct machine_driver machine_driver_board; /* of every spec with hardware */

#endif
