/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_rsp.h - a debug port that is a gdb stub: QEMU, OpenOCD, a probe.
 *
 * Source: Debugging with GDB, appendix E; QEMU, docs/system/gdb.rst for what it
 * adds (physical memory). The target is arm64, little-endian. Registers are
 * known by the names that the stub's description of the target gives; a whole
 * set is read at once where the stub's holds what is asked for.
 *
 * What a stub does and a caller has to know:
 * - Who resumes at a breakpoint hits it again: step first, or clear it.
 * - QEMU refuses no physical address, and reading a device's may change it.
 * - QEMU masks interrupts and timers while it steps.
 */
#ifndef KJUMP_MACHINE_DEBUG_RSP_H
#define KJUMP_MACHINE_DEBUG_RSP_H

#include <systemd/sd-event.h>

#include "machine/debug/debug.h"

/* How long a stub may be silent when an answer is due, before the port is lost. */
#define DEBUG_RSP_SILENCE_MS 5000
/* How long a step may take before the CPU is taken to complete none. */
#define DEBUG_RSP_STEP_MS    500

/*
 * @fd, non-blocking and connected or about to be, is *taken*, also on failure.
 * @events is copied. Nothing is sent before DEBUG_ATTACH.
 */
int debug_rsp_new(sd_event *loop, int fd, const struct debug_events *events, struct debug **ret,
		  struct err *e);

/*
 * The stub's program has ended: handles what it had sent, without waiting; then
 * the port is lost. Legal for ports of this driver only.
 */
void debug_rsp_finish(struct debug *d);

#endif
