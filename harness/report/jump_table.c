// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jump_table.c - one row a jump, for a run that is a list of jumps.
 */
#include "report/text.h"

#include <string.h>

#include "base/alloc.h"
#include "report/table.h"

/* Columns that are the same in all rows say it once, above. */
struct varies {
	bool machine, kernel;
	bool pixel; /* somewhere a display lit */
};

static struct varies what_varies(const struct run_rows *r)
{
	const struct attempt_row *a = r->jobs[0].first;
	struct varies v = {0};
	size_t i;

	for (i = 0; i < r->n_jobs; i++) {
		const struct attempt_row *b = r->jobs[i].first;

		v.pixel = v.pixel || r->jobs[i].pixel_ms >= 0;
		v.machine = v.machine || strcmp(a->machine, b->machine);
		v.kernel = v.kernel || strcmp(a->from_kernel, b->from_kernel) ||
			   strcmp(a->to_kernel, b->to_kernel);
	}
	return v;
}

static void add_common(const struct job_sum *j, struct varies v, const struct style *s,
		       struct buf *out)
{
	struct buf text __free_buf = BUF_INIT;

	if (!v.machine)
		buf_adds(&text, j->first->machine);
	if (!v.machine && !v.kernel)
		buf_adds(&text, ", ");
	if (!v.kernel)
		job_sum_kernels(j, &text);
	if (!text.len)
		return;
	style_add(out, s, TONE_TITLE, text.data);
	buf_addch(out, '\n');
}

static void add_head(struct table *t, struct varies v)
{
	table_cell(t, TONE_TITLE, "jump");
	table_cell(t, TONE_TITLE, "");
	if (v.machine)
		table_cell(t, TONE_TITLE, "machine");
	if (v.kernel)
		table_cell(t, TONE_TITLE, "kernel");
	table_cell(t, TONE_TITLE, "device tree");
	table_cell(t, TONE_TITLE, "result");
	table_cell(t, TONE_TITLE, "time");
	if (v.pixel)
		table_cell(t, TONE_TITLE, "first pixel");
}

/* "userspace-reached", "hang at entry", "2/3 hang at entry", "not run" */
static void add_result(struct table *t, const struct job_sum *j)
{
	struct buf text __free_buf = BUF_INIT;

	if (!j->done) {
		table_cell(t, TONE_DIM, "not run");
		table_cell(t, TONE_DIM, "");
		return;
	}
	if (j->planned > 1)
		buf_addf(&text, "%zu/%zu ", j->reached, j->done);
	buf_adds(&text, outcome_name(j->worst));
	if (style_outcome_tone(j->worst) == TONE_BAD)
		buf_addf(&text, " at %s", stage_name(j->stage));
	table_cell(t, job_sum_tone(j), text.data);
	buf_reset(&text);
	if (j->median_ms >= 0)
		style_add_ms(&text, j->median_ms);
	table_cell(t, job_sum_tone(j), text.data);
}

static void add_row(struct table *t, const struct job_sum *j, struct varies v)
{
	char *jump __free(str) = xasprintf("%s -> %s", j->first->from, j->first->to);
	struct buf text __free_buf = BUF_INIT;

	table_cell(t, TONE_PLAIN, jump);
	buf_addf(&text, "%s%s", j->first->kind, j->first->kexec_checks ? ", checks" : "");
	table_cell(t, TONE_PLAIN, text.data);
	if (v.machine)
		table_cell(t, TONE_PLAIN, j->first->machine);
	if (v.kernel) {
		buf_reset(&text);
		job_sum_kernels(j, &text);
		table_cell(t, TONE_PLAIN, text.data);
	}
	table_cell(t, TONE_PLAIN, j->first->dt);
	add_result(t, j);
	if (v.pixel) {
		buf_reset(&text);
		if (j->pixel_ms >= 0)
			style_add_ms(&text, j->pixel_ms);
		table_cell(t, job_sum_tone(j), text.data);
	}
}

void text_jump_table(const struct run_rows *r, const struct style *s, struct buf *out)
{
	struct table *t __free(table) = NULL;
	struct varies v;
	size_t i;

	if (!r->n_jobs)
		return;
	v = what_varies(r);
	add_common(&r->jobs[0], v, s, out);
	t = table_new(5 + v.machine + v.kernel + v.pixel);
	add_head(t, v);
	for (i = 0; i < r->n_jobs; i++)
		add_row(t, &r->jobs[i], v);
	table_add(t, s, 2, out);
}
