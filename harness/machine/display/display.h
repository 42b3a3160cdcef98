/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * display.h - the port to what a person would look at.
 *
 * A driver reports a picture when it is another than the one before, with the
 * time and how sure that time is; it has no opinion about whose picture it is.
 */
#ifndef KJUMP_MACHINE_DISPLAY_DISPLAY_H
#define KJUMP_MACHINE_DISPLAY_DISPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "machine/display/picture.h"

struct display_frame {
	uint64_t t_ns;		       /* CLOCK_MONOTONIC: it is there by then, */
	uint64_t uncertainty_ns;       /* and came at most so much earlier */
	const struct picture *picture; /* borrowed for the duration of the call */
	bool placeholder;	       /* the machine's own picture, before a guest drew any */
};

struct display_events {
	void (*frame)(const struct display_frame *frame, void *arg);
	/* It shows something, or went off, or changed its mode; @text says what, in words. */
	void (*signal)(bool present, const char *text, void *arg);
	/* Nothing more comes until the next start. @text: the reason. */
	void (*failed)(const char *text, void *arg);
	void *arg;
};

/*
 * How closely it is watched. FAST looks as often as the driver can; SLOW spares
 * the target and looks less often the longer nothing changes.
 */
enum display_pace { DISPLAY_SLOW, DISPLAY_FAST };

struct display;

struct display_ops {
	const char *name;
	/*
	 * Watches from now on, or goes on at another pace; events follow as soon
	 * as there is something to see, never before this returns.
	 */
	int (*start)(struct display *d, enum display_pace pace, struct err *e);
	/* No event after it. */
	void (*stop)(struct display *d);
	void (*free)(struct display *d);
};

struct display {
	const struct display_ops *ops;
	struct display_events events;
};

static inline int display_start(struct display *d, enum display_pace pace, struct err *e)
{
	return d->ops->start(d, pace, e);
}

static inline void display_stop(struct display *d)
{
	d->ops->stop(d);
}

static inline void display_free(struct display *d)
{
	if (d)
		d->ops->free(d);
}

#endif
