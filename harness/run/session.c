// SPDX-License-Identifier: GPL-2.0-or-later
#include "run/session.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "run/steps.h"
#include "run/watch.h"

#define GRACE_MS 2000 /* what is left of a report after the judge has seen enough */
#define QUIET_MS 300  /* and when nothing comes any more */

static const struct jump *const jumps[] = {&jump_cold, &jump_reboot, &jump_kexec, &jump_pivot};

static const struct {
	const char *name;
	size_t offset;
} limits[] = {
	[LIMIT_BOOT] = {"boot", offsetof(struct limits, boot_ms)},
	[LIMIT_LOAD] = {"load", offsetof(struct limits, load_ms)},
	[LIMIT_SHUTDOWN] = {"shutdown", offsetof(struct limits, shutdown_ms)},
	[LIMIT_JUMP] = {"jump", offsetof(struct limits, jump_ms)},
};

/* --- time ---------------------------------------------------------------- */

uint64_t session_scaled(const struct session *s, uint64_t ms)
{
	return (uint64_t)((double)ms * s->setup.time_factor);
}

void session_arm(struct session *s, enum session_timer t, uint64_t ms)
{
	sd_event_source_set_time_relative(s->timers[t], ms * 1000);
	sd_event_source_set_enabled(s->timers[t], SD_EVENT_ONESHOT);
}

void session_disarm(struct session *s, enum session_timer t)
{
	sd_event_source_set_enabled(s->timers[t], SD_EVENT_OFF);
}

static uint64_t limit_ms(const struct session *s, enum limit_kind kind)
{
	const uint64_t *ms = (const void *)((const char *)&s->job->limits + limits[kind].offset);

	return session_scaled(s, *ms);
}

static const struct step *current(const struct session *s)
{
	return s->jump->steps[s->step];
}

/* --- the end ------------------------------------------------------------- */

/* From the loop and as the last thing: done may free the session. */
static int on_finish(sd_event_source *source, void *arg)
{
	struct session *s = arg;

	film_free(steal_ptr(s->film));
	shell_free(steal_ptr(s->shell));
	machine_free(steal_ptr(s->machine));
	watch_free(steal_ptr(s->watch));
	file_remove_tree(s->scratch_dir, NULL);
	s->setup.done(s->setup.arg);
	return 0;
}

void session_finish(struct session *s)
{
	int i;

	if (s->finished)
		return;
	s->ending = true;
	watch_end(s);
	session_flush(s);
	s->finished = true;
	if (s->film)
		film_stop(s->film);
	for (i = 0; i < N_TIMERS; i++)
		session_disarm(s, i);
	sd_event_source_set_enabled(s->finish, SD_EVENT_ONESHOT);
}

void session_end(struct session *s)
{
	if (s->ending)
		return;
	s->ending = true;
	session_disarm(s, TIMER_LIMIT);
	session_disarm(s, TIMER_SILENCE);
	session_disarm(s, TIMER_DELAY);
	session_arm(s, TIMER_GRACE, session_scaled(s, GRACE_MS));
	session_arm(s, TIMER_QUIET, QUIET_MS);
}

/* --- steps --------------------------------------------------------------- */

static void start_step(struct session *s, bool new_limit)
{
	const struct step *step = current(s);

	if (new_limit || step->limit != s->limit) {
		s->limit = step->limit;
		session_arm(s, TIMER_LIMIT, limit_ms(s, s->limit));
	}
	s->heard_ns = clock_ns();
	if (step->listens)
		session_arm(s, TIMER_SILENCE, session_scaled(s, s->job->limits.silence_ms));
	else
		session_disarm(s, TIMER_SILENCE);
	step->start(s);
}

void session_next(struct session *s)
{
	if (s->ending)
		return;
	s->step++;
	if (current(s))
		start_step(s, false);
	else
		session_finish(s);
}

static void start_first(struct session *s)
{
	start_step(s, true);
}

void session_later(struct session *s, uint64_t ms, void (*fn)(struct session *s))
{
	s->later = fn;
	session_arm(s, TIMER_DELAY, ms);
}

/* Armed once for many bytes: looks how long ago the last of them was. */
static void on_silence(struct session *s)
{
	uint64_t limit = session_scaled(s, s->job->limits.silence_ms);
	uint64_t since = (clock_ns() - s->heard_ns) / NS_PER_MS;

	if (since < limit)
		session_arm(s, TIMER_SILENCE, limit - since);
	else
		session_limit(s, "silence", limit);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *arg)
{
	struct session *s = arg;

	if (source == s->timers[TIMER_LIMIT])
		session_limit(s, limits[s->limit].name, limit_ms(s, s->limit));
	else if (source == s->timers[TIMER_SILENCE])
		on_silence(s);
	else if (source == s->timers[TIMER_DELAY])
		s->later(s);
	else if (source == s->timers[TIMER_FLUSH])
		session_flush(s);
	else
		session_finish(s);
	return 0;
}

/* --- the console --------------------------------------------------------- */

static void on_bytes(const void *data, size_t len, void *arg)
{
	struct session *s = arg;

	if (s->finished || !len)
		return;
	s->heard_ns = clock_ns();
	session_keep_bytes(s, data, len);
	if (s->ending)
		session_arm(s, TIMER_QUIET, QUIET_MS);
	else
		shell_feed(s->shell, data, len);
}

static void on_hangup(void *arg)
{
	struct session *s = arg;

	s->console_lost = true;
}

/* The first one, and that after a new power on, ends no gap: nothing could be said. */
static void on_back(void *arg)
{
	struct session *s = arg;

	if (s->console_lost)
		session_gap(s);
}

static int type(const void *data, size_t len, void *arg)
{
	struct event ev = {.type = EVENT_INPUT, .bytes = {data, len}};
	struct session *s = arg;

	if (s->ending)
		return -ECANCELED;
	session_emit(s, &ev);
	return console_write(s->machine->console, data, len);
}

/* --- the machine --------------------------------------------------------- */

static void on_up(void *arg)
{
	struct session *s = arg;

	if (!s->ending && current(s)->up)
		current(s)->up(s);
}

static void on_unasked_down(struct session *s, enum machine_down why, const char *text)
{
	switch (why) {
	case MACHINE_DOWN_ASKED:
		if (!s->ending)
			session_infra(s, "the machine was stopped by somebody else");
		break;
	case MACHINE_DOWN_GUEST_OFF:
		session_machine(s, MACHINE_EVENT_SHUTDOWN, text);
		session_end(s);
		break;
	case MACHINE_DOWN_GUEST_RESET:
		session_machine(s, MACHINE_EVENT_RESET, text);
		session_end(s);
		break;
	case MACHINE_DOWN_LOAD_FAILED:
		session_mark(s, MARK_LOAD_FAILED, text);
		session_end(s);
		break;
	case MACHINE_DOWN_DIED:
		session_machine(s, MACHINE_EVENT_DIED, text);
		session_infra(s, "the machine died: %s", text ? text : "it did not say why");
		break;
	}
}

static void on_down(enum machine_down why, const char *text, void *arg)
{
	struct session *s = arg;

	s->console_lost = false; /* its line ended with it */
	if (s->ending || !current(s)->down || !current(s)->down(s, why))
		on_unasked_down(s, why, text);
}

static void on_reset(void *arg)
{
	session_machine(arg, MACHINE_EVENT_RESET, NULL);
}

static void on_notice(const char *text, void *arg)
{
	struct json *j __free(json) = NULL;
	const char *name;

	session_machine(arg, MACHINE_EVENT_QMP, text);
	if (json_parse(text, strlen(text), &j, NULL))
		return;
	name = json_get_str(j, "event");
	if (name && !strcmp(name, "GUEST_PANICKED"))
		session_machine(arg, MACHINE_EVENT_PANIC, text);
}

/* --- life ---------------------------------------------------------------- */

static int make_timers(struct session *s)
{
	int i, rc;

	for (i = 0; i < N_TIMERS; i++) {
		rc = sd_event_add_time(s->setup.loop, &s->timers[i], CLOCK_MONOTONIC, 0, 1000,
				       on_timer, s);
		if (rc < 0)
			return rc;
		session_disarm(s, i);
	}
	rc = sd_event_add_defer(s->setup.loop, &s->finish, on_finish, s);
	if (rc < 0)
		return rc;
	return sd_event_source_set_enabled(s->finish, SD_EVENT_OFF);
}

static int make_machine(struct session *s, struct err *e)
{
	const struct debug_events debug = watch_debug_events(s);
	const struct machine_opts opts = {
		.spec = s->job->machine,
		.display = s->job->from->display || s->job->to->display,
		.framebuffer = session_framebuffer(s) ? &s->framebuffer : NULL,
		.display_events = film_events(s->film),
		.debug_events = watch_wanted(s->job) ? &debug : NULL,
		.loop = s->setup.loop,
	};
	const struct machine_events events = {on_up, on_down, on_reset, on_notice, s};
	const struct console_events console = {on_bytes, on_hangup, on_back, s};
	struct shell_opts shell = {
		.loop = s->setup.loop,
		.write = type,
		.arg = s,
		.max_resends = SHELL_RESENDS,
		.echo_timeout_ms = session_scaled(s, SHELL_ECHO_MS),
	};
	int rc = machine_new(&opts, &events, &console, &s->machine, e);

	if (!rc) {
		/* A terminal of a virtual machine takes a long line at once. */
		shell.chunk_bytes = s->machine->burst ? s->machine->burst : 1024;
		session_start_film(s);
	}
	return rc ? rc : shell_new(&shell, &s->shell, e);
}

int session_start(const struct session_setup *setup, struct session **ret, struct err *e)
{
	struct session *s;
	size_t i;
	int rc;

	xnew(s);
	s->setup = *setup;
	s->setup.scratch_dir = s->scratch_dir = xstrdup(setup->scratch_dir);
	s->job = setup->job;
	s->start_ns = clock_ns();
	s->facts_a = s->facts_b = (struct facts)FACTS_INIT;
	buf_init(&s->console);
	for (i = 0; i < ARRAY_SIZE(jumps); i++) {
		if (jumps[i]->kind == s->job->kind)
			s->jump = jumps[i];
	}
	rc = make_timers(s);
	if (rc < 0)
		rc = err_errno(e, -rc, "cannot set up a session's timers");
	if (!rc)
		rc = session_make_files(s, e);
	session_make_film(s);
	if (!rc)
		rc = make_machine(s, e);
	if (rc) {
		session_free(s);
		return rc;
	}
	/* No callback before this returns: the first step waits for the loop. */
	session_later(s, 0, start_first);
	*ret = s;
	return 0;
}

void session_cancel(struct session *s, const char *why)
{
	if (!s->finished)
		session_infra(s, "%s", why);
}

void session_free(struct session *s)
{
	int i;

	if (!s)
		return;
	film_free(s->film);
	shell_free(s->shell);
	machine_free(s->machine);
	watch_free(s->watch);
	if (!s->finished)
		file_remove_tree(s->scratch_dir, NULL);
	for (i = 0; i < N_TIMERS; i++)
		sd_event_source_disable_unref(s->timers[i]);
	sd_event_source_disable_unref(s->finish);
	facts_fini(&s->facts_a);
	facts_fini(&s->facts_b);
	buf_fini(&s->console);
	free(s->cmdline_a);
	free(s->cmdline_b);
	free(s->payload);
	free(s->dtb_a);
	free(s->dtb_b);
	free(s->command);
	free(s->scratch_dir);
	free(s);
}
