// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/attempt.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/log.h"
#include "evidence/evidence.h"

struct attempt {
	struct attempt_opts opts;
	char *evidence_dir;
	struct session *session;
	struct evidence_writer *evidence;
	struct judge *judge;
	struct verdict *verdict;
	enum stage stage;
	int evidence_error;
};

static void on_event(const struct event *ev, void *arg)
{
	struct attempt *a = arg;
	struct err e __free_err = ERR_INIT;
	enum stage stage;

	if (!a->evidence_error) {
		a->evidence_error = evidence_write(a->evidence, ev, &e);
		if (a->evidence_error)
			log_error("%s: %s", a->evidence_dir, err_msg(&e));
	}
	judge_feed(a->judge, ev);
	stage = judge_stage(a->judge);
	if (stage != a->stage) {
		a->stage = stage;
		if (a->opts.stage)
			a->opts.stage(stage, a->opts.arg);
	}
}

static int on_keep(const char *name, const void *data, size_t len, void *arg)
{
	struct attempt *a = arg;
	struct err e __free_err = ERR_INIT;
	int rc = a->evidence_error;

	if (rc)
		return rc;
	rc = evidence_add_file(a->evidence, name, data, len, &e);
	if (rc) {
		a->evidence_error = rc;
		log_error("%s: %s", a->evidence_dir, err_msg(&e));
	}
	return rc;
}

static bool is_settled(void *arg)
{
	struct attempt *a = arg;

	/* What cannot be written down cannot be believed later: stop at once. */
	return a->evidence_error || judge_settled(a->judge);
}

static void on_done(void *arg)
{
	struct attempt *a = arg;
	struct err e __free_err = ERR_INIT;
	int rc;

	if (a->evidence_error) {
		const struct event ev = {
			.type = EVENT_INFRA,
			.infra = {"the evidence could not be written: no space left or I/O error"},
		};

		judge_feed(a->judge, &ev);
	}
	rc = evidence_close(steal_ptr(a->evidence), &e);
	if (rc && !a->evidence_error) {
		a->evidence_error = rc;
		log_error("%s: %s", a->evidence_dir, err_msg(&e));
	}
	a->verdict = judge_finish(a->judge);
	a->opts.done(a, a->opts.arg);
}

int attempt_start(const struct attempt_opts *opts, struct attempt **ret, struct err *e)
{
	const struct evidence_limits limits = EVIDENCE_LIMITS_DEFAULT;
	const struct judge_opts judge_opts = {
		.kind = opts->job->kind,
		.dark = opts->job->to->display == DISPLAY_DARK,
	};
	struct attempt *a;
	struct session_setup setup = {
		.job = opts->job,
		.attempt = opts->number,
		.a = opts->a,
		.b = opts->b,
		.scratch_dir = opts->scratch_dir,
		.time_factor = opts->time_factor,
		.loop = opts->loop,
		.emit = on_event,
		.keep = on_keep,
		.settled = is_settled,
		.done = on_done,
	};
	int rc;

	xnew(a);
	a->opts = *opts;
	a->evidence_dir = xstrdup(opts->evidence_dir);
	setup.arg = a;
	rc = judge_new(opts->rules, &judge_opts, &a->judge, e);
	if (!rc)
		rc = evidence_create(opts->evidence_dir, &limits, &a->evidence, e);
	if (!rc)
		rc = session_start(&setup, &a->session, e);
	if (rc) {
		attempt_free(a);
		return rc;
	}
	*ret = a;
	return 0;
}

void attempt_cancel(struct attempt *a, const char *why)
{
	session_cancel(a->session, why);
}

struct verdict *attempt_verdict(struct attempt *a)
{
	return steal_ptr(a->verdict);
}

int attempt_evidence_error(const struct attempt *a)
{
	return a->evidence_error;
}

void attempt_free(struct attempt *a)
{
	if (!a)
		return;
	session_free(a->session);
	if (a->evidence)
		evidence_close(a->evidence, NULL);
	judge_free(a->judge);
	verdict_free(a->verdict);
	free(a->evidence_dir);
	free(a);
}
