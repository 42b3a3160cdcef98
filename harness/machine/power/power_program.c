// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/power/power_program.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/process.h"
#include "machine/last_words.h"

#define PATIENCE_US 30000000ULL

struct power_program {
	struct power power;
	sd_event *loop;
	struct power_program_opts opts;
	bool busy, was_set, on, getting, timed_out;
	struct process process;
	struct process_watch *watch;
	struct last_words output;
	sd_event_source *timer;
};

static struct power_program *to_program(struct power *p)
{
	return container_of(p, struct power_program, power);
}

char **power_program_argv(const char *const *argv)
{
	char **copy = NULL;
	size_t n = 0;

	for (; *argv; argv++)
		*array_push(copy, n) = xstrdup(*argv);
	*array_push(copy, n) = NULL;
	return copy;
}

char **power_program_read(const struct yaml_node *list, const char *what, struct diag *diag)
{
	char **argv = NULL;
	size_t n = 0, i;

	for (i = 0; i < yaml_len(list); i++) {
		const char *text = yaml_text(diag, yaml_item(list, i), what);

		if (text)
			*array_push(argv, n) = xstrdup(text);
	}
	if (n)
		*array_push(argv, n) = NULL;
	return argv;
}

void power_program_free_argv(char **argv)
{
	size_t i;

	for (i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}

static void stop(struct power_program *p)
{
	process_unwatch(steal_ptr(p->watch));
	process_stop(&p->process, 0);
	p->timer = sd_event_source_disable_unref(p->timer);
	p->busy = false;
}

static int run(struct power_program *p, bool getting, struct err *e);

static void on_success(struct power_program *p)
{
	enum power_state state = POWER_UNKNOWN;
	struct err e __free_err = ERR_INIT;

	if (!p->getting && p->opts.get) {
		if (run(p, true, &e))
			p->power.events.failed(err_msg(&e), p->power.events.arg);
		return;
	}
	if (p->getting)
		state = p->opts.parse(p->output.text.data, p->opts.arg);
	if (p->was_set && state != POWER_UNKNOWN && (state == POWER_ON) != p->on)
		p->power.events.failed(p->on ? "it was switched on and says that it is off"
					     : "it was switched off and says that it is on",
				       p->power.events.arg);
	else
		p->power.events.settled(state, p->power.events.arg);
}

static void on_ended(int status, void *arg)
{
	struct power_program *p = arg;
	char **argv = p->getting ? p->opts.get : p->on ? p->opts.on : p->opts.off;
	char *text __free(str) = NULL;

	last_words_read(&p->output);
	stop(p);
	if (!p->timed_out && WIFEXITED(status) && !WEXITSTATUS(status)) {
		on_success(p);
		return;
	}
	text = last_words_explain(&p->output, argv[0], status, p->timed_out,
				  p->timed_out ? "no end in 30 s" : NULL, NULL);
	p->power.events.failed(text, p->power.events.arg);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct power_program *p = userdata;

	p->timed_out = true;
	process_signal(&p->process, SIGKILL);
	return 0;
}

static int run(struct power_program *p, bool getting, struct err *e)
{
	char **argv = getting ? p->opts.get : p->on ? p->opts.on : p->opts.off;
	struct process_opts opts = {.argv = (const char *const *)argv, .stdin_fd = -1};
	int out __free(fd) = -1;
	int rc;

	last_words_close(&p->output);
	rc = last_words_open(&p->output, p->loop, &out, e);
	if (rc)
		return rc;
	opts.stdout_fd = opts.stderr_fd = out;
	p->getting = getting;
	p->timed_out = false;
	rc = process_start(&p->process, &opts, e);
	if (!rc)
		rc = process_watch(&p->process, p->loop, on_ended, p, &p->watch, e);
	if (!rc)
		rc = sd_event_add_time_relative(p->loop, &p->timer, CLOCK_MONOTONIC, PATIENCE_US,
						1000, on_timer, p);
	if (rc < 0) {
		stop(p);
		return rc;
	}
	p->busy = true;
	return 0;
}

static int power_program_set(struct power *power, bool on, struct err *e)
{
	struct power_program *p = to_program(power);

	if (p->busy)
		return err_set(e, EBUSY, "it is being switched already");
	p->was_set = true;
	p->on = on;
	return run(p, false, e);
}

static int on_unknown(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct power_program *p = userdata;

	stop(p);
	p->power.events.settled(POWER_UNKNOWN, p->power.events.arg);
	return 0;
}

static int power_program_get(struct power *power, struct err *e)
{
	struct power_program *p = to_program(power);
	int rc;

	if (p->busy)
		return err_set(e, EBUSY, "it is being switched already");
	p->was_set = false;
	if (p->opts.get)
		return run(p, true, e);
	rc = sd_event_add_time_relative(p->loop, &p->timer, CLOCK_MONOTONIC, 0, 1000, on_unknown,
					p);
	if (rc < 0)
		return err_errno(e, -rc, "cannot make a timer");
	p->busy = true;
	return 0;
}

static void power_program_free(struct power *power)
{
	struct power_program *p = to_program(power);

	stop(p);
	last_words_close(&p->output);
	power_program_free_argv(p->opts.on);
	power_program_free_argv(p->opts.off);
	power_program_free_argv(p->opts.get);
	free(p->opts.arg);
	free(p);
}

static const struct power_ops power_program_ops = {
	.set = power_program_set, .get = power_program_get, .free = power_program_free};

struct power *power_program_new(sd_event *loop, const struct power_program_opts *opts,
				const struct power_events *events)
{
	struct power_program *p;

	xnew(p);
	p->power.ops = &power_program_ops;
	p->power.events = *events;
	p->loop = loop;
	p->opts = *opts;
	p->process = (struct process)PROCESS_INIT;
	p->output = (struct last_words)LAST_WORDS_INIT;
	return &p->power;
}
