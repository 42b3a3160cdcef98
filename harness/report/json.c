// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/json.h"

#include <string.h>

#include "report/text.h"

static struct json *machine_of(const struct attempt_row *row)
{
	struct json *m = json_new_object();

	json_set_str(m, "name", row->machine);
	json_set_str(m, "board", row->board);
	json_set_int(m, "ram", (int64_t)row->ram_bytes);
	json_set_str(m, "cpu", row->cpu);
	json_set_str(m, "lpa2", row->lpa2);
	json_set_bool(m, "el2", row->el2);
	return m;
}

static void set_plan(struct json *o, const struct attempt_row *row)
{
	json_set_str(o, "job", row->job);
	json_set_int(o, "attempt", row->attempt);
	json_set_str(o, "title", row->title);
	json_set_str(o, "from", row->from);
	json_set_str(o, "to", row->to);
	json_set_str(o, "kind", row->kind);
	json_set_str(o, "dt", row->dt);
	json_set_bool(o, "kexec_checks", row->kexec_checks);
	json_set_str(o, "kernel", row->to_kernel);
	json_set_str(o, "from_kernel", row->from_kernel);
	json_set(o, "machine", machine_of(row));
}

static void set_ms(struct json *o, const char *key, int64_t ms)
{
	json_set(o, key, ms < 0 ? NULL : json_new_int(ms));
}

static struct json *stages_of(const struct attempt_row *row)
{
	struct json *stages = json_new_object();
	int i;

	for (i = 0; i < N_STAGES; i++) {
		if (row->stage_ms[i] >= 0)
			json_set_int(stages, stage_name((enum stage)i), row->stage_ms[i]);
	}
	return stages;
}

static struct json *milestones_of(const struct attempt_row *row)
{
	struct json *all = json_new_object();
	int i;

	for (i = 0; i < N_MILESTONES; i++) {
		const struct milestone_row *m = &row->milestones[i];
		struct json *one;

		if (m->us < 0)
			continue;
		one = json_new_object();
		json_set_int(one, "ms", m->us / 1000);
		json_set_int(one, "uncertainty_us", m->uncertainty_us);
		json_set_str(one, "picture", *m->picture ? m->picture : NULL);
		json_set(all, milestone_name((enum milestone)i), one);
	}
	return all;
}

static struct json *metrics_of(const struct attempt_row *row)
{
	struct json *metrics = json_new_object(), *m;

	if (row->load_ms < 0 || strcmp(row->kind, "kexec"))
		return metrics;
	m = json_new_object();
	json_set_int(m, "value", row->load_ms);
	json_set_str(m, "unit", "ms");
	json_set_str(m, "method", "wall");
	json_set(metrics, "kexec.load_ms", m);
	return metrics;
}

static struct json *lines_of(const char *text)
{
	struct json *lines = json_new_array();
	const char *p = text, *end;

	for (; p && *p; p = *end ? end + 1 : end) {
		end = strchrnul(p, '\n');
		json_push(lines, json_new_bytes(p, (size_t)(end - p)));
	}
	return lines;
}

struct json *json_attempt(const struct attempt_row *row)
{
	struct json *o = json_new_object();

	set_plan(o, row);
	if (!row->done)
		return o;
	json_set_str(o, "outcome", outcome_name(row->outcome));
	json_set_bool(o, "expected", row->expected);
	json_set_str(o, "stage", stage_name(row->stage));
	json_set_str(o, "proof", proof_name(row->proof));
	json_set_str(o, "signature", row->signature);
	json_set_str(o, "detail", row->detail);
	json_set(o, "consequences", lines_of(row->consequences));
	json_set(o, "degradations", lines_of(row->degradations));
	json_set_bool(o, "truncated", row->truncated);
	json_set(o, "stages", stages_of(row));
	json_set(o, "milestones", milestones_of(row));
	set_ms(o, "jump_ms", row->jump_ms);
	set_ms(o, "first_pixel_ms", row->first_pixel_ms);
	set_ms(o, "userspace_ms", row->userspace_ms);
	json_set(o, "metrics", metrics_of(row));
	json_set(o, "last_lines", lines_of(row->last_lines));
	json_set_str(o, "rules_version", row->rules_version);
	json_set_str(o, "evidence", row->evidence_dir);
	return o;
}

struct lists {
	struct json *attempts, *planned;
};

static int add_row(const struct attempt_row *row, void *arg)
{
	struct lists *l = arg;

	json_push(row->done ? l->attempts : l->planned, json_attempt(row));
	return 0;
}

int json_write(FILE *out, const struct json *doc, struct err *e)
{
	struct buf text __free_buf = BUF_INIT;

	json_print(doc, true, &text);
	buf_addch(&text, '\n');
	return text_write(out, &text, e);
}

int report_json_run(struct store *s, const char *run, FILE *out, struct err *e)
{
	struct json *doc __free(json) = json_new_object();
	struct lists l = {json_new_array(), json_new_array()};
	struct json *facts = NULL;
	int rc;

	json_set(doc, "attempts", l.attempts);
	json_set(doc, "planned", l.planned);
	rc = store_run_json(s, run, &facts, e);
	json_set(doc, "run", facts);
	if (!rc)
		rc = store_each_attempt(s, run, NULL, add_row, &l, e);
	return rc ? rc : json_write(out, doc, e);
}
