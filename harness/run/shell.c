// SPDX-License-Identifier: GPL-2.0-or-later
#include "run/shell.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/base64.h"
#include "run/shell_request.h"

#define CHUNK_BYTES	56
#define CHUNK_MAX	1024 /* a terminal's line holds 4096 */
#define MAX_RESENDS	5
#define ECHO_TIMEOUT_MS 2000

static void arm(sd_event_source *source, uint64_t ms)
{
	sd_event_source_set_time_relative(source, ms * 1000);
	sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static void disarm(sd_event_source *source)
{
	sd_event_source_set_enabled(source, SD_EVENT_OFF);
}

void shell_step_in(struct shell *s, uint64_t ms)
{
	arm(s->step, ms);
}

void shell_finish(struct shell *s, int error)
{
	if (s->phase == PHASE_IDLE || s->phase == PHASE_FINISHED)
		return;
	s->phase = PHASE_FINISHED;
	s->result.error = error;
	if (!s->result.duration_ns)
		s->result.duration_ns = clock_ns() - s->started_ns;
	if (error && error != -EMSGSIZE)
		s->attached = false;
	disarm(s->step);
	disarm(s->deadline);
	sd_event_source_set_enabled(s->finish, SD_EVENT_ONESHOT);
}

/* Calls done as the last thing: it may free the shell. */
static void deliver(struct shell *s)
{
	s->phase = PHASE_IDLE;
	s->done(&s->result, s->arg);
}

static int on_finish(sd_event_source *source, void *arg)
{
	deliver(arg);
	return 0;
}

static int on_step(sd_event_source *source, uint64_t usec, void *arg)
{
	shell_on_late(arg);
	return 0;
}

static int on_deadline(sd_event_source *source, uint64_t usec, void *arg)
{
	struct shell *s = arg;

	/* What was typed may run although nobody has said so yet. */
	if (s->phase != PHASE_ASK)
		s->opts.write("\x03", 1, s->opts.arg);
	shell_finish(s, s->answered ? -EIO : -ETIMEDOUT);
	return 0;
}

int shell_new(const struct shell_opts *opts, struct shell **ret, struct err *e)
{
	struct shell *s;
	int rc;

	xnew(s);
	s->opts = *opts;
	if (!s->opts.chunk_bytes)
		s->opts.chunk_bytes = CHUNK_BYTES;
	if (s->opts.chunk_bytes > CHUNK_MAX)
		s->opts.chunk_bytes = CHUNK_MAX;
	if (!s->opts.max_resends)
		s->opts.max_resends = MAX_RESENDS;
	if (!s->opts.echo_timeout_ms)
		s->opts.echo_timeout_ms = ECHO_TIMEOUT_MS;
	buf_init(&s->scan.pending);
	buf_init(&s->fresh);
	buf_init(&s->payload);
	buf_init(&s->heard_text);
	typist_init(&s->typist, opts->write, opts->arg);
	rc = sd_event_add_time(opts->loop, &s->step, CLOCK_MONOTONIC, 0, 1, on_step, s);
	if (rc >= 0)
		rc = sd_event_add_time(opts->loop, &s->deadline, CLOCK_MONOTONIC, 0, 1, on_deadline,
				       s);
	if (rc >= 0)
		rc = sd_event_add_defer(opts->loop, &s->finish, on_finish, s);
	if (rc < 0) {
		shell_free(s);
		return err_errno(e, -rc, "cannot set up a shell's timers");
	}
	disarm(s->step);
	disarm(s->deadline);
	disarm(s->finish);
	*ret = s;
	return 0;
}

void shell_free(struct shell *s)
{
	if (!s)
		return;
	sd_event_source_disable_unref(s->step);
	sd_event_source_disable_unref(s->deadline);
	sd_event_source_disable_unref(s->finish);
	buf_fini(&s->scan.pending);
	buf_fini(&s->fresh);
	buf_fini(&s->payload);
	buf_fini(&s->heard_text);
	typist_fini(&s->typist);
	shell_frame_reset(&s->frame);
	free(s);
}

void shell_feed(struct shell *s, const void *data, size_t len)
{
	bool progress = false;
	int rc = 0;

	buf_reset(&s->fresh);
	shell_text_feed(&s->text, data, len, &s->fresh);
	if (s->phase == PHASE_IDLE || s->phase == PHASE_FINISHED)
		return;
	if (s->phase == PHASE_ASK)
		shell_on_text(s, s->fresh.data, s->fresh.len);
	else if (s->phase != PHASE_RUNNING)
		rc = typist_feed(&s->typist, s->fresh.data, s->fresh.len, &progress);
	if (rc) {
		shell_finish(s, rc);
		return;
	}
	if (progress)
		shell_step_in(s, s->opts.echo_timeout_ms);
	shell_scan_feed(&s->scan, s->fresh.data, s->fresh.len, shell_on_message, s);
}

static int begin(struct shell *s, uint64_t timeout_ms, shell_done_fn done, void *arg)
{
	if (s->phase != PHASE_IDLE)
		return -EBUSY;
	s->done = done;
	s->arg = arg;
	s->result = (struct shell_result){0};
	s->started_ns = clock_ns();
	s->rounds = 0;
	s->answered = false;
	s->leaving = false;
	shell_frame_reset(&s->frame);
	arm(s->deadline, timeout_ms);
	return 0;
}

/* What is typed: base64 has neither quotes nor control bytes nor brackets. */
static void set_payload(struct shell *s, const void *data, size_t len)
{
	buf_reset(&s->payload);
	base64_encode(&s->payload, data, len);
	/* The target digests what "echo" printed. */
	buf_addch(&s->payload, '\n');
	digest_of(s->payload.data, s->payload.len, s->digest);
	buf_truncate(&s->payload, s->payload.len - 1);
}

int shell_attach(struct shell *s, uint64_t poll_ms, uint64_t timeout_ms, shell_done_fn done,
		 void *arg)
{
	struct buf source __free_buf = BUF_INIT;
	int rc = begin(s, timeout_ms, done, arg);

	if (rc)
		return rc;
	s->attached = false;
	s->poll_ms = poll_ms;
	shell_tag_new(s->scan.tag);
	buf_reset(&s->scan.pending);
	shell_agent_source(&source, s->scan.tag);
	set_payload(s, source.data, source.len);
	shell_enter(s, PHASE_ASK);
	return 0;
}

static int run(struct shell *s, const char *command, bool leaving, uint64_t timeout_ms,
	       shell_done_fn done, void *arg)
{
	int rc;

	if (!s->attached)
		return s->phase == PHASE_IDLE ? -ENOTCONN : -EBUSY;
	rc = begin(s, timeout_ms, done, arg);
	if (rc)
		return rc;
	s->leaving = leaving;
	s->id++;
	s->offset = 0;
	if (!command[0])
		command = ":"; /* something that has a length */
	set_payload(s, command, strlen(command));
	shell_enter(s, PHASE_SEND);
	return 0;
}

int shell_run(struct shell *s, const char *command, uint64_t timeout_ms, shell_done_fn done,
	      void *arg)
{
	return run(s, command, false, timeout_ms, done, arg);
}

int shell_leave(struct shell *s, const char *command, uint64_t timeout_ms, shell_done_fn done,
		void *arg)
{
	return run(s, command, true, timeout_ms, done, arg);
}

void shell_reset(struct shell *s)
{
	bool busy = s->phase != PHASE_IDLE;

	disarm(s->step);
	disarm(s->deadline);
	disarm(s->finish);
	s->attached = false;
	s->text = (struct shell_text){0};
	s->scan.tag[0] = '\0';
	buf_reset(&s->scan.pending);
	if (!busy)
		return;
	s->result = (struct shell_result){.error = -ECANCELED};
	deliver(s);
}
