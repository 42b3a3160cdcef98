/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * display_ram.h - a framebuffer in a guest's RAM, watched through our mapping.
 *
 * Nothing is asked of the guest or of QEMU: the pixels are compared in place,
 * every millisecond at the FAST pace. What is there before the CPUs run is the
 * placeholder.
 */
#ifndef KJUMP_MACHINE_DISPLAY_DISPLAY_RAM_H
#define KJUMP_MACHINE_DISPLAY_DISPLAY_RAM_H

#include <systemd/sd-event.h>

#include "machine/display/display.h"
#include "machine/ram.h"
#include "plan/framebuffer.h"

/* -EINVAL when rows overlap or it is larger than a picture may be. */
int display_ram_new(sd_event *loop, const struct framebuffer *fb,
		    const struct display_events *events, struct display **ret, struct err *e);

/* The RAM of a machine that is about to run; borrowed until detach. -ERANGE: not in it. */
int display_ram_attach(struct display *d, const struct ram *ram, struct err *e);
/* Legal at any time. The picture is gone with the machine: a signal event says so. */
void display_ram_detach(struct display *d);

#endif
