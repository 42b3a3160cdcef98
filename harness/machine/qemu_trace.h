/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qemu_trace.h - QEMU's log of what its display device is told.
 *
 * QEMU writes a line for each of the trace events that qemu_args names; that
 * there is one is all that is used of it. The FIFO stays open over the starts of
 * a machine. Source: QEMU's documentation, "Tracing", log backend.
 */
#ifndef KJUMP_MACHINE_QEMU_TRACE_H
#define KJUMP_MACHINE_QEMU_TRACE_H

#include <systemd/sd-event.h>

#include "base/err.h"

struct qemu_trace {
	int fd;
	sd_event_source *io;
	void (*written)(void *arg);
	void *arg;
};

#define QEMU_TRACE_INIT  \
	{                \
		.fd = -1 \
	}

/* Makes the FIFO @path; @written comes from the loop, at most once a turn. */
int qemu_trace_open(struct qemu_trace *t, sd_event *loop, const char *path,
		    void (*written)(void *arg), void *arg, struct err *e);
/* Legal in any state. */
void qemu_trace_close(struct qemu_trace *t);

#endif
