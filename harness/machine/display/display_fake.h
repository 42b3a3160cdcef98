/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * display_fake.h - a display whose picture is set by a test or a fake machine.
 *
 * What it is told happens in the loop, in order. As every driver it reports a
 * picture only while it is watched, and only one that is not the last one.
 */
#ifndef KJUMP_MACHINE_DISPLAY_DISPLAY_FAKE_H
#define KJUMP_MACHINE_DISPLAY_DISPLAY_FAKE_H

#include <systemd/sd-event.h>

#include "machine/display/display.h"

int display_fake_new(sd_event *loop, const struct display_events *events, struct display **ret,
		     struct err *e);

/* It shows @p, which is copied; @placeholder: nobody drew it. */
void display_fake_show(struct display *d, const struct picture *p, bool placeholder);
/* The same with a picture of one colour, 0xRRGGBB, of the size of a small display. */
void display_fake_show_colour(struct display *d, uint32_t rgb);
/* It has no picture any more. */
void display_fake_unplug(struct display *d, const char *text);
void display_fake_fail(struct display *d, const char *text);

/* How it is watched: false, or true with the pace. */
bool display_fake_is_watched(const struct display *d, enum display_pace *ret_pace);

#endif
