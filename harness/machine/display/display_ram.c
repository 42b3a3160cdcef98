// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/display/display_ram.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"

#define FAST_NS	      (1 * NS_PER_MS)
#define SLOW_LEAST_NS (10 * NS_PER_MS)
#define SLOW_MOST_NS  (500 * NS_PER_MS)

/* After a change: a scrolling text changes all the time, and a picture costs more than a look. */
#define REST_NS	      (10 * NS_PER_MS)

struct display_ram {
	struct display display;
	struct framebuffer fb;
	size_t bytes;
	sd_event_source *timer;
	const uint8_t *pixels; /* NULL: detached */
	bool wanted, shown;    /* shown: a frame was reported since attach */
	enum display_pace pace;
	uint64_t interval_ns;
	uint64_t known_ns; /* when it was seen last to show what it shows */
	uint8_t *last, *placeholder;
	struct picture picture;
};

static const struct display_ops display_ram_ops;

static struct display_ram *to_ram(struct display *d)
{
	return container_of(d, struct display_ram, display);
}

static void plan_look(struct display_ram *d, uint64_t after_ns)
{
	if (!d->pixels || !d->wanted)
		return;
	sd_event_source_set_time_relative(d->timer, after_ns / 1000);
	sd_event_source_set_enabled(d->timer, SD_EVENT_ONESHOT);
}

static void adapt(struct display_ram *d, bool changed)
{
	if (d->pace == DISPLAY_FAST)
		d->interval_ns = changed ? REST_NS : FAST_NS;
	else if (changed || d->interval_ns < SLOW_LEAST_NS)
		d->interval_ns = SLOW_LEAST_NS;
	else if (d->interval_ns * 2 < SLOW_MOST_NS)
		d->interval_ns *= 2;
	else
		d->interval_ns = SLOW_MOST_NS;
}

static void convert_row(enum framebuffer_format format, const uint8_t *from, uint8_t *to,
			unsigned int width)
{
	unsigned int x, v;

	for (x = 0; x < width; x++, to += 3) {
		switch (format) {
		case FRAMEBUFFER_XRGB8888:
			to[0] = from[4 * x + 2];
			to[1] = from[4 * x + 1];
			to[2] = from[4 * x];
			break;
		case FRAMEBUFFER_XBGR8888:
			memcpy(to, from + 4 * x, 3);
			break;
		case FRAMEBUFFER_RGB565:
			v = from[2 * x] | (unsigned int)from[2 * x + 1] << 8;
			to[0] = (uint8_t)((v >> 11) * 255 / 31);
			to[1] = (uint8_t)((v >> 5 & 63) * 255 / 63);
			to[2] = (uint8_t)((v & 31) * 255 / 31);
			break;
		}
	}
}

static void report(struct display_ram *d, uint64_t t_ns, uint64_t uncertainty_ns)
{
	const struct display_frame frame = {
		.t_ns = t_ns,
		.uncertainty_ns = uncertainty_ns,
		.picture = &d->picture,
		.placeholder = !memcmp(d->last, d->placeholder, d->bytes),
	};
	unsigned int y;

	for (y = 0; y < d->fb.height; y++)
		convert_row(d->fb.format, d->last + (size_t)y * d->fb.stride_bytes,
			    d->picture.rgb + (size_t)3 * y * d->fb.width, d->fb.width);
	d->display.events.frame(&frame, d->display.events.arg);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *arg)
{
	struct display_ram *d = arg;
	uint64_t begin_ns = clock_ns(), since_ns = d->known_ns;
	bool changed = !d->shown || memcmp(d->pixels, d->last, d->bytes);

	d->known_ns = begin_ns;
	adapt(d, changed);
	plan_look(d, d->interval_ns);
	if (!changed)
		return 0;
	/* The guest draws on meanwhile: what is copied is what is shown and compared with. */
	memcpy(d->last, d->pixels, d->bytes);
	d->shown = true;
	begin_ns = clock_ns();
	report(d, begin_ns, since_ns ? begin_ns - since_ns : 0);
	return 0;
}

int display_ram_attach(struct display *display, const struct ram *ram, struct err *e)
{
	struct display_ram *d = to_ram(display);
	const void *pixels = ram_at(ram, d->fb.address, d->bytes);

	if (!pixels)
		return err_set(e, ERANGE, "the framebuffer at 0x%llx is not in the machine's RAM",
			       (unsigned long long)d->fb.address);
	memcpy(d->placeholder, pixels, d->bytes);
	d->pixels = pixels;
	d->shown = false;
	d->known_ns = 0;
	plan_look(d, 0);
	return 0;
}

void display_ram_detach(struct display *display)
{
	struct display_ram *d = to_ram(display);
	bool was_attached = d->pixels;

	d->pixels = NULL;
	sd_event_source_set_enabled(d->timer, SD_EVENT_OFF);
	if (was_attached && d->wanted)
		d->display.events.signal(false, "the machine is off", d->display.events.arg);
}

static int display_ram_start(struct display *display, enum display_pace pace, struct err *e)
{
	struct display_ram *d = to_ram(display);

	d->wanted = true;
	d->pace = pace;
	d->interval_ns = pace == DISPLAY_FAST ? FAST_NS : SLOW_LEAST_NS;
	plan_look(d, 0);
	return 0;
}

static void display_ram_stop(struct display *display)
{
	struct display_ram *d = to_ram(display);

	d->wanted = false;
	sd_event_source_set_enabled(d->timer, SD_EVENT_OFF);
}

static void display_ram_free(struct display *display)
{
	struct display_ram *d = to_ram(display);

	sd_event_source_disable_unref(d->timer);
	picture_fini(&d->picture);
	free(d->last);
	free(d->placeholder);
	free(d);
}

static const struct display_ops display_ram_ops = {
	.name = "ram",
	.start = display_ram_start,
	.stop = display_ram_stop,
	.free = display_ram_free,
};

int display_ram_new(sd_event *loop, const struct framebuffer *fb,
		    const struct display_events *events, struct display **ret, struct err *e)
{
	struct picture picture __free_picture = PICTURE_INIT;
	struct display_ram *d;
	int rc = picture_resize(&picture, fb->width, fb->height, e);

	if (rc)
		return rc;
	if (fb->stride_bytes / framebuffer_pixel_bytes(fb->format) < fb->width ||
	    fb->stride_bytes > 4 * PICTURE_PIXELS_MAX / fb->height)
		return err_set(e, EINVAL, "a framebuffer %u pixels wide with rows of %u bytes",
			       fb->width, fb->stride_bytes);
	xnew(d);
	d->display.ops = &display_ram_ops;
	d->display.events = *events;
	d->fb = *fb;
	d->bytes = (size_t)fb->stride_bytes * fb->height;
	d->last = xmalloc(d->bytes);
	d->placeholder = xmalloc(d->bytes);
	picture_swap(&d->picture, &picture);
	/* The accuracy asked for is that of the timer: sd-event's default is 250 ms. */
	if (sd_event_add_time(loop, &d->timer, CLOCK_MONOTONIC, 0, 1, on_timer, d) < 0)
		abort();
	sd_event_source_set_enabled(d->timer, SD_EVENT_OFF);
	*ret = &d->display;
	return 0;
}
