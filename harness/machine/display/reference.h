/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reference.h - a picture that a display is expected to show.
 *
 * NAME.png with NAME.json beside it, in the form of openQA's needles (os-autoinst,
 * doc/backend_vars and needle files): "area" is a list of objects with xpos, ypos,
 * width, height, and perhaps type ("match", the default, or "exclude") and match
 * (percent, 96 by default). Every match area has to look alike; what exclude
 * areas cover does not count. Compared are coarse brightness and its slopes (a
 * difference hash), so noise of a grabber and another anti-aliasing do not matter.
 */
#ifndef KJUMP_MACHINE_DISPLAY_REFERENCE_H
#define KJUMP_MACHINE_DISPLAY_REFERENCE_H

#include "machine/display/picture.h"

struct reference;

/* @path: of the JSON; the PNG has the same name. Errors name the file and the area. */
int reference_load(const char *path, struct reference **ret, struct err *e);
void reference_free(struct reference *r);
DEFINE_FREE(reference, struct reference *, reference_free(_v));

/* The file name without folder and ending; borrowed. */
const char *reference_name(const struct reference *r);

/*
 * Does @p show it? Pictures of other sizes do not. *ret_percent: how alike the
 * least alike area is; may be NULL.
 */
bool reference_matches(const struct reference *r, const struct picture *p,
		       unsigned int *ret_percent);

#endif
