// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_film.c - the display's part in a session.
 */
#include "base/clock.h"
#include "run/steps.h"

#define LOOK_AGAIN_MS 20

/* A kexec leaves the old picture, and the old kernel some time to draw another. */
#define A_DRAWS_MS    2000

/* How long a display has to show what it should, and how long to stay dark. */
#define SHOWS_MS      3000
#define STAYS_DARK_MS 500

static void on_picture(struct event *ev, void *arg)
{
	struct session *s = arg;

	if (ev->type == EVENT_FRAME && ev->frame.changed_ppm)
		s->heard_ns = clock_ns();
	session_emit_frame(s, ev);
}

static int keep(const char *name, const void *data, size_t len, void *arg)
{
	struct session *s = arg;

	return s->setup.keep(name, data, len, s->setup.arg);
}

void session_make_film(struct session *s)
{
	const struct film_opts opts = {
		.loop = s->setup.loop,
		.reference = s->setup.b->reference,
		.linger_ms = s->jump->same_kernel ? 0 : session_scaled(s, A_DRAWS_MS),
		.emit = on_picture,
		.keep = s->setup.keep ? keep : NULL,
		.arg = s,
	};

	s->film = film_new(&opts);
}

void session_start_film(struct session *s)
{
	film_watch(s->film, s->machine->display);
}

bool session_framebuffer(struct session *s)
{
	const struct buf *a = &s->setup.a->live_dtb, *b = &s->setup.b->live_dtb;

	return image_devicetree_framebuffer(b->data, b->len, &s->framebuffer) ||
	       image_devicetree_framebuffer(a->data, a->len, &s->framebuffer);
}

static bool has_seen_enough(const struct session *s)
{
	uint64_t waited_ms = (clock_ns() - s->look_ns) / NS_PER_MS;

	switch (s->job->to->display) {
	case DISPLAY_SHOWN:
		return !s->facts_b.has_display || film_is_complete(s->film) ||
		       waited_ms >= session_scaled(s, SHOWS_MS);
	case DISPLAY_DARK:
		return waited_ms >= session_scaled(s, STAYS_DARK_MS);
	case DISPLAY_NONE:
		break;
	}
	return true;
}

static void look(struct session *s)
{
	if (s->machine->display && !has_seen_enough(s)) {
		session_later(s, LOOK_AGAIN_MS, look);
		return;
	}
	session_mark(s, MARK_B_PROVEN, NULL);
	session_next(s);
}

void session_look(struct session *s)
{
	s->look_ns = clock_ns();
	look(s);
}
