/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * display_capture.h - a board's display, seen through an HDMI grabber.
 *
 * A program of its own (kjump-grab) reads and decodes what the grabber sends, so
 * that no call here blocks and no picture can harm us: it runs while the display
 * is watched. What a grabber invents is told from what the board shows: noise is
 * no change, and its own picture for "no signal", once it is known, is a lost
 * signal and a placeholder. A signal that goes or stays away, another mode and
 * dropped pictures are signal events; nothing of it ends the watch. The source
 * is tried again until it is back.
 */
#ifndef KJUMP_MACHINE_DISPLAY_DISPLAY_CAPTURE_H
#define KJUMP_MACHINE_DISPLAY_DISPLAY_CAPTURE_H

#include <systemd/sd-event.h>

#include "machine/display/display.h"
#include "plan/capture.h"

/*
 * @spec: borrowed for the call. @program: the path of kjump-grab; NULL: the one
 * beside the running program. An error: the picture for "no signal" is none.
 */
int display_capture_new(sd_event *loop, const struct capture_spec *spec, const char *program,
			const struct display_events *events, struct display **ret, struct err *e);

/*
 * What it shows now is its picture for "no signal": for a caller that knows the
 * board to be without power. -EAGAIN: it shows nothing yet.
 */
int display_capture_learn(struct display *d);

#endif
