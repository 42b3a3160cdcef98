// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/rejudge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "cmd/expect.h"
#include "cmd/results.h"
#include "cmd/show_job.h"
#include "evidence/evidence.h"
#include "judge/judge.h"
#include "report/json.h"
#include "report/text.h"

struct rejudging {
	const struct rejudge_opts *opts;
	struct store *store;
	struct json *changes; /* of those that changed */
	struct buf text;      /* the same for a person */
	size_t judged, without_evidence, surprises, infra;
};

static int feed(const struct event *ev, void *arg)
{
	judge_feed(arg, ev);
	return 0;
}

static int judge_evidence(const struct rejudging *r, const struct attempt_row *row, const char *dir,
			  struct verdict **ret, struct err *e)
{
	struct judge_opts opts = {.bare = false, .dark = row->dark};
	struct judge *j __free(judge) = NULL;
	size_t skipped;
	int rc;

	rc = jump_kind_parse(row->kind, &opts.kind);
	if (rc)
		return err_set(e, EINVAL, "'%s' is no kind of jump", row->kind);
	rc = judge_new(r->opts->rules, &opts, &j, e);
	if (!rc)
		rc = evidence_replay(dir, feed, j, &skipped, e);
	if (!rc)
		*ret = judge_finish(j);
	return rc;
}

static bool is_same(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static bool has_changed(const struct attempt_row *row, const struct verdict *v)
{
	return row->outcome != v->outcome || row->stage != v->stage || row->proof != v->proof ||
	       !is_same(row->signature, v->signature);
}

static struct json *side_json(enum outcome outcome, enum stage stage, const char *signature,
			      const char *rules_version)
{
	struct json *j = json_new_object();

	json_set_str(j, "outcome", outcome_name(outcome));
	json_set_str(j, "stage", stage_name(stage));
	json_set_str(j, "signature", signature);
	json_set_str(j, "rules_version", rules_version);
	return j;
}

static void add_side(struct buf *out, const char *what, enum outcome outcome, enum stage stage,
		     const char *signature)
{
	buf_addf(out, "  %s %s in %s%s", what, outcome_name(outcome), stage_name(stage),
		 signature ? ", " : "");
	buf_adds(out, signature ? signature : "");
	buf_addch(out, '\n');
}

static void note_change(struct rejudging *r, const struct attempt_row *row, const struct verdict *v)
{
	struct json *j = json_new_object();

	json_set_str(j, "job", row->job);
	json_set_int(j, "attempt", row->attempt);
	json_set_str(j, "title", row->title);
	json_set(j, "was", side_json(row->outcome, row->stage, row->signature, row->rules_version));
	json_set(j, "is", side_json(v->outcome, v->stage, v->signature, v->rules_version));
	json_push(r->changes, j);
	buf_addf(&r->text, "%s.%u  %s\n", row->job, row->attempt, row->title);
	add_side(&r->text, "was", row->outcome, row->stage, row->signature);
	add_side(&r->text, "is ", v->outcome, v->stage, v->signature);
}

static void count(struct rejudging *r, enum outcome outcome, bool expected)
{
	r->judged++;
	if (outcome == OUTCOME_INFRA_ERROR)
		r->infra++;
	else if (!expected)
		r->surprises++;
}

static int rejudge_one(struct rejudging *r, const char *run, const struct attempt_row *row,
		       struct err *e)
{
	char *dir __free(str) = evidence_of(row, r->opts->results);
	struct verdict *v __free(verdict) = NULL;
	bool expected;
	int rc;

	if (!dir) {
		r->without_evidence++;
		return 0;
	}
	rc = judge_evidence(r, row, dir, &v, e);
	if (rc)
		return rc;
	expected = is_expected(r->opts->known, row->job, row->title, v);
	count(r, v->outcome, expected);
	if (has_changed(row, v))
		note_change(r, row, v);
	return store_put_attempt(r->store, run, row->job, row->attempt, expected, v, dir, e);
}

static int rejudge_all(struct rejudging *r, const char *run, struct err *e)
{
	struct run_rows *rows __free(run_rows) = NULL;
	size_t i;
	int rc = run_rows_load(r->store, run, &rows, e);

	for (i = 0; !rc && i < rows->n; i++)
		if (rows->rows[i].done)
			rc = rejudge_one(r, run, &rows->rows[i], e);
	return rc;
}

/* The summary goes below the changes; @run is the whole id. */
static int print(struct rejudging *r, const char *run, struct err *e)
{
	struct json *doc __free(json) = NULL;
	size_t changed = json_len(r->changes);

	if (!r->opts->json) {
		buf_addf(&r->text, "%s: %zu attempts judged again by rules %s, %zu changed", run,
			 r->judged, r->opts->rules->version, changed);
		if (r->without_evidence)
			buf_addf(&r->text, ", %zu left as they are for want of evidence",
				 r->without_evidence);
		buf_addch(&r->text, '\n');
		return text_write(stdout, &r->text, e);
	}
	doc = json_new_object();
	json_set_str(doc, "run", run);
	json_set_str(doc, "rules_version", r->opts->rules->version);
	json_set_int(doc, "judged", (int64_t)r->judged);
	json_set_int(doc, "without_evidence", (int64_t)r->without_evidence);
	json_set(doc, "changes", json_ref(r->changes));
	return json_write(stdout, doc, e);
}

static enum exit_status status_of(const struct rejudging *r, int rc)
{
	if (rc)
		return results_status(rc);
	if (r->surprises)
		return EXIT_SURPRISE;
	return r->infra ? EXIT_INFRA : EXIT_EXPECTED;
}

enum exit_status rejudge(const struct rejudge_opts *opts, struct err *e)
{
	struct rejudging r = {.opts = opts, .changes = json_new_array(), .text = BUF_INIT};
	char *run __free(str) = NULL;
	int rc = results_open_run(opts->results, opts->run, &r.store, &run, e);

	if (!rc)
		rc = store_claim_run(r.store, run, e);
	if (!rc)
		rc = rejudge_all(&r, run, e);
	if (!rc)
		rc = print(&r, run, e);
	store_close(r.store);
	json_free(r.changes);
	buf_fini(&r.text);
	return status_of(&r, rc);
}
