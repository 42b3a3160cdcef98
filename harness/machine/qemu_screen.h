/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qemu_screen.h - the display of a QEMU machine, whichever way it is seen.
 *
 * A framebuffer in the guest's RAM is watched there, in a file that QEMU and we
 * map; any other display through the monitor. One object for all starts.
 */
#ifndef KJUMP_MACHINE_QEMU_SCREEN_H
#define KJUMP_MACHINE_QEMU_SCREEN_H

#include "machine/display/display.h"
#include "machine/machine.h"
#include "machine/qemu_trace.h"
#include "machine/ram.h"

struct qemu_screen {
	struct display *display; /* NULL: there is none, or nobody looks */
	bool by_monitor;
	char *trace_path; /* by monitor: where QEMU says that something was drawn */
	struct qemu_trace trace;
};

#define QEMU_SCREEN_INIT                 \
	{                                \
		.trace = QEMU_TRACE_INIT \
	}

/* @events: borrowed for the call. @dir: of the machine, for QEMU's pictures. */
int qemu_screen_init(struct qemu_screen *s, const struct machine_opts *opts, const char *dir,
		     const struct display_events *events, struct err *e);
void qemu_screen_fini(struct qemu_screen *s);

/* Is it watched in the machine's RAM, which then has to be a file? */
bool qemu_screen_sees_ram(const struct qemu_screen *s);
/* Before QEMU is started; @ram is borrowed until qemu_screen_down(). -ERANGE. */
int qemu_screen_attach_ram(struct qemu_screen *s, const struct ram *ram, struct err *e);
/* Its CPUs run. */
void qemu_screen_run(struct qemu_screen *s);
/* QEMU is gone, or as good as. */
void qemu_screen_down(struct qemu_screen *s);

#endif
