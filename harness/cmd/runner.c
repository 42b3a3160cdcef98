// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/runner.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "cmd/attempt.h"
#include "cmd/expect.h"
#include "run/sched.h"

/* What a machine asks of this host; found once a machine. */
struct host_need {
	const struct machine_spec *machine;
	uint64_t bytes;
	char *refusal; /* why the host cannot hold it, or NULL */
};

struct runner {
	const struct runner_opts *opts;
	struct runner_result result;
	sd_event *loop;
	sd_event_source *tick;
	sd_event_source *signals[3];
	struct slots slots;
	struct sched *sched;
	struct host_need *needs;
	size_t n_needs;
};

/* What an attempt's callbacks need; lives as long as the attempt. */
struct running {
	struct runner *runner;
	struct sched_item *item;
	struct attempt *attempt;
	char *evidence_dir;
};

static const struct host_need *find_host(struct runner *r, const struct machine_spec *machine)
{
	struct err e __free_err = ERR_INIT;
	struct host_need *need;
	size_t i;

	for (i = 0; i < r->n_needs; i++) {
		if (r->needs[i].machine == machine)
			return &r->needs[i];
	}
	need = array_push(r->needs, r->n_needs);
	need->machine = machine;
	if (machine_preflight(machine, &need->bytes, &e))
		need->refusal = xstrdup(err_msg(&e));
	return need;
}

static void cancel_one(struct sched_item *item, void *arg)
{
	struct running *run = item->data;

	if (run)
		attempt_cancel(run->attempt, arg);
}

/* Ends what runs and starts nothing more. */
static void stop_all(struct runner *r, char *why)
{
	sched_drop_queue(r->sched);
	sched_each_running(r->sched, cancel_one, why);
}

static void stop_broken(struct runner *r)
{
	if (r->result.broken)
		return;
	r->result.broken = true;
	stop_all(r, (char *)"results can no longer be written");
}

static void keep_verdict(struct runner *r, const struct sched_item *item, const struct verdict *v,
			 const char *evidence_dir)
{
	struct err e __free_err = ERR_INIT;
	bool expected = is_expected(r->opts->known, item->job->id, item->job->title, v);

	if (v->outcome == OUTCOME_INFRA_ERROR)
		r->result.infra++;
	else if (expected)
		r->result.expected++;
	else
		r->result.surprises++;
	live_job_done(r->opts->live, item->slot, v, item->job->title);
	if (store_put_attempt(r->opts->store, r->opts->run_id, item->job->id, item->attempt,
			      expected, v, evidence_dir, &e)) {
		log_error("%s", err_msg(&e));
		stop_broken(r);
	}
}

static void on_stage(enum stage stage, void *arg)
{
	struct running *run = arg;

	live_stage(run->runner->opts->live, run->item->slot, stage);
}

static void on_done(struct attempt *a, void *arg)
{
	struct running *run = arg;
	struct runner *r = run->runner;
	struct verdict *v __free(verdict) = attempt_verdict(a);

	if (attempt_evidence_error(a))
		stop_broken(r);
	/* An attempt that we broke off ourselves says nothing and is done again. */
	if (!r->result.interrupted)
		keep_verdict(r, run->item, v, run->evidence_dir);
	run->item->data = NULL;
	attempt_free(a);
	sched_done(r->sched, run->item);
	free(run->evidence_dir);
	free(run);
}

/* A verdict without a machine: what stood in the way is the whole evidence. */
static int refuse(struct runner *r, struct sched_item *item, const char *why)
{
	const struct judge_opts opts = {.kind = item->job->kind};
	const struct event ev = {.type = EVENT_INFRA, .infra = {why}};
	struct judge *j __free(judge) = NULL;
	struct verdict *v __free(verdict) = NULL;
	struct err e __free_err = ERR_INIT;
	int rc = judge_new(r->opts->rules, &opts, &j, &e);

	if (rc) {
		log_error("%s", err_msg(&e));
		stop_broken(r);
		return rc;
	}
	judge_feed(j, &ev);
	v = judge_finish(j);
	keep_verdict(r, item, v, NULL);
	return -ECANCELED;
}

/* Evidence of an attempt that a killed kjump left half-way is kept, aside. */
static int clear_way(const char *dir, struct err *e)
{
	char *aside __free(str) = xasprintf("%s.interrupted", dir);
	int rc;

	if (!file_exists(dir))
		return 0;
	rc = file_remove_tree(aside, e);
	if (rc)
		return rc;
	return rename(dir, aside) ? err_errno(e, errno, "cannot move '%s' aside", dir) : 0;
}

static int start_item(struct sched_item *item, void *arg)
{
	struct runner *r = arg;
	const struct prepared *ready = r->opts->prepared;
	const char *obstacle = prepared_error(ready, item->job);
	char *name __free(str) = xasprintf("%s.%u", item->job->id, item->attempt);
	char *scratch __free(str) = file_join(r->opts->scratch_dir, name);
	struct err e __free_err = ERR_INIT;
	struct running *run;
	struct attempt_opts opts = {
		.job = item->job,
		.number = item->attempt,
		.scratch_dir = scratch,
		.rules = r->opts->rules,
		.time_factor = r->opts->time_factor,
		.loop = r->loop,
		.stage = on_stage,
		.done = on_done,
	};
	int rc;

	live_job_started(r->opts->live, item->slot, item->job->title);
	if (!obstacle)
		obstacle = find_host(r, item->job->machine)->refusal;
	if (obstacle)
		return refuse(r, item, obstacle);
	opts.a = prepared_a(ready, item->job);
	opts.b = prepared_b(ready, item->job);
	xnew(run);
	run->runner = r;
	run->item = item;
	run->evidence_dir = file_join(r->opts->run_dir, name);
	opts.evidence_dir = run->evidence_dir;
	opts.arg = run;
	rc = clear_way(run->evidence_dir, &e);
	if (!rc)
		rc = attempt_start(&opts, &run->attempt, &e);
	if (!rc) {
		item->data = run;
		return 0;
	}
	free(run->evidence_dir);
	free(run);
	refuse(r, item, err_msg(&e));
	if (rc == -ENOSPC || rc == -EDQUOT || rc == -EROFS)
		stop_broken(r);
	return rc;
}

static void on_idle(void *arg)
{
	struct runner *r = arg;

	sd_event_exit(r->loop, 0);
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *si, void *userdata)
{
	struct runner *r = userdata;

	if (r->result.interrupted)
		return 0;
	r->result.interrupted = true;
	log_warn("SIG%s: ending the attempts under way", sigabbrev_np((int)si->ssi_signo));
	stop_all(r, (char *)"interrupted by a signal");
	return 0;
}

#define TICK_US 250000

static int on_tick(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct runner *r = userdata;

	live_tick(r->opts->live, sched_finished(r->sched), sched_total(r->sched),
		  sched_eta_ns(r->sched, clock_ns()));
	sd_event_source_set_time_relative(source, TICK_US);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static int queue_row(const struct attempt_row *row, void *arg)
{
	struct runner *r = arg;
	const struct plan *plan = r->opts->plan;
	size_t i;

	for (i = 0; !row->done && i < plan->n_jobs; i++) {
		if (!strcmp(plan->jobs[i].id, row->job))
			sched_add(r->sched, &plan->jobs[i], row->attempt,
				  find_host(r, plan->jobs[i].machine)->bytes);
	}
	return 0;
}

/* Half of what is available now: estimates err, and the host has other work. */
static uint64_t memory_budget(void)
{
	long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	struct buf info __free_buf = BUF_INIT;
	unsigned long long kb = 0;
	const char *line;

	if (!file_read("/proc/meminfo", 1 << 16, &info, NULL)) {
		line = strstr(info.data, "MemAvailable:");
		if (line && sscanf(line, "MemAvailable: %llu kB", &kb) == 1)
			return kb * 1024 / 4 * 3;
	}
	return (uint64_t)pages * (uint64_t)size / 2;
}

static int set_up(struct runner *r, struct err *e)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
	struct sched_opts opts = {.slots = &r->slots, .start = start_item, .idle = on_idle};
	size_t i;
	int rc;

	rc = sd_event_new(&r->loop);
	for (i = 0; rc >= 0 && i < ARRAY_SIZE(caught); i++) {
		sigset_t set;

		sigemptyset(&set);
		sigaddset(&set, caught[i]);
		sigprocmask(SIG_BLOCK, &set, NULL);
		rc = sd_event_add_signal(r->loop, &r->signals[i], caught[i], on_signal, r);
	}
	if (rc >= 0)
		rc = sd_event_add_time_relative(r->loop, &r->tick, CLOCK_MONOTONIC, TICK_US, 0,
						on_tick, r);
	if (rc < 0)
		return err_errno(e, -rc, "cannot make an event loop");
	slots_init(&r->slots, r->opts->at_once, memory_budget());
	opts.loop = r->loop;
	opts.arg = r;
	rc = sched_new(&opts, &r->sched, e);
	if (rc)
		return rc;
	return store_each_attempt(r->opts->store, r->opts->run_id, NULL, queue_row, r, e);
}

static void tear_down(struct runner *r)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(r->signals); i++)
		sd_event_source_disable_unref(r->signals[i]);
	sd_event_source_disable_unref(r->tick);
	for (i = 0; i < r->n_needs; i++)
		free(r->needs[i].refusal);
	free(r->needs);
	sched_free(r->sched);
	slots_fini(&r->slots);
	sd_event_unref(r->loop);
}

int runner_run(const struct runner_opts *opts, struct runner_result *ret, struct err *e)
{
	struct runner r = {.opts = opts};
	int rc = set_up(&r, e);

	if (!rc) {
		sched_go(r.sched);
		rc = sd_event_loop(r.loop);
		if (rc < 0)
			rc = err_errno(e, -rc, "the event loop failed");
	}
	tear_down(&r);
	*ret = r.result;
	return rc < 0 ? rc : 0;
}
