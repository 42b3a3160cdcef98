// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * show.c - `kjump show`: runs, one run, one job.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/log.h"
#include "cmd/options.h"
#include "cmd/paths.h"
#include "cmd/results.h"
#include "cmd/show_job.h"
#include "report/json.h"
#include "report/table.h"
#include "report/text.h"

static const char usage_text[] =
	"usage: kjump show [RUN [JOB[.ATTEMPT]]] [OPTION...]\n"
	"\n"
	"All runs; the matrix of one; one job with its stages, proofs, commands and\n"
	"last lines. RUN is 'last' or the beginning of an id, as is JOB.\n"
	"\n"
	"  --results DIR     where kjump.db is (default: results)\n"
	"  --json            one JSON document on stdout\n";

struct show_opts {
	const char *run, *job; /* or NULL */
	const char *results;
	bool json;
};

static const char *state_of(const struct json *run)
{
	if (json_get_bool(run, "running", false))
		return "running";
	return json_get_str(run, "finished") ? "done" : "stopped";
}

/* "22 of 24 userspace-reached, 1 hang" */
static void add_result(struct table *t, const struct json *run)
{
	const struct json *outcomes = json_get(run, "outcomes");
	struct buf text __free_buf = BUF_INIT;
	int i;

	buf_addf(&text, "%" PRId64 " of %" PRId64 " userspace-reached",
		 json_get_int(outcomes, outcome_name(OUTCOME_USERSPACE_REACHED), 0),
		 json_get_int(run, "planned", 0));
	for (i = OUTCOME_USERSPACE_REACHED + 1; i < N_OUTCOMES; i++) {
		const char *name = outcome_name((enum outcome)i);

		if (json_get_int(outcomes, name, 0))
			buf_addf(&text, ", %" PRId64 " %s", json_get_int(outcomes, name, 0), name);
	}
	table_cell(t, json_get_int(run, "surprises", 0) ? TONE_BAD : TONE_PLAIN, text.data);
}

static int print_runs(const struct json *runs, struct err *e)
{
	struct table *t __free(table) = table_new(4);
	struct style style = style_of(stdout);
	struct buf text __free_buf = BUF_INIT;
	size_t i;

	table_cell(t, TONE_TITLE, "run");
	table_cell(t, TONE_TITLE, "case");
	table_cell(t, TONE_TITLE, "state");
	table_cell(t, TONE_TITLE, "result");
	for (i = 0; i < json_len(runs); i++) {
		const struct json *run = json_at(runs, i);

		table_cell(t, TONE_PLAIN, json_get_str(run, "id"));
		table_cell(t, TONE_PLAIN, json_get_str(run, "case"));
		table_cell(t, TONE_PLAIN, state_of(run));
		add_result(t, run);
	}
	table_add(t, &style, 0, &text);
	return text_write(stdout, &text, e);
}

/* @runs is *taken*. */
static int show_runs(const struct show_opts *o, struct json *runs, struct err *e)
{
	struct json *doc __free(json) = json_new_object();

	json_set(doc, "runs", runs);
	if (o->json)
		return json_write(stdout, doc, e);
	if (json_len(runs))
		return print_runs(runs, e);
	printf("no runs in '%s' yet\n", o->results);
	return 0;
}

static int show_job(const struct show_opts *o, struct store *s, const char *run, struct err *e)
{
	struct job_choice choice __cleanup(job_choice_fini) = {0};
	struct run_rows *rows __free(run_rows) = NULL;
	struct json *doc __free(json) = json_new_object();
	struct json *attempts = json_new_array();
	struct style style = style_of(stdout);
	struct buf text __free_buf = BUF_INIT;
	size_t i, n = 0;
	int rc;

	json_set(doc, "attempts", attempts);
	rc = run_rows_load(s, run, &rows, e);
	if (!rc)
		rc = job_choose(rows, o->job, &choice, e);
	if (rc)
		return rc;
	json_set_str(doc, "run", run);
	for (i = 0; i < rows->n; i++) {
		if (!job_is_chosen(&choice, &rows->rows[i]))
			continue;
		n++;
		if (o->json) {
			json_push(attempts, show_attempt_json(&rows->rows[i], o->results));
			continue;
		}
		buf_adds(&text, text.len ? "\n" : "");
		show_attempt_text(&rows->rows[i], o->results, &style, &text);
	}
	if (!n)
		return err_set(e, ENOENT, "job %s has no attempt %u", choice.job, choice.attempt);
	return o->json ? json_write(stdout, doc, e) : text_write(stdout, &text, e);
}

static int show_all(const struct show_opts *o, struct err *e)
{
	struct store *s __free(store) = NULL;
	struct json *runs = NULL;
	int rc;

	if (!results_exist(o->results))
		return show_runs(o, json_new_array(), e);
	rc = store_open(o->results, &s, e);
	if (!rc)
		rc = store_list_runs(s, &runs, e);
	return rc ? rc : show_runs(o, runs, e);
}

static int show(const struct show_opts *o, struct err *e)
{
	struct store *s __free(store) = NULL;
	char *run __free(str) = NULL;
	int rc;

	if (!o->run)
		return show_all(o, e);
	rc = results_open_run(o->results, o->run, &s, &run, e);
	if (rc)
		return rc;
	if (o->job)
		return show_job(o, s, run, e);
	return o->json ? report_json_run(s, run, stdout, e) : report_text_run(s, run, stdout, e);
}

int cmd_show(int argc, char **argv)
{
	struct paths *paths __free(paths) = NULL;
	struct err e __free_err = ERR_INIT;
	struct show_opts o = {0};
	const struct option_spec specs[] = {
		{"results", &o.results, NULL},
		{"json", NULL, &o.json},
		{NULL, NULL, NULL},
	};
	const char *args[2];
	enum exit_status status;
	int rc = 0;

	if (!options_read(argc, argv, specs, usage_text, args, 2, &status))
		return status;
	o.run = args[0];
	o.job = args[1];
	if (!o.results) {
		rc = paths_find(&paths, &e);
		o.results = rc ? NULL : paths->results;
	}
	if (!rc)
		rc = show(&o, &e);
	if (rc)
		log_error("%s", err_msg(&e));
	return results_status(rc);
}
