// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/machine_fake.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "machine/console/console_fake.h"
#include "machine/display/display_fake.h"
#include "machine/driver.h"

#define TYPED_MAX 65536

enum state { STATE_OFF, STATE_STARTING, STATE_UP, STATE_STOPPING };

struct machine_fake {
	struct machine machine;
	sd_event *loop;
	const struct machine_fake_script *script;
	enum state state;
	size_t next_step;
	struct buf typed;	/* not yet matched by a step */
	sd_event_source *timer; /* of the step under way */
	sd_event_source *defer;
	/* What machine_fake_do() asked for and the loop has not come round to; texts are owned. */
	struct machine_fake_step *tasks;
	size_t n_tasks;
	unsigned int busy; /* callbacks under way; free waits for them */
	bool dead;
};

static const struct machine_ops machine_fake_ops;
static const struct machine_fake_script silent_script;

/* A setting of the process, like an environment variable; not a machine's state. */
static const struct machine_fake_script *default_script = &silent_script;

static struct machine_fake *to_fake(struct machine *m)
{
	return container_of(m, struct machine_fake, machine);
}

static void drop_tasks(struct machine_fake *f)
{
	size_t i;

	for (i = 0; i < f->n_tasks; i++)
		free((char *)f->tasks[i].text);
	free(f->tasks);
	f->tasks = NULL;
	f->n_tasks = 0;
}

static void destroy(struct machine_fake *f)
{
	drop_tasks(f);
	buf_fini(&f->typed);
	free(f);
}

static void enter(struct machine_fake *f)
{
	f->busy++;
}

static void leave(struct machine_fake *f)
{
	if (!--f->busy && f->dead)
		destroy(f);
}

static void wake(struct machine_fake *f)
{
	sd_event_source_set_enabled(f->defer, SD_EVENT_ONESHOT);
}

static void go_down(struct machine_fake *f, enum machine_down why, const char *text)
{
	f->state = STATE_OFF;
	f->timer = sd_event_source_disable_unref(f->timer);
	buf_reset(&f->typed);
	drop_tasks(f);
	if (f->machine.display)
		display_fake_unplug(f->machine.display, "the machine is off");
	console_fake_flush(f->machine.console);
	if (!f->dead)
		f->machine.events.down(why, text, f->machine.events.arg);
}

static void flood(struct machine_fake *f, const char *text, size_t n_bytes)
{
	size_t len = strlen(text), left = n_bytes;

	while (len && left && !f->dead) {
		size_t n = left < len ? left : len;

		console_fake_feed(f->machine.console, text, n);
		console_fake_flush(f->machine.console);
		left -= n;
	}
}

/* Called from the loop, between enter() and leave(). */
static void perform(struct machine_fake *f, const struct machine_fake_step *s)
{
	const struct machine_events *ev = &f->machine.events;
	const char *text = s->text ? s->text : "";

	switch (s->action) {
	case FAKE_PRINT:
		console_fake_feed(f->machine.console, text, strlen(text));
		break;
	case FAKE_FLOOD:
		flood(f, text, s->n_bytes);
		break;
	case FAKE_NOTICE:
		if (ev->notice)
			ev->notice(text, ev->arg);
		break;
	case FAKE_RESET:
		console_fake_flush(f->machine.console);
		if (!f->dead && ev->reset)
			ev->reset(ev->arg);
		break;
	case FAKE_HANGUP:
		console_fake_hangup(f->machine.console);
		break;
	case FAKE_BACK:
		console_fake_back(f->machine.console);
		break;
	case FAKE_GUEST_RESET:
		go_down(f, MACHINE_DOWN_GUEST_RESET, NULL);
		break;
	case FAKE_OFF:
		go_down(f, MACHINE_DOWN_GUEST_OFF, NULL);
		break;
	case FAKE_DIE:
		go_down(f, MACHINE_DOWN_DIED, text);
		break;
	case FAKE_SHOW:
		if (f->machine.display)
			display_fake_show_colour(f->machine.display, s->rgb);
		break;
	case FAKE_UNPLUG:
		if (f->machine.display)
			display_fake_unplug(f->machine.display, text);
		break;
	}
}

static int on_step_time(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct machine_fake *f = userdata;
	const struct machine_fake_step *s = &f->script->steps[f->next_step++];

	f->timer = sd_event_source_disable_unref(f->timer);
	enter(f);
	wake(f);
	perform(f, s);
	leave(f);
	return 0;
}

/* Begins the next step if what it waits for was typed. */
static void advance(struct machine_fake *f)
{
	const struct machine_fake_step *s;
	const char *at;

	if (f->state != STATE_UP || f->timer || f->next_step >= f->script->n_steps)
		return;
	s = &f->script->steps[f->next_step];
	if (s->expect) {
		at = memmem(f->typed.data, f->typed.len, s->expect, strlen(s->expect));
		if (!at)
			return;
		buf_consume(&f->typed, (size_t)(at - f->typed.data) + strlen(s->expect));
	}
	sd_event_add_time_relative(f->loop, &f->timer, CLOCK_MONOTONIC, s->delay_ms * 1000, 0,
				   on_step_time, f);
}

static void finish_start(struct machine_fake *f)
{
	switch (f->script->start) {
	case FAKE_START_UP:
		f->state = STATE_UP;
		f->machine.events.up(f->machine.events.arg);
		break;
	case FAKE_START_NEVER:
		break;
	case FAKE_START_DIES:
		go_down(f, MACHINE_DOWN_DIED, "the fake machine is told to die");
		break;
	}
}

/* One thing a round, so that a callback of it can change what follows. */
static int on_defer(sd_event_source *source, void *userdata)
{
	struct machine_fake *f = userdata;

	enter(f);
	if (f->state == STATE_STOPPING) {
		go_down(f, MACHINE_DOWN_ASKED, NULL);
	} else if (f->state == STATE_STARTING) {
		finish_start(f);
	} else if (f->state == STATE_UP && f->n_tasks) {
		struct machine_fake_step task = f->tasks[0];

		memmove(f->tasks, f->tasks + 1, --f->n_tasks * sizeof(task));
		perform(f, &task);
		free((char *)task.text);
	}
	if (!f->dead) {
		advance(f);
		if (f->n_tasks || f->state == STATE_STOPPING)
			wake(f);
	}
	leave(f);
	return 0;
}

void machine_fake_do(struct machine *m, const struct machine_fake_step *step)
{
	struct machine_fake *f = to_fake(m);
	struct machine_fake_step *task = array_push(f->tasks, f->n_tasks);

	*task = *step;
	task->text = xstrdup_null(step->text);
	wake(f);
}

static void on_write(const void *data, size_t len, void *arg)
{
	struct machine_fake *f = arg;

	if (f->state != STATE_UP)
		return;
	if (f->script->echo)
		console_fake_feed(f->machine.console, data, len);
	buf_add(&f->typed, data, len);
	if (f->typed.len > TYPED_MAX)
		buf_consume(&f->typed, f->typed.len - TYPED_MAX);
	if (f->script->typed)
		f->script->typed(&f->machine, data, len, f->script->arg);
	wake(f);
}

static int machine_fake_start(struct machine *m, const struct machine_boot *boot, struct err *e)
{
	struct machine_fake *f = to_fake(m);

	if (f->state != STATE_OFF)
		return err_set(e, EBUSY, "the machine is running already");
	f->state = STATE_STARTING;
	if (f->script->started)
		f->script->started(m, boot, f->script->arg);
	wake(f);
	return 0;
}

static int machine_fake_stop(struct machine *m, struct err *e)
{
	struct machine_fake *f = to_fake(m);

	if (f->state == STATE_OFF)
		return err_set(e, EINVAL, "the machine is not running");
	if (f->state == STATE_STOPPING)
		return err_set(e, EALREADY, "the machine is being stopped already");
	f->state = STATE_STOPPING;
	wake(f);
	return 0;
}

static void machine_fake_free(struct machine *m)
{
	struct machine_fake *f = to_fake(m);

	f->timer = sd_event_source_disable_unref(f->timer);
	f->defer = sd_event_source_disable_unref(f->defer);
	console_free(steal_ptr(f->machine.console));
	display_free(steal_ptr(f->machine.display));
	f->dead = true;
	if (!f->busy)
		destroy(f);
}

static const struct machine_ops machine_fake_ops = {
	.name = "fake",
	.start = machine_fake_start,
	.stop = machine_fake_stop,
	.free = machine_fake_free,
};

static int machine_fake_new(const struct machine_opts *opts, const struct machine_events *events,
			    const struct console_events *console_events, struct machine **ret,
			    struct err *e)
{
	struct machine_fake *f;
	int rc;

	xnew(f);
	f->machine.ops = &machine_fake_ops;
	f->machine.events = *events;
	f->loop = opts->loop;
	f->script = default_script;
	buf_init(&f->typed);
	rc = console_fake_new(opts->loop, console_events, &f->machine.console, e);
	if (rc) {
		destroy(f);
		return rc;
	}
	console_fake_on_write(f->machine.console, on_write, f);
	rc = sd_event_add_defer(opts->loop, &f->defer, on_defer, f);
	if (rc < 0)
		rc = err_errno(e, -rc, "cannot make the machine");
	else if (opts->display && opts->display_events)
		rc = display_fake_new(opts->loop, opts->display_events, &f->machine.display, e);
	if (rc < 0) {
		machine_fake_free(&f->machine);
		return rc;
	}
	sd_event_source_set_enabled(f->defer, SD_EVENT_OFF);
	*ret = &f->machine;
	return 0;
}

void machine_fake_set_script(struct machine *m, const struct machine_fake_script *script)
{
	struct machine_fake *f = to_fake(m);

	f->script = script ? script : &silent_script;
	f->next_step = 0;
	f->timer = sd_event_source_disable_unref(f->timer);
	wake(f);
}

void machine_fake_set_default_script(const struct machine_fake_script *script)
{
	default_script = script ? script : &silent_script;
}

/*
 * A tree with nothing but its root, in big-endian words. Source: Devicetree
 * Specification 0.4, chapter 5.
 */
/* clang-format off */
static const uint32_t empty_tree[] = {
	0xd00dfeed, 72,	/* magic, total size */
	56, 72, 40,	/* where structure, strings and the reserve map are */
	17, 16, 0,	/* version, compatible with, boot CPU */
	0, 16,		/* bytes of strings and of structure */
	0, 0, 0, 0,	/* end of the reserve map */
	1, 0, 2, 9,	/* begin node "", end node, end */
};
/* clang-format on */

static int fake_base_dtb(const struct machine_opts *opts, struct buf *out, struct err *e)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(empty_tree); i++) {
		uint32_t word = htobe32(empty_tree[i]);

		buf_add(out, &word, sizeof(word));
	}
	return 0;
}

static int fake_preflight(const struct machine_spec *spec, uint64_t *ret_bytes, struct err *e)
{
	return 0;
}

const struct machine_driver machine_driver_fake = {
	.board = "fake",
	.new = machine_fake_new,
	.base_dtb = fake_base_dtb,
	.preflight = fake_preflight,
};
