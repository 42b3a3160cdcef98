/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attempt.h - one attempt end to end: session -> evidence and judge -> verdict.
 *
 * The only place where the machine's side and the judge's side meet: every
 * event of the session goes to disk first, then to the judge.
 */
#ifndef KJUMP_CMD_ATTEMPT_H
#define KJUMP_CMD_ATTEMPT_H

#include "judge/judge.h"
#include "run/session.h"

struct attempt;

struct attempt_opts {
	const struct job *job;
	unsigned int number; /* from 1 */
	const struct boot_files *a, *b;
	const char *evidence_dir; /* must not exist */
	const char *scratch_dir;
	const struct rule_set *rules;
	double time_factor;
	sd_event *loop;
	void (*stage)(enum stage stage, void *arg); /* it got further */
	/* Exactly once, from the loop; free the attempt in it or later. */
	void (*done)(struct attempt *a, void *arg);
	void *arg;
};

int attempt_start(const struct attempt_opts *opts, struct attempt **ret, struct err *e);
/* Ends it as infra-error with @why; done follows. */
void attempt_cancel(struct attempt *a, const char *why);
/* After done: the verdict, *returned*, once. */
struct verdict *attempt_verdict(struct attempt *a);
/* After done: 0, or the error that stopped evidence from being kept (-ENOSPC). */
int attempt_evidence_error(const struct attempt *a);
void attempt_free(struct attempt *a);

#endif
