// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shell_ask.c - is a shell there?
 *
 * As little as possible is typed before somebody reads it. What is typed at a
 * kernel that boots waits in front of its UART, and a driver that finds more
 * than about 64 bytes there when it starts may never see its receive interrupt
 * (PL011 in QEMU: the driver empties the FIFO, the backlog refills it, and the
 * level that raises the interrupt is never crossed again). So newlines are
 * typed, rarely, until text comes that is no kernel message: a prompt, or
 * whatever userspace prints. Only then a question is asked, when the text ends.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "run/shell_request.h"

#define QUIET_MS	40 /* without a byte: whoever wrote has done so */
#define PROMPT_MS	5  /* the same, of a prompt */
#define GAP_MS		150
#define GAP_MAX_MS	2000
#define GAP_UNECHOED_MS 2000ULL /* nobody reads yet; four times that after another */
#define POKE_MAX_POLLS	4
#define HEARD_BYTES	128

static void type(struct shell *s, const char *text, size_t len)
{
	int rc = s->opts.write(text, len, s->opts.arg);

	if (rc && rc != -ENOBUFS) /* nobody takes what we type: not yet */
		shell_finish(s, rc);
}

/*
 * The answer has a digit where the question has "$?", and nothing that can
 * happen to an echo puts one there. There is no quote in it: one that lost its
 * partner would swallow all that follows.
 */
static void ask(struct shell *s)
{
	struct buf line __free_buf = BUF_INIT;

	s->ask_gap_ms = s->ask_gap_ms ? s->ask_gap_ms * 2 : GAP_MS;
	if (s->ask_gap_ms > GAP_MAX_MS)
		s->ask_gap_ms = GAP_MAX_MS;
	s->asked = (unsigned int)(shell_random() % 9000) + 1000;
	s->asked_ns = clock_ns();
	s->unechoed = s->unechoed < 3 ? s->unechoed + 1 : 3;
	s->ask_next = false;
	buf_reset(&s->heard_text);
	/* Once a shell was there, half a command may be what is in the way. */
	if (s->answered)
		buf_addch(&line, '\x03');
	buf_addf(&line, "\necho %sa$?,%u\\;\n", s->scan.tag, s->asked);
	shell_step_in(s, s->poke_gap_ms);
	type(s, line.data, line.len);
}

void shell_ask_first(struct shell *s)
{
	s->asked = 0;
	s->found = false;
	s->unechoed = 0;
	s->ask_gap_ms = 0;
	s->poke_gap_ms = s->poll_ms;
	s->ask_next = s->answered;
	shell_ask_on(s);
}

void shell_ask_on(struct shell *s)
{
	if (s->found) {
		shell_enter(s, PHASE_DEFINE);
		return;
	}
	if (s->ask_next) {
		ask(s);
		return;
	}
	shell_step_in(s, s->poke_gap_ms);
	if (s->poke_gap_ms < s->poll_ms * POKE_MAX_POLLS)
		s->poke_gap_ms *= 2;
	type(s, "\n", 1);
}

static bool was_echoed(const struct shell *s)
{
	char number[16];

	snprintf(number, sizeof(number), ",%u", s->asked);
	return memmem(s->heard_text.data, s->heard_text.len, number, strlen(number));
}

/* How long after the last question the next one is due. */
static uint64_t next_gap(struct shell *s)
{
	if (!s->asked)
		return 0;
	if (was_echoed(s)) {
		s->unechoed = 0;
		return s->ask_gap_ms;
	}
	return GAP_UNECHOED_MS << (s->unechoed ? 2 * (s->unechoed - 1) : 0);
}

void shell_on_text(struct shell *s, const char *text, size_t len)
{
	uint64_t since_ms = (clock_ns() - s->asked_ns) / NS_PER_MS, gap;
	bool any = false;
	size_t i;

	for (i = 0; i < len; i++)
		any |= text[i] != '\n' && text[i] != ' ';
	if (!any)
		return;
	if (s->found)
		shell_step_in(s, PROMPT_MS);
	if (s->answered)
		return;
	buf_add(&s->heard_text, text, len);
	if (s->heard_text.len > HEARD_BYTES)
		buf_consume(&s->heard_text, s->heard_text.len - HEARD_BYTES);
	gap = next_gap(s);
	s->ask_next = true;
	shell_step_in(s, since_ms + QUIET_MS > gap ? QUIET_MS : gap - since_ms);
}

void shell_on_answer(struct shell *s, const struct shell_message *m)
{
	uint64_t status, number;

	if (m->kind != 'a' || shell_message_number(m, 0, &status) ||
	    shell_message_number(m, 1, &number))
		return;
	s->answered = true;
	if (number == s->asked) {
		/* Its prompt comes next, and would stand in the middle of an echo. */
		s->found = true;
		shell_step_in(s, QUIET_MS);
		return;
	}
	/* It is still at an earlier one; do not pile up more. */
	s->ask_next = true;
	shell_step_in(s, s->poll_ms + s->opts.echo_timeout_ms);
}
