/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * display_log.h - what a display reported, as text and as the newest frame.
 */
#ifndef KJUMP_TEST_MACHINE_DISPLAY_LOG_H
#define KJUMP_TEST_MACHINE_DISPLAY_LOG_H

#include <systemd/sd-event.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "machine/display/display.h"

#define PATIENCE_NS (20 * NS_PER_S)

struct display_log {
	sd_event *loop;
	struct display *display; /* freed in the next event when free_in_event */
	bool free_in_event;
	struct buf text; /* "[RRGGBB]" of the first pixel, "*" for a placeholder, "<signal text>" */
	struct picture picture;
	uint64_t t_ns, uncertainty_ns;
	unsigned int n_frames;
};

static void logged(struct display_log *l)
{
	if (l->free_in_event)
		display_free(steal_ptr(l->display));
}

static void log_frame(const struct display_frame *frame, void *arg)
{
	struct display_log *l = arg;
	const uint8_t *p = frame->picture->rgb;

	assert_true(frame->t_ns >= l->t_ns);
	assert_true(frame->t_ns <= clock_ns());
	l->t_ns = frame->t_ns;
	l->uncertainty_ns = frame->uncertainty_ns;
	l->n_frames++;
	picture_copy(&l->picture, frame->picture);
	buf_addf(&l->text, "%s[%02x%02x%02x]", frame->placeholder ? "*" : "", p[0], p[1], p[2]);
	logged(l);
}

static void log_signal(bool present, const char *text, void *arg)
{
	struct display_log *l = arg;

	buf_addf(&l->text, "<%s%s>", present ? "+" : "", text);
	logged(l);
}

static void log_failed(const char *text, void *arg)
{
	struct display_log *l = arg;

	buf_addf(&l->text, "!%s!", text);
	logged(l);
}

static struct display_events display_log_init(struct display_log *l)
{
	*l = (struct display_log){.text = BUF_INIT};
	assert_true(sd_event_new(&l->loop) >= 0);
	return (struct display_events){log_frame, log_signal, log_failed, l};
}

static void display_log_fini(struct display_log *l)
{
	display_free(steal_ptr(l->display));
	sd_event_unref(l->loop);
	buf_fini(&l->text);
	picture_fini(&l->picture);
}

/* Runs the loop until the log is @text; says what it is where it never is. */
static inline void expect_log(struct display_log *l, const char *text)
{
	uint64_t end_ns = clock_ns() + PATIENCE_NS;

	while (strcmp(l->text.data, text)) {
		if (clock_ns() > end_ns)
			fail_msg("'%s' instead of '%s'", l->text.data, text);
		assert_true(sd_event_run(l->loop, 100000) >= 0);
	}
}

/* Gives it the time for what must not happen. */
static inline void run_for(struct display_log *l, uint64_t ms)
{
	uint64_t end_ns = clock_ns() + ms * NS_PER_MS;

	while (clock_ns() < end_ns)
		assert_true(sd_event_run(l->loop, 1000) >= 0);
}

#endif
