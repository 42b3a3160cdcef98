/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h - a whole run out of the store, and its jobs summed up.
 */
#ifndef KJUMP_REPORT_ROWS_H
#define KJUMP_REPORT_ROWS_H

#include "base/buf.h"
#include "report/style.h"
#include "store/store.h"

/* The attempts of one job. */
struct job_sum {
	const struct attempt_row *first; /* borrowed; for the axes */
	size_t planned, done, reached;
	enum outcome worst; /* of those done */
	enum stage stage;   /* that the worst one reached */
	int64_t median_ms;  /* jump to userspace, of those that got there; -1 */
	int64_t pixel_ms;   /* jump to the first pixel, in the same way */
};

struct run_rows {
	struct json *facts;	  /* as store_run_json() */
	struct attempt_row *rows; /* with strings of their own */
	size_t n;
	struct job_sum *jobs; /* in plan order */
	size_t n_jobs;
};

/* *ret is *returned*. -ENOENT: there is no such run. */
int run_rows_load(struct store *s, const char *run, struct run_rows **ret, struct err *e);
void run_rows_free(struct run_rows *r);
DEFINE_FREE(run_rows, struct run_rows *, run_rows_free(_v));

/* It ended, and not simply in userspace. */
bool row_failed(const struct attempt_row *row);
/* With the same outcome, of the same reason. */
bool rows_alike(const struct attempt_row *a, const struct attempt_row *b);
/* Appends "hang: SIGNATURE", what attempts that failed alike have in common. */
void row_heading(const struct attempt_row *row, struct buf *out);

/* Appends "1.9s", "hang", "2/3 hang", "3/3 1.9s", "1.9s, pixel 0.8s", "-" (not run yet). */
void job_sum_text(const struct job_sum *j, struct buf *out);
enum tone job_sum_tone(const struct job_sum *j);

/* Appends "K" or "A -> B". */
void job_sum_kernels(const struct job_sum *j, struct buf *out);
/* Appends "kexec", "kexec, live dt", ... */
void job_sum_kind(const struct job_sum *j, struct buf *out);

#endif
