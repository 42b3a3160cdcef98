/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * display_qmp.h - QEMU's display, looked at through its monitor (screendump).
 *
 * The object outlives the QEMU processes of its machine: it is attached to the
 * monitor of each of them and sees nothing in between. What QEMU shows before
 * its CPUs have run is its own picture, not a guest's: it is remembered, and a
 * frame that equals it is a placeholder. A guest that resets its display gets
 * another one of QEMU's own ("Display output is not active."), in whatever size
 * it had: so a frame is a placeholder, too, while it is known that the guest has
 * given the display nothing to show.
 *
 * A look costs QEMU, and so its guest, some 10 ms. Looks follow hints that
 * something was drawn; a display that never rests gets a few at once and then two
 * a second. Without a hint there is one a second, or every few.
 *
 * Source of the command: QEMU, qapi/ui.json.
 */
#ifndef KJUMP_MACHINE_DISPLAY_DISPLAY_QMP_H
#define KJUMP_MACHINE_DISPLAY_DISPLAY_QMP_H

#include <systemd/sd-event.h>

#include "machine/display/display.h"
#include "machine/qmp.h"

/* @path: a file for QEMU to write to; replaced all the time, removed at the end. Copied. */
struct display *display_qmp_new(sd_event *loop, const char *path,
				const struct display_events *events);

/*
 * A monitor that takes commands, of a QEMU whose CPUs do not run yet; borrowed
 * until detach. @ready is called once it is known what the placeholder looks
 * like, with the reason if that could not be had; not after detach.
 */
void display_qmp_attach(struct display *d, struct qmp *qmp,
			void (*ready)(const char *error, void *arg), void *arg);
/* The CPUs run from now on. */
void display_qmp_run(struct display *d);
/*
 * The picture may be another one now: look soon. Without a hint it is looked at
 * too rarely to tell when it changed.
 */
void display_qmp_hint(struct display *d);
/*
 * The guest has given its display a picture of its own, or has taken it away.
 * Where nobody says it, only what was there before the CPUs ran is a placeholder.
 */
void display_qmp_scanout(struct display *d, bool on);
/* Legal at any time. The picture is gone with the machine: a signal event says so. */
void display_qmp_detach(struct display *d);

#endif
