// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/display/display_qmp.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"

/* Between the begin of two looks when nothing was heard of a change. */
#define FAST_IDLE_NS  (1000 * NS_PER_MS)
#define SLOW_IDLE_NS  (4000 * NS_PER_MS)
/* And after a hint: what was drawn together is seen together. */
#define FAST_LEAST_NS (8 * NS_PER_MS)
#define SLOW_LEAST_NS (1000 * NS_PER_MS)

/* Looks at a display that never rests: so many at once, then one each so often. */
#define LOOKS_MAX     12
#define LOOK_EVERY_NS (500 * NS_PER_MS)

/* How late a hint may be on a busy host. */
#define HINT_LATE_NS  (5 * NS_PER_MS)

/* QEMU writes at most this much for the largest picture. */
#define FILE_MAX      ((size_t)3 * PICTURE_PIXELS_MAX + 64)

struct display_qmp {
	struct display display;
	sd_event *loop;
	sd_event_source *timer;
	char *path;

	struct qmp *qmp; /* NULL: detached */
	void (*ready)(const char *error, void *arg);
	void *ready_arg;
	bool running; /* the CPUs are */
	bool wanted;  /* start was called */
	bool asked;   /* a screendump is under way */
	enum display_pace pace;

	uint64_t asked_ns; /* when the newest look began, */
	uint64_t known_ns; /* and the one that saw the last picture */
	uint64_t hint_ns;  /* when a change was first heard of since then; 0: not */
	uint64_t asked_hint_ns;
	unsigned int looks; /* that are left, as of: */
	uint64_t looks_ns;
	bool blank;		     /* the guest gives it nothing to show */
	unsigned int scanouts;	     /* how often that changed, */
	unsigned int asked_scanouts; /* as of the newest look */
	struct picture last, next, placeholder;
	struct buf file;
};

static const struct display_ops display_qmp_ops;

static struct display_qmp *to_qmp(struct display *d)
{
	return container_of(d, struct display_qmp, display);
}

static void look(struct display_qmp *d);

static int on_timer(sd_event_source *source, uint64_t usec, void *arg)
{
	look(arg);
	return 0;
}

/* When there may be another look after a hint; 0: now. */
static uint64_t next_look_ns(struct display_qmp *d, uint64_t now_ns)
{
	uint64_t more = (now_ns - d->looks_ns) / LOOK_EVERY_NS;

	if (more) {
		d->looks = more > LOOKS_MAX - d->looks ? LOOKS_MAX : d->looks + (unsigned int)more;
		d->looks_ns += more * LOOK_EVERY_NS;
	}
	return d->looks ? 0 : d->looks_ns + LOOK_EVERY_NS;
}

static void plan_look(struct display_qmp *d)
{
	bool fast = d->pace == DISPLAY_FAST;
	uint64_t now_ns = clock_ns(), next_ns = d->asked_ns, allowed_ns;

	if (!d->qmp || !d->running || !d->wanted || d->asked)
		return;
	if (d->hint_ns) {
		next_ns += fast ? FAST_LEAST_NS : SLOW_LEAST_NS;
		allowed_ns = next_look_ns(d, now_ns);
		if (next_ns < allowed_ns)
			next_ns = allowed_ns;
	} else {
		next_ns += fast ? FAST_IDLE_NS : SLOW_IDLE_NS;
	}
	sd_event_source_set_time_relative(d->timer,
					  next_ns > now_ns ? (next_ns - now_ns) / 1000 : 0);
	sd_event_source_set_enabled(d->timer, SD_EVENT_ONESHOT);
}

static int read_picture(struct display_qmp *d, struct err *e)
{
	int rc;

	buf_reset(&d->file);
	rc = file_read(d->path, FILE_MAX, &d->file, e);
	return rc ? rc : picture_parse_ppm(&d->next, d->file.data, d->file.len, e);
}

/* The last thing that is done: it may free the display. */
static void report(struct display_qmp *d, uint64_t since_ns, uint64_t t_ns)
{
	struct display_frame frame = {
		.t_ns = t_ns,
		.picture = &d->last,
		.placeholder = d->blank || picture_equal(&d->last, &d->placeholder),
	};

	if (d->asked_hint_ns > since_ns + HINT_LATE_NS)
		since_ns = d->asked_hint_ns - HINT_LATE_NS;
	frame.uncertainty_ns = since_ns ? t_ns - since_ns : 0;
	d->display.events.frame(&frame, d->display.events.arg);
}

static void fail(struct display_qmp *d, const char *text)
{
	d->wanted = false;
	d->display.events.failed(text, d->display.events.arg);
}

static void on_dump(const char *error, const struct json *reply, void *arg)
{
	struct display_qmp *d = arg;
	struct err e __free_err = ERR_INIT;
	uint64_t t_ns = clock_ns(), since_ns;

	d->asked = false;
	if (!d->wanted)
		return;
	if (error || read_picture(d, &e)) {
		fail(d, error ? error : err_msg(&e));
		return;
	}
	if (d->scanouts != d->asked_scanouts) {
		/* Whose picture that was cannot be said. */
		d->hint_ns = d->hint_ns ? d->hint_ns : d->asked_hint_ns;
		plan_look(d);
		return;
	}
	since_ns = d->known_ns;
	d->known_ns = d->asked_ns;
	plan_look(d);
	if (!picture_equal(&d->last, &d->next)) {
		picture_swap(&d->last, &d->next);
		report(d, since_ns, t_ns);
	}
}

static void ask(struct display_qmp *d, qmp_done_fn done)
{
	struct json *args = json_new_object();

	json_set_str(args, "filename", d->path);
	json_set_str(args, "format", "ppm");
	d->asked_ns = clock_ns();
	d->asked_hint_ns = d->hint_ns;
	d->asked_scanouts = d->scanouts;
	d->hint_ns = 0;
	d->looks -= d->looks > 0;
	d->asked = true;
	if (qmp_command(d->qmp, "screendump", args, done, d))
		d->asked = false; /* its end is under way, and detach with it */
}

static void look(struct display_qmp *d)
{
	if (d->qmp && d->running && d->wanted && !d->asked)
		ask(d, on_dump);
}

static void on_baseline(const char *error, const struct json *reply, void *arg)
{
	struct display_qmp *d = arg;
	struct err e __free_err = ERR_INIT;

	d->asked = false;
	if (!error && !read_picture(d, &e))
		picture_swap(&d->placeholder, &d->next);
	else if (!error)
		error = err_msg(&e);
	d->ready(error, d->ready_arg);
}

void display_qmp_attach(struct display *display, struct qmp *qmp,
			void (*ready)(const char *error, void *arg), void *arg)
{
	struct display_qmp *d = to_qmp(display);

	d->qmp = qmp;
	d->running = d->blank = false;
	d->ready = ready;
	d->ready_arg = arg;
	d->known_ns = d->hint_ns = 0;
	picture_fini(&d->last);
	ask(d, on_baseline);
}

void display_qmp_run(struct display *display)
{
	struct display_qmp *d = to_qmp(display);

	d->running = true;
	look(d);
}

void display_qmp_hint(struct display *display)
{
	struct display_qmp *d = to_qmp(display);

	if (d->hint_ns || !d->running)
		return;
	d->hint_ns = clock_ns();
	plan_look(d);
}

void display_qmp_scanout(struct display *display, bool on)
{
	struct display_qmp *d = to_qmp(display);

	if (d->blank == !on)
		return;
	d->blank = !on;
	d->scanouts++;
}

void display_qmp_detach(struct display *display)
{
	struct display_qmp *d = to_qmp(display);
	bool was_running = d->qmp && d->running;

	d->qmp = NULL;
	d->running = d->asked = false;
	sd_event_source_set_enabled(d->timer, SD_EVENT_OFF);
	if (was_running && d->wanted)
		d->display.events.signal(false, "the machine is off", d->display.events.arg);
}

static int display_qmp_start(struct display *display, enum display_pace pace, struct err *e)
{
	struct display_qmp *d = to_qmp(display);

	d->wanted = true;
	if (pace == DISPLAY_FAST && d->pace != pace) {
		d->looks = LOOKS_MAX;
		d->looks_ns = clock_ns();
	}
	d->pace = pace;
	plan_look(d);
	return 0;
}

static void display_qmp_stop(struct display *display)
{
	struct display_qmp *d = to_qmp(display);

	d->wanted = false;
	sd_event_source_set_enabled(d->timer, SD_EVENT_OFF);
}

static void display_qmp_free(struct display *display)
{
	struct display_qmp *d = to_qmp(display);

	sd_event_source_disable_unref(d->timer);
	unlink(d->path);
	free(d->path);
	picture_fini(&d->last);
	picture_fini(&d->next);
	picture_fini(&d->placeholder);
	buf_fini(&d->file);
	free(d);
}

static const struct display_ops display_qmp_ops = {
	.name = "qmp",
	.start = display_qmp_start,
	.stop = display_qmp_stop,
	.free = display_qmp_free,
};

struct display *display_qmp_new(sd_event *loop, const char *path,
				const struct display_events *events)
{
	struct display_qmp *d;

	xnew(d);
	d->display.ops = &display_qmp_ops;
	d->display.events = *events;
	d->loop = loop;
	d->path = xstrdup(path);
	buf_init(&d->file);
	if (sd_event_add_time(loop, &d->timer, CLOCK_MONOTONIC, 0, 1, on_timer, d) < 0)
		abort();
	sd_event_source_set_enabled(d->timer, SD_EVENT_OFF);
	return &d->display;
}
