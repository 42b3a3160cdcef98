// SPDX-License-Identifier: GPL-2.0-or-later
#include "run/film.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"

/* A picture that has stood so long is not being drawn any more. */
#define STEADY_MS    500
/* A cursor that blinks is no other picture. */
#define STILL_PPM    200

/* Pictures of an attempt, and events: a display may change for ever. */
#define KEPT_MAX     48
#define KEPT_AT_ONCE 16 /* so many whatever their change, after the jump */
#define KEPT_PPM     20000
#define EVENTS_MAX   4000

struct film {
	struct film_opts opts;
	struct display_events events;
	struct display *display;
	sd_event_source *timer;
	bool stopped;

	bool jumped, drawn, steady; /* drawn, steady: since the jump */
	uint64_t old_until_ns;	    /* the picture may still be the old system's */
	unsigned int n_events, n_kept, n_eager;
	struct picture shown, kept; /* of the newest event; of the newest file */
	struct event frame;	    /* the newest FRAME; its texts are these: */
	char digest[DIGEST_HEX_SIZE];
	char file[32]; /* "": not kept */
};

static void look(struct film *f, enum display_pace pace)
{
	struct err e __free_err = ERR_INIT;

	if (f->display && display_start(f->display, pace, &e))
		f->events.failed(err_msg(&e), f);
}

static void emit(struct film *f, struct event ev)
{
	if (f->n_events++ < EVENTS_MAX)
		f->opts.emit(&ev, f->opts.arg);
}

/* --- which pictures become files ------------------------------------------------ */

static bool is_worth_keeping(struct film *f, const struct picture *p)
{
	unsigned int least = KEPT_PPM;

	if (!f->opts.keep || f->n_kept >= KEPT_MAX || picture_equal(p, &f->kept))
		return false;
	if (f->jumped && f->n_eager < KEPT_AT_ONCE) {
		f->n_eager++;
		return true;
	}
	/* Ever more choosy, so that something is left for the end. */
	if (f->n_kept > KEPT_MAX / 2)
		least *= 8;
	return !f->kept.rgb || picture_changed_ppm(p, &f->kept) >= least;
}

static void keep(struct film *f, const struct picture *p)
{
	struct buf png __free_buf = BUF_INIT;

	snprintf(f->file, sizeof(f->file), "frame-%03u.png", f->n_kept);
	picture_write_png(p, &png);
	if (f->opts.keep(f->file, png.data, png.len, f->opts.arg)) {
		f->file[0] = '\0';
		return;
	}
	f->n_kept++;
	picture_copy(&f->kept, p);
}

/* --- frames ------------------------------------------------------------------------ */

static void arm(struct film *f)
{
	uint64_t now_ns = clock_ns(), ns = STEADY_MS * NS_PER_MS;

	if (now_ns + ns < f->old_until_ns)
		ns = f->old_until_ns - now_ns;
	sd_event_source_set_time_relative(f->timer, ns / 1000);
	sd_event_source_set_enabled(f->timer, SD_EVENT_ONESHOT);
}

static const char *match(const struct film *f, const struct picture *p)
{
	if (!f->jumped || !f->opts.reference || !reference_matches(f->opts.reference, p, NULL))
		return NULL;
	return reference_name(f->opts.reference);
}

static void take(struct film *f, const struct display_frame *frame, unsigned int changed_ppm)
{
	const struct picture *p = frame->picture;
	unsigned int lit_ppm = frame->placeholder ? 0 : picture_lit_ppm(p);

	picture_digest(p, f->digest);
	f->file[0] = '\0';
	if (is_worth_keeping(f, p))
		keep(f, p);
	picture_copy(&f->shown, p);
	f->frame = (struct event){
		.t_ns = frame->t_ns,
		.type = EVENT_FRAME,
		.frame = {.uncertainty_ns = frame->uncertainty_ns,
			  .width = p->width,
			  .height = p->height,
			  .digest = f->digest,
			  .lit_ppm = lit_ppm,
			  .changed_ppm = changed_ppm,
			  .placeholder = frame->placeholder,
			  .match = match(f, p),
			  .file = f->file[0] ? f->file : NULL},
	};
	f->drawn = f->drawn || (f->jumped && lit_ppm && changed_ppm);
	f->steady = false;
	arm(f);
	emit(f, f->frame);
}

static void on_frame(const struct display_frame *frame, void *arg)
{
	struct film *f = arg;
	bool was_dark = !f->shown.rgb || !f->frame.frame.lit_ppm;
	unsigned int changed_ppm;

	if (f->stopped)
		return;
	changed_ppm = picture_changed_ppm(frame->picture, &f->shown);
	/* Where it was dark a single pixel is news. */
	if (was_dark || frame->placeholder || changed_ppm > STILL_PPM)
		take(f, frame, changed_ppm);
}

static void on_signal(bool present, const char *text, void *arg)
{
	struct film *f = arg;
	struct event ev = {.t_ns = clock_ns(), .type = EVENT_SIGNAL, .signal = {present, text}};

	if (f->stopped)
		return;
	if (!present) {
		sd_event_source_set_enabled(f->timer, SD_EVENT_OFF);
		picture_fini(&f->shown);
	}
	emit(f, ev);
}

/* Without a display an attempt goes on: userspace may still be reached. */
static void on_failed(const char *text, void *arg)
{
	on_signal(false, text, arg);
}

/* Nothing but a cursor has changed for a while. */
static int on_still(sd_event_source *source, uint64_t usec, void *arg)
{
	struct film *f = arg;

	if (f->stopped || !f->shown.rgb)
		return 0;
	if (!f->file[0] && f->opts.keep && f->n_kept < KEPT_MAX + 1 && f->frame.frame.lit_ppm &&
	    f->jumped)
		keep(f, &f->shown);
	f->frame.t_ns = clock_ns();
	f->frame.frame.steady = true;
	f->frame.frame.uncertainty_ns = 0;
	f->frame.frame.changed_ppm = 0;
	f->frame.frame.file = f->file[0] ? f->file : NULL;
	emit(f, f->frame);
	if (f->drawn) {
		f->steady = true;
		look(f, DISPLAY_SLOW);
	}
	return 0;
}

/* --- life ---------------------------------------------------------------------------- */

struct film *film_new(const struct film_opts *opts)
{
	struct film *f;

	xnew(f);
	f->opts = *opts;
	f->events = (struct display_events){on_frame, on_signal, on_failed, f};
	if (sd_event_add_time(opts->loop, &f->timer, CLOCK_MONOTONIC, 0, 1000, on_still, f) < 0)
		abort();
	sd_event_source_set_enabled(f->timer, SD_EVENT_OFF);
	return f;
}

const struct display_events *film_events(const struct film *f)
{
	return &f->events;
}

void film_watch(struct film *f, struct display *d)
{
	f->display = d;
	look(f, DISPLAY_SLOW);
}

void film_mark(struct film *f, enum mark mark)
{
	if (mark != MARK_JUMP && mark != MARK_B_POWER_ON)
		return;
	f->jumped = true;
	f->drawn = f->steady = false;
	f->old_until_ns = mark == MARK_JUMP ? clock_ns() + f->opts.linger_ms * NS_PER_MS : 0;
	if (f->shown.rgb)
		arm(f);
	look(f, DISPLAY_FAST);
}

void film_stop(struct film *f)
{
	f->stopped = true;
	sd_event_source_set_enabled(f->timer, SD_EVENT_OFF);
	if (f->display)
		display_stop(f->display);
}

bool film_is_complete(const struct film *f)
{
	return f->steady && (!f->opts.reference || f->frame.frame.match);
}

void film_free(struct film *f)
{
	if (!f)
		return;
	sd_event_source_disable_unref(f->timer);
	picture_fini(&f->shown);
	picture_fini(&f->kept);
	free(f);
}
