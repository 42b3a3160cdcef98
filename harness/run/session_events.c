// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_events.c - what a session writes down, in order.
 */
#include <stdarg.h>

#include "base/clock.h"
#include "run/steps.h"

/* Console bytes become an event after so long, or when there are so many. */
#define FLUSH_MS    10
#define FLUSH_BYTES 4096

static void emit_at(struct session *s, struct event *ev, uint64_t now_ns)
{
	s->emitted_ns = now_ns;
	ev->t_ns = now_ns - s->start_ns;
	s->setup.emit(ev, s->setup.arg);
	if (!s->ending && s->setup.settled(s->setup.arg))
		session_end(s);
}

/* A UART gives its bytes one by one; an event is what came in one go, or a line. */
void session_flush(struct session *s)
{
	struct event ev = {.type = EVENT_CONSOLE};
	struct buf data __free_buf = s->console;

	if (!data.len)
		return;
	buf_init(&s->console);
	session_disarm(s, TIMER_FLUSH);
	ev.bytes.data = data.data;
	ev.bytes.len = data.len;
	emit_at(s, &ev, s->console_ns);
}

void session_emit(struct session *s, struct event *ev)
{
	if (s->finished)
		return;
	session_flush(s);
	emit_at(s, ev, clock_ns());
}

void session_emit_frame(struct session *s, struct event *ev)
{
	uint64_t at_ns = ev->t_ns;

	if (s->finished)
		return;
	session_flush(s);
	if (at_ns < s->emitted_ns) {
		if (ev->type == EVENT_FRAME)
			ev->frame.uncertainty_ns += s->emitted_ns - at_ns;
		at_ns = s->emitted_ns;
	}
	emit_at(s, ev, at_ns);
}

void session_infra(struct session *s, const char *fmt, ...)
{
	struct event ev = {.type = EVENT_INFRA};
	char *text __free(str) = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	ev.infra.text = text;
	session_emit(s, &ev);
	session_finish(s);
}

void session_mark(struct session *s, enum mark mark, const char *text)
{
	struct event ev = {.type = EVENT_MARK, .mark = {mark, text}};

	session_emit(s, &ev);
	if (s->film)
		film_mark(s->film, mark);
}

void session_check(struct session *s, const char *name, const char *expected, const char *seen,
		   bool ok)
{
	struct event ev = {.type = EVENT_CHECK, .check = {name, expected, seen, ok}};

	session_emit(s, &ev);
}

void session_machine(struct session *s, enum machine_what what, const char *text)
{
	struct event ev = {.type = EVENT_MACHINE, .machine = {what, text}};

	session_emit(s, &ev);
}

void session_command(struct session *s, const struct shell_result *r)
{
	struct event ev = {
		.type = EVENT_COMMAND,
		.command = {.line = s->command,
			    .status = r->status,
			    .output = r->output,
			    .output_len = r->output_len,
			    .duration_ns = r->duration_ns},
	};

	session_emit(s, &ev);
}

void session_gap(struct session *s)
{
	struct event ev = {.type = EVENT_GAP, .gap = {0, "hangup"}};

	s->console_lost = false;
	session_emit(s, &ev);
}

void session_limit(struct session *s, const char *what, uint64_t ms)
{
	struct event ev = {.type = EVENT_LIMIT, .limit = {what, ms}};

	if (s->console_lost)
		session_gap(s);
	session_emit(s, &ev);
	session_end(s);
}

void session_keep_bytes(struct session *s, const char *data, size_t len)
{
	if (!s->console.len) {
		s->console_ns = s->heard_ns;
		session_arm(s, TIMER_FLUSH, FLUSH_MS);
	}
	buf_add(&s->console, data, len);
	if (data[len - 1] == '\n' || s->console.len >= FLUSH_BYTES)
		session_flush(s);
}
