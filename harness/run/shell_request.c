// SPDX-License-Identifier: GPL-2.0-or-later
#include "run/shell_request.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"

#define PIECE_MIN    8
#define QUERY_MAX_MS 30000 /* how rarely a long command is asked after */

static bool to_agent(enum shell_phase phase)
{
	return phase >= PHASE_SEND;
}

/* Typed to a command that reads lines, not to a shell that edits them. */
static bool to_reader(enum shell_phase phase)
{
	return phase == PHASE_PIECES || phase == PHASE_EVAL || to_agent(phase);
}

/* Smaller pieces each time that one got lost; @room: bytes in the line. */
static size_t choose_piece(const struct shell *s, size_t room)
{
	size_t n = room >> s->tries;

	if (n < PIECE_MIN)
		n = PIECE_MIN;
	if (n > s->payload.len - s->offset)
		n = s->payload.len - s->offset;
	return n;
}

/* What the agent wants to know about a piece besides itself: "+0 12 3456 ". */
#define PIECE_HEAD 16

static size_t command_room(const struct shell *s)
{
	return s->opts.chunk_bytes > PIECE_HEAD ? s->opts.chunk_bytes - PIECE_HEAD : 0;
}

static void compose_first_missing(struct shell *s, struct buf *line)
{
	size_t first = 1, last = 99999;

	if (s->frame.begun)
		shell_frame_missing(&s->frame, &first, &last);
	buf_addf(line, "f %zu %zu", first, last);
}

/*
 * No '[' or '<' in what is typed: at the end of a burst they could be the
 * beginning of a kernel message, and would not count as echoed yet.
 */
static void compose(struct shell *s, struct buf *line)
{
	switch (s->phase) {
	case PHASE_DEFINE: /* less than 80 columns, for editors that scroll sideways */
		buf_addf(line,
			 " J=;while echo %sj${#J}\\;;read -r x y;test -z \"$y\";do J=$J$x;done;"
			 "eval \"$y\"",
			 s->scan.tag);
		break;
	case PHASE_PIECES:
		buf_addf(line, "%.*s", (int)choose_piece(s, command_room(s)),
			 s->payload.data + s->offset);
		break;
	case PHASE_EVAL: /* two words: ends the loop above and is what it evaluates */
		buf_addf(line,
			 "e D=$(echo $J|base64 -d);case $(echo $J|sha256sum) in %.*s*)eval \"$D\";;"
			 "*)echo %sj$?\\;;esac",
			 SHELL_DIGEST_LEN, s->digest, s->scan.tag);
		break;
	case PHASE_SEND:
		buf_addf(line, "+%u %u %zu %.*s", s->tries, s->id, s->offset,
			 (int)choose_piece(s, command_room(s)), s->payload.data + s->offset);
		break;
	case PHASE_COMMIT:
		buf_addf(line, "%c %u %.*s", s->leaving ? 'l' : 'r', s->id, SHELL_DIGEST_LEN,
			 s->digest);
		break;
	case PHASE_REFETCH:
		compose_first_missing(s, line);
		break;
	case PHASE_IDLE:
	case PHASE_ASK:
	case PHASE_RUNNING:
	case PHASE_FINISHED:
		break;
	}
}

/* The line of this phase; slower with every try. */
static void start_line(struct shell *s)
{
	const size_t bursts[] = {s->opts.chunk_bytes, 16, 4, 1};
	int rc;

	s->heard = false;
	buf_reset(&s->typist.line);
	compose(s, &s->typist.line);
	rc = typist_start(&s->typist, bursts[s->tries < 3 ? s->tries : 3]);
	if (rc)
		shell_finish(s, rc);
	else
		shell_step_in(s, s->opts.echo_timeout_ms);
}

void shell_enter(struct shell *s, enum shell_phase phase)
{
	s->phase = phase;
	s->tries = 0;
	if (phase == PHASE_ASK)
		shell_ask_first(s);
	else if (phase == PHASE_RUNNING)
		shell_step_in(s, s->opts.echo_timeout_ms);
	else
		start_line(s);
}

/* The whole agent or command once more, from its first byte. */
static void again(struct shell *s)
{
	s->offset = 0;
	s->id++; /* the agent starts a new one; it has not run this one */
	if (++s->rounds > s->opts.max_resends)
		shell_finish(s, -EIO);
	else
		shell_enter(s, to_agent(s->phase) ? PHASE_SEND : PHASE_DEFINE);
}

/* The target holds @length bytes of what we send; the digest will tell if the right ones. */
static void on_length(struct shell *s, uint64_t length, enum shell_phase next)
{
	if (length > s->offset && length <= s->payload.len) {
		s->offset = length;
		shell_enter(s, length < s->payload.len ? s->phase : next);
	} else if (length != s->offset) {
		again(s);
	} else if (s->typist.entered) {
		shell_step_in(s, 0); /* it was damaged after its echo */
	}
}

static void on_installing(struct shell *s, const struct shell_message *m)
{
	uint64_t length;

	if (s->phase == PHASE_EVAL && (m->kind == 'h' || m->kind == 's')) {
		s->attached = true;
		s->id = 0;
		shell_finish(s, 0);
		return;
	}
	if (m->kind != 'j' || shell_message_number(m, 0, &length))
		return;
	s->heard = true;
	switch (s->phase) {
	case PHASE_DEFINE:
		s->offset = 0;
		if (!length)
			shell_enter(s, PHASE_PIECES);
		break;
	case PHASE_PIECES:
		on_length(s, length, PHASE_EVAL);
		break;
	case PHASE_EVAL:
		if (length != s->payload.len)
			again(s);
		break;
	case PHASE_IDLE:
	case PHASE_ASK:
	case PHASE_SEND:
	case PHASE_COMMIT:
	case PHASE_RUNNING:
	case PHASE_REFETCH:
	case PHASE_FINISHED:
		break;
	}
}

static void refetch(struct shell *s)
{
	if (++s->rounds > s->opts.max_resends)
		shell_finish(s, -EIO);
	else
		shell_enter(s, PHASE_REFETCH);
}

/* All lines that were sent are here, or will not come. */
static void on_frame_end(struct shell *s)
{
	size_t first, last;

	if (!s->frame.begun || shell_frame_missing(&s->frame, &first, &last) ||
	    shell_frame_check(&s->frame)) {
		refetch(s);
		return;
	}
	s->result.status = s->frame.status;
	s->result.output = s->frame.bytes;
	s->result.output_len = s->frame.len;
	shell_finish(s, 0);
}

static void on_output(struct shell *s, const struct shell_message *m)
{
	int rc;

	shell_step_in(s, s->opts.echo_timeout_ms);
	if (m->kind == 'd') {
		shell_frame_line(&s->frame, m);
	} else if (m->kind == 'e') {
		on_frame_end(s);
	} else {
		if (!s->frame.begun)
			s->result.duration_ns = clock_ns() - s->started_ns;
		rc = shell_frame_begin(&s->frame, m);
		if (rc == -EMSGSIZE)
			shell_finish(s, rc);
	}
}

static void on_going(struct shell *s)
{
	if (s->leaving) {
		s->attached = false;
		shell_finish(s, 0);
	} else if (s->phase == PHASE_COMMIT) {
		s->started_ns = clock_ns();
		shell_enter(s, PHASE_RUNNING);
	}
}

/* The answer to every line: bytes held of which command, and the last one that ran. */
static void on_status(struct shell *s, const struct shell_message *m)
{
	uint64_t id, length, last;

	if (shell_message_number(m, 1, &length))
		return;
	s->heard = true;
	if (!shell_message_number(m, 2, &last) && last == s->id) {
		if (s->leaving)
			on_going(s);
		else if (s->phase == PHASE_RUNNING || s->phase == PHASE_COMMIT)
			on_frame_end(s); /* whose end was lost */
		return;
	}
	if (s->phase == PHASE_COMMIT && s->typist.entered)
		shell_step_in(s, 0); /* it was damaged after its echo */
	if (s->phase != PHASE_SEND)
		return;
	if (shell_message_number(m, 0, &id) || id != s->id)
		length = 0; /* it holds nothing of this one */
	on_length(s, length, PHASE_COMMIT);
}

static void on_commanding(struct shell *s, const struct shell_message *m)
{
	uint64_t id;

	if (m->kind == 's') {
		on_status(s, m);
		return;
	}
	if (shell_message_number(m, 0, &id) || id != s->id)
		return;
	s->heard = true;
	switch (m->kind) {
	case 'g':
		on_going(s);
		break;
	case 'n':
		if (s->phase == PHASE_COMMIT)
			again(s);
		break;
	case 'b':
	case 'd':
	case 'e':
		if (!s->leaving)
			on_output(s, m);
		break;
	}
}

void shell_on_message(const struct shell_message *m, void *arg)
{
	struct shell *s = arg;

	if (s->phase == PHASE_IDLE || s->phase == PHASE_FINISHED)
		return;
	if (s->phase == PHASE_ASK)
		shell_on_answer(s, m);
	else if (to_agent(s->phase))
		on_commanding(s, m);
	else
		on_installing(s, m);
}

/* The line did not get there: kill it and type it again, or give up. */
static void retype(struct shell *s)
{
	bool editor = !to_reader(s->phase);
	/* ^C would end the agent; in an editor it helps where ^U is not bound. */
	const char *kill = editor && s->tries ? "\x03\x15" : "\x15";
	bool damaged = s->typist.echoed || s->heard;
	int rc;

	if (++s->tries > s->opts.max_resends) {
		if (!to_agent(s->phase))
			shell_enter(s, PHASE_ASK); /* until the request's own limit */
		else
			shell_finish(s, damaged ? -EIO : -ETIMEDOUT);
		return;
	}
	rc = s->opts.write(kill, strlen(kill), s->opts.arg);
	if (rc)
		shell_finish(s, rc);
	else
		start_line(s);
}

/* An empty line: has the target say what it holds, and enters one that still waits. */
static void query(struct shell *s, uint64_t wait_ms)
{
	int rc = s->opts.write("\n", 1, s->opts.arg);

	if (rc)
		shell_finish(s, rc);
	else
		shell_step_in(s, wait_ms);
}

/* Nothing more came of a command that runs. */
static void look_after(struct shell *s)
{
	uint64_t wait = s->opts.echo_timeout_ms << (s->tries < 8 ? s->tries : 8);

	s->tries++;
	query(s, wait < QUERY_MAX_MS ? wait : QUERY_MAX_MS);
}

void shell_on_late(struct shell *s)
{
	bool was_heard = s->heard;

	if (s->phase == PHASE_ASK) {
		shell_ask_on(s);
	} else if (s->phase == PHASE_RUNNING) {
		look_after(s);
	} else if (!s->typist.entered || was_heard || !to_reader(s->phase) ||
		   s->tries == s->opts.max_resends) {
		retype(s);
	} else {
		s->tries++;
		query(s, s->opts.echo_timeout_ms);
	}
}
