// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/display/display_fake.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"

#define WIDTH  64
#define HEIGHT 48

enum happening_kind { HAPPENING_SHOW, HAPPENING_UNPLUG, HAPPENING_FAIL };

struct happening {
	enum happening_kind kind;
	struct picture picture;
	bool placeholder;
	char *text;
	uint64_t t_ns;
};

struct display_fake {
	struct display display;
	sd_event_source *defer;
	struct happening *queue;
	size_t n_queue;
	bool watched;
	enum display_pace pace;
	struct picture shown, reported;
	bool placeholder;
	uint64_t shown_ns;
	unsigned int busy; /* callbacks under way; free waits for them */
	bool dead;
};

static const struct display_ops display_fake_ops;

static struct display_fake *to_fake(const struct display *d)
{
	return container_of(d, struct display_fake, display);
}

static void happening_fini(struct happening *h)
{
	picture_fini(&h->picture);
	free(h->text);
}

static void destroy(struct display_fake *f)
{
	size_t i;

	for (i = 0; i < f->n_queue; i++)
		happening_fini(&f->queue[i]);
	free(f->queue);
	picture_fini(&f->shown);
	picture_fini(&f->reported);
	free(f);
}

static void wake(struct display_fake *f)
{
	sd_event_source_set_enabled(f->defer, SD_EVENT_ONESHOT);
}

static void report(struct display_fake *f)
{
	const struct display_frame frame = {
		.t_ns = f->shown_ns, .picture = &f->reported, .placeholder = f->placeholder};

	if (!f->watched || !f->shown.rgb || picture_equal(&f->shown, &f->reported))
		return;
	picture_copy(&f->reported, &f->shown);
	f->display.events.frame(&frame, f->display.events.arg);
}

static void happen(struct display_fake *f, struct happening *h)
{
	const struct display_events *ev = &f->display.events;

	switch (h->kind) {
	case HAPPENING_SHOW:
		picture_swap(&f->shown, &h->picture);
		f->placeholder = h->placeholder;
		f->shown_ns = h->t_ns;
		break;
	case HAPPENING_UNPLUG:
		picture_fini(&f->shown);
		picture_fini(&f->reported);
		if (f->watched)
			ev->signal(false, h->text, ev->arg);
		break;
	case HAPPENING_FAIL:
		if (f->watched) {
			f->watched = false;
			ev->failed(h->text, ev->arg);
		}
		break;
	}
}

/* One thing a round, and what it changed in the picture. */
static int on_defer(sd_event_source *source, void *arg)
{
	struct display_fake *f = arg;

	f->busy++;
	if (f->n_queue) {
		struct happening h = f->queue[0];

		memmove(f->queue, f->queue + 1, --f->n_queue * sizeof(h));
		happen(f, &h);
		happening_fini(&h);
	}
	if (!f->dead)
		report(f);
	if (!f->dead && f->n_queue)
		wake(f);
	if (!--f->busy && f->dead)
		destroy(f);
	return 0;
}

static struct happening *enqueue(struct display *d, enum happening_kind kind, const char *text)
{
	struct display_fake *f = to_fake(d);
	struct happening *h = array_push(f->queue, f->n_queue);

	h->kind = kind;
	h->text = xstrdup_null(text);
	h->t_ns = clock_ns();
	wake(f);
	return h;
}

void display_fake_show(struct display *d, const struct picture *p, bool placeholder)
{
	struct happening *h = enqueue(d, HAPPENING_SHOW, NULL);

	picture_copy(&h->picture, p);
	h->placeholder = placeholder;
}

void display_fake_show_colour(struct display *d, uint32_t rgb)
{
	struct picture p __free_picture = PICTURE_INIT;
	size_t i;

	picture_resize(&p, WIDTH, HEIGHT, NULL);
	for (i = 0; i < picture_bytes(&p); i += 3) {
		p.rgb[i] = (uint8_t)(rgb >> 16);
		p.rgb[i + 1] = (uint8_t)(rgb >> 8);
		p.rgb[i + 2] = (uint8_t)rgb;
	}
	display_fake_show(d, &p, false);
}

void display_fake_unplug(struct display *d, const char *text)
{
	enqueue(d, HAPPENING_UNPLUG, text);
}

void display_fake_fail(struct display *d, const char *text)
{
	enqueue(d, HAPPENING_FAIL, text);
}

bool display_fake_is_watched(const struct display *d, enum display_pace *ret_pace)
{
	const struct display_fake *f = to_fake(d);

	*ret_pace = f->pace;
	return f->watched;
}

static int display_fake_start(struct display *d, enum display_pace pace, struct err *e)
{
	struct display_fake *f = to_fake(d);

	f->watched = true;
	f->pace = pace;
	wake(f);
	return 0;
}

static void display_fake_stop(struct display *d)
{
	to_fake(d)->watched = false;
}

static void display_fake_free(struct display *d)
{
	struct display_fake *f = to_fake(d);

	f->defer = sd_event_source_disable_unref(f->defer);
	f->watched = false;
	f->dead = true;
	if (!f->busy)
		destroy(f);
}

static const struct display_ops display_fake_ops = {
	.name = "fake",
	.start = display_fake_start,
	.stop = display_fake_stop,
	.free = display_fake_free,
};

int display_fake_new(sd_event *loop, const struct display_events *events, struct display **ret,
		     struct err *e)
{
	struct display_fake *f;
	int rc;

	xnew(f);
	f->display.ops = &display_fake_ops;
	f->display.events = *events;
	rc = sd_event_add_defer(loop, &f->defer, on_defer, f);
	if (rc < 0) {
		destroy(f);
		return err_errno(e, -rc, "display");
	}
	sd_event_source_set_enabled(f->defer, SD_EVENT_OFF);
	*ret = &f->display;
	return 0;
}
