/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * film.h - what a display showed during an attempt, as events with pictures.
 *
 * It looks closely from the jump until B's picture stands still, writes every
 * picture that matters to the evidence, within bounds that a display which never
 * rests cannot break, and leaves it to the judge whose picture it is.
 */
#ifndef KJUMP_RUN_FILM_H
#define KJUMP_RUN_FILM_H

#include <systemd/sd-event.h>

#include "evidence/event.h"
#include "machine/display/display.h"
#include "machine/display/reference.h"

struct film;

struct film_opts {
	sd_event *loop;
	const struct reference *reference; /* what B promises to show, or NULL; borrowed */
	/*
	 * So long after the jump the old system may still draw: no standstill is
	 * told before, so that what comes after one is the new system's.
	 */
	uint64_t linger_ms;
	/* FRAME and SIGNAL events; t_ns is on CLOCK_MONOTONIC here. */
	void (*emit)(struct event *ev, void *arg);
	/* A file of the evidence. -errno: it is not kept. NULL: none is. */
	int (*keep)(const char *name, const void *data, size_t len, void *arg);
	void *arg;
};

struct film *film_new(const struct film_opts *opts);
void film_free(struct film *f);

/* For the maker of the display; valid as long as @f. */
const struct display_events *film_events(const struct film *f);
/* Starts to look at @d, which is borrowed until free; NULL: there is none. */
void film_watch(struct film *f, struct display *d);
void film_mark(struct film *f, enum mark mark);
/* No event after it. */
void film_stop(struct film *f);

/*
 * Since the jump a picture was drawn, and it has stood still for a moment; and
 * it is the expected one, where one is.
 */
bool film_is_complete(const struct film *f);

#endif
