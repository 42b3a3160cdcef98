/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qemu_ready.h - what is looked at while QEMU waits and its CPUs do not run yet.
 */
#ifndef KJUMP_MACHINE_QEMU_READY_H
#define KJUMP_MACHINE_QEMU_READY_H

#include "machine/machine.h"
#include "machine/qmp.h"

struct qemu_ready {
	struct qmp *qmp; /* borrowed; nothing is called after it was freed */
	const struct machine_spec *spec;
	struct display *display; /* to be attached to it; NULL: none */
	/* Once: NULL, or why this machine may not run (*taken*). */
	void (*done)(char *error, void *arg);
	void *arg;
};

/* @r stays in place until done was called or the monitor is gone. */
void qemu_ready_start(struct qemu_ready *r);

#endif
