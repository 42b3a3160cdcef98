// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "machine/serial/serial.h"
#include "sim/sim.h"

/* xorshift64: the same losses for the same seed. */
static uint64_t next_random(struct sim *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return s->random;
}

/* What is left of @data on this line, at this speed; appended to @out. */
static void damage(struct sim *s, const char *data, size_t len, struct buf *out)
{
	unsigned int baud = SIM_BAUD;
	size_t i;

	if (s->console.fd >= 0)
		serial_get_baud(s->console.fd, &baud);
	for (i = 0; i < len; i++) {
		if (s->lose_one_in && next_random(s) % s->lose_one_in == 0)
			continue;
		buf_addch(out, baud == SIM_BAUD ? data[i] : (char)(data[i] ^ 0xda));
	}
}

static void arm(struct sim *s)
{
	uint64_t now = clock_ns(), due = s->delays[0].due_ns;

	sd_event_source_set_time_relative(s->delay, due > now ? (due - now) / 1000 : 0);
	sd_event_source_set_enabled(s->delay, SD_EVENT_ONESHOT);
}

static int on_due(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct sim *s = userdata;

	while (s->n_delays && s->delays[0].due_ns <= clock_ns()) {
		sim_pty_write(&s->console, s->on_way.data, s->delays[0].len);
		buf_consume(&s->on_way, s->delays[0].len);
		s->n_delays--;
		memmove(s->delays, s->delays + 1, s->n_delays * sizeof(*s->delays));
	}
	if (s->n_delays)
		arm(s);
	return 0;
}

void sim_line_say(struct sim *s, const void *data, size_t len)
{
	struct buf left __free_buf = BUF_INIT;
	struct sim_delayed *d;

	damage(s, data, len, &left);
	if (!s->echo_delay_ms && !s->n_delays) {
		sim_pty_write(&s->console, left.data, left.len);
		return;
	}
	d = array_push(s->delays, s->n_delays);
	d->due_ns = clock_ns() + s->echo_delay_ms * NS_PER_MS;
	d->len = left.len;
	buf_add(&s->on_way, left.data, left.len);
	arm(s);
}

static void on_typed(const void *data, size_t len, void *arg)
{
	struct sim *s = arg;
	struct buf left __free_buf = BUF_INIT;

	damage(s, data, len, &left);
	sim_target_type(s, left.data, left.len);
}

static int on_replug(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct sim *s = userdata;

	return sim_pty_open(&s->console, NULL);
}

void sim_line_unplug(struct sim *s, uint64_t ms)
{
	sim_pty_close(&s->console);
	sd_event_source_set_time_relative(s->replug, ms * 1000);
	sd_event_source_set_enabled(s->replug, SD_EVENT_ONESHOT);
}

int sim_line_open(struct sim *s, struct err *e)
{
	int rc = sd_event_add_time(s->loop, &s->replug, CLOCK_MONOTONIC, 0, 1000, on_replug, s);

	if (rc >= 0)
		rc = sd_event_add_time(s->loop, &s->delay, CLOCK_MONOTONIC, 0, 1000, on_due, s);
	if (rc < 0)
		return err_errno(e, -rc, "cannot make a timer");
	sd_event_source_set_enabled(s->replug, SD_EVENT_OFF);
	sd_event_source_set_enabled(s->delay, SD_EVENT_OFF);
	s->console.loop = s->loop;
	s->console.link = xasprintf("%s/tty-console", s->dir);
	s->console.bytes = on_typed;
	s->console.arg = s;
	return sim_pty_open(&s->console, e);
}

void sim_line_close(struct sim *s)
{
	sim_pty_close(&s->console);
	free(s->console.link);
	s->replug = sd_event_source_disable_unref(s->replug);
	s->delay = sd_event_source_disable_unref(s->delay);
	buf_fini(&s->on_way);
	free(s->delays);
}
