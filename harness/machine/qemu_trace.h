/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qemu_trace.h - QEMU's log of what its display device is told.
 *
 * QEMU writes a line for each of the trace events that qemu_args names, before
 * it does what the line says. Lines come from the loop ahead of anything else
 * that QEMU sent in the same moment, its monitor's answers above all. The FIFO
 * stays open over the starts of a machine. Source: QEMU's documentation,
 * "Tracing", log backend; hw/display/trace-events, hw/virtio/trace-events.
 */
#ifndef KJUMP_MACHINE_QEMU_TRACE_H
#define KJUMP_MACHINE_QEMU_TRACE_H

#include <systemd/sd-event.h>

#include "base/err.h"

enum qemu_trace_event {
	QEMU_TRACE_FLUSH,   /* the guest has drawn and wants it shown */
	QEMU_TRACE_SCANOUT, /* the guest gives the display a picture of its own */
	QEMU_TRACE_BLANK,   /* the guest takes it away, or resets a virtio device */
	QEMU_TRACE_OTHER,
};

/* What @line, without its end, says. */
enum qemu_trace_event qemu_trace_parse(const char *line);

#define QEMU_TRACE_LINE_MAX 256 /* the rest of a longer line is not looked at */

struct qemu_trace {
	int fd;
	sd_event_source *io;
	char line[QEMU_TRACE_LINE_MAX];
	size_t len;
	void (*event)(enum qemu_trace_event event, void *arg);
	void *arg;
};

#define QEMU_TRACE_INIT  \
	{                \
		.fd = -1 \
	}

/* Makes the FIFO @path; @event comes from the loop. */
int qemu_trace_open(struct qemu_trace *t, sd_event *loop, const char *path,
		    void (*event)(enum qemu_trace_event event, void *arg), void *arg,
		    struct err *e);
/* Legal in any state. */
void qemu_trace_close(struct qemu_trace *t);

#endif
