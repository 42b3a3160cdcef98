// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/rows.h"

#include <string.h>

#include "base/alloc.h"

/* Every string of a row, to copy and to free. */
static const size_t row_strings[] = {
	offsetof(struct attempt_row, run),
	offsetof(struct attempt_row, job),
	offsetof(struct attempt_row, title),
	offsetof(struct attempt_row, from),
	offsetof(struct attempt_row, to),
	offsetof(struct attempt_row, kind),
	offsetof(struct attempt_row, dt),
	offsetof(struct attempt_row, from_kernel),
	offsetof(struct attempt_row, to_kernel),
	offsetof(struct attempt_row, machine),
	offsetof(struct attempt_row, board),
	offsetof(struct attempt_row, cpu),
	offsetof(struct attempt_row, lpa2),
	offsetof(struct attempt_row, signature),
	offsetof(struct attempt_row, detail),
	offsetof(struct attempt_row, last_lines),
	offsetof(struct attempt_row, rules_version),
	offsetof(struct attempt_row, evidence_dir),
	offsetof(struct attempt_row, consequences),
	offsetof(struct attempt_row, degradations),
};

static const char **string_at(struct attempt_row *row, size_t i)
{
	return (const char **)((char *)row + row_strings[i]);
}

static int copy_row(const struct attempt_row *row, void *arg)
{
	struct run_rows *r = arg;
	struct attempt_row *copy = array_push(r->rows, r->n);
	size_t i;

	*copy = *row;
	for (i = 0; i < ARRAY_SIZE(row_strings); i++)
		*string_at(copy, i) = xstrdup_null(*string_at(copy, i));
	return 0;
}

/* What of several attempts is worth a look first; an infra-error proves nothing. */
static int badness(enum outcome o)
{
	switch (o) {
	case OUTCOME_USERSPACE_REACHED:
		return 0;
	case OUTCOME_INFRA_ERROR:
		return 1;
	case OUTCOME_DEGRADED:
		return 2;
	case OUTCOME_FIRST_PIXEL:
		return 3;
	case OUTCOME_RESET:
		return 4;
	case OUTCOME_LOAD_FAILED:
		return 5;
	case OUTCOME_HANG:
		return 6;
	case OUTCOME_PANIC:
		return 7;
	case OUTCOME_WRONG_TARGET:
		return 8;
	}
	return 9;
}

static int compare_ms(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t userspace_ms(const struct attempt_row *row)
{
	return row->userspace_ms;
}

static int64_t pixel_ms(const struct attempt_row *row)
{
	return row->first_pixel_ms;
}

static int64_t median_ms(const struct attempt_row *rows, size_t n,
			 int64_t (*time_of)(const struct attempt_row *row))
{
	int64_t *times = xcalloc(n, sizeof(*times)), median = -1;
	size_t i, k = 0;

	for (i = 0; i < n; i++) {
		if (rows[i].done && time_of(&rows[i]) >= 0)
			times[k++] = time_of(&rows[i]);
	}
	qsort(times, k, sizeof(*times), compare_ms);
	if (k)
		median = (times[(k - 1) / 2] + times[k / 2]) / 2;
	free(times);
	return median;
}

static struct job_sum sum_up(const struct attempt_row *rows, size_t n)
{
	struct job_sum sum = {
		.first = rows,
		.planned = n,
		.median_ms = median_ms(rows, n, userspace_ms),
		.pixel_ms = median_ms(rows, n, pixel_ms),
	};
	size_t i;

	for (i = 0; i < n; i++) {
		if (!rows[i].done)
			continue;
		if (!sum.done++ || badness(rows[i].outcome) > badness(sum.worst)) {
			sum.worst = rows[i].outcome;
			sum.stage = rows[i].stage;
		}
		sum.reached += rows[i].outcome == OUTCOME_USERSPACE_REACHED;
	}
	return sum;
}

static void sum_jobs(struct run_rows *r)
{
	size_t i, n;

	for (i = 0; i < r->n; i += n) {
		for (n = 1; i + n < r->n && !strcmp(r->rows[i].job, r->rows[i + n].job); n++)
			;
		*array_push(r->jobs, r->n_jobs) = sum_up(r->rows + i, n);
	}
}

int run_rows_load(struct store *s, const char *run, struct run_rows **ret, struct err *e)
{
	struct run_rows *r __free(run_rows) = NULL;
	int rc;

	*ret = NULL;
	xnew(r);
	rc = store_run_json(s, run, &r->facts, e);
	if (!rc)
		rc = store_each_attempt(s, run, NULL, copy_row, r, e);
	if (rc)
		return rc;
	sum_jobs(r);
	*ret = steal_ptr(r);
	return 0;
}

void run_rows_free(struct run_rows *r)
{
	size_t i, k;

	if (!r)
		return;
	for (i = 0; i < r->n; i++) {
		for (k = 0; k < ARRAY_SIZE(row_strings); k++)
			free((char *)*string_at(&r->rows[i], k));
	}
	free(r->rows);
	free(r->jobs);
	json_free(r->facts);
	free(r);
}

bool row_failed(const struct attempt_row *row)
{
	return row->done && row->outcome != OUTCOME_USERSPACE_REACHED;
}

/* What groups attempts that failed alike: "" if nothing is known. */
static const char *reason_of(const struct attempt_row *row)
{
	if (row->signature)
		return row->signature;
	return row->degradations ? row->degradations : "";
}

bool rows_alike(const struct attempt_row *a, const struct attempt_row *b)
{
	return a->outcome == b->outcome && !strcmp(reason_of(a), reason_of(b));
}

/* Signatures may begin with the outcome themselves. */
void row_heading(const struct attempt_row *row, struct buf *out)
{
	const char *outcome = outcome_name(row->outcome), *reason = reason_of(row);

	if (strncmp(reason, outcome, strlen(outcome)))
		buf_addf(out, "%s%s", outcome, *reason ? ": " : "");
	buf_add(out, reason, strcspn(reason, "\n"));
}

void job_sum_text(const struct job_sum *j, struct buf *out)
{
	bool reached = j->worst == OUTCOME_USERSPACE_REACHED;

	if (!j->done) {
		buf_addch(out, '-');
		return;
	}
	if (j->planned > 1)
		buf_addf(out, "%zu/%zu ", j->reached, j->done);
	if (!reached)
		buf_adds(out, outcome_name(j->worst));
	if (j->median_ms >= 0 && (reached || j->worst == OUTCOME_DEGRADED)) {
		buf_adds(out, reached ? "" : " ");
		style_add_ms(out, j->median_ms);
	}
	if (j->pixel_ms >= 0) {
		buf_adds(out, ", pixel ");
		style_add_ms(out, j->pixel_ms);
	}
	if (j->done < j->planned)
		buf_addf(out, ", %zu left", j->planned - j->done);
}

enum tone job_sum_tone(const struct job_sum *j)
{
	return j->done ? style_outcome_tone(j->worst) : TONE_DIM;
}

void job_sum_kernels(const struct job_sum *j, struct buf *out)
{
	buf_adds(out, j->first->from_kernel);
	if (strcmp(j->first->from_kernel, j->first->to_kernel))
		buf_addf(out, " -> %s", j->first->to_kernel);
}

void job_sum_kind(const struct job_sum *j, struct buf *out)
{
	buf_adds(out, j->first->kind);
	if (!strcmp(j->first->dt, "live") && strcmp(j->first->kind, "pivot"))
		buf_adds(out, ", live dt");
	if (j->first->kexec_checks)
		buf_adds(out, ", checks");
}
