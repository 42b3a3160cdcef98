/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show_job.h - one job in full: what the store knows and what its evidence says.
 */
#ifndef KJUMP_CMD_SHOW_JOB_H
#define KJUMP_CMD_SHOW_JOB_H

#include "report/rows.h"

/* Which attempts are meant: "3f9a" (a prefix of one job's id) or "3f9a.2". */
struct job_choice {
	char *job;	      /* whole id */
	unsigned int attempt; /* 0: all */
};

/* -ENOENT; -ENOTUNIQ with the candidates. job_choice_fini() in any case. */
int job_choose(const struct run_rows *r, const char *text, struct job_choice *ret, struct err *e);
void job_choice_fini(struct job_choice *c);
bool job_is_chosen(const struct job_choice *c, const struct attempt_row *row);

/* Where the evidence of an attempt is now, *returned*; NULL if there is none. */
char *evidence_of(const struct attempt_row *row, const char *results);

/* @results: where runs/RUN/JOB.N is, if the evidence is no longer where it was written. */
void show_attempt_text(const struct attempt_row *row, const char *results,
		       const struct style *style, struct buf *out);
/* As report/json.h, with "events": all but console bytes and input; *returned*. */
struct json *show_attempt_json(const struct attempt_row *row, const char *results);

#endif
