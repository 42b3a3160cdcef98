/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * judge.h - from evidence to verdict; touches no machine, no clock, no file.
 *
 * The same judge runs live (fed by the session) and later (fed by a replay):
 * the verdict depends only on the sequence of events, never on how console
 * bytes were cut into chunks. Memory is bounded whatever the console prints.
 */
#ifndef KJUMP_JUDGE_JUDGE_H
#define KJUMP_JUDGE_JUDGE_H

#include "evidence/event.h"
#include "judge/verdict.h"
#include "plan/job.h"
#include "plan/rule.h"

struct judge;

/* What is being attempted; a bare console log has no kind of jump. */
struct judge_opts {
	bool bare;	     /* only console bytes, nothing known about the script */
	enum jump_kind kind; /* unless bare */
	bool dark;	     /* B must leave the display dark */
};

/* @rules are borrowed and must outlive the judge. */
int judge_new(const struct rule_set *rules, const struct judge_opts *opts, struct judge **ret,
	      struct err *e);
void judge_free(struct judge *j);
DEFINE_FREE(judge, struct judge *, judge_free(_v));

void judge_feed(struct judge *j, const struct event *ev);

/*
 * True as soon as nothing that may still come can change the outcome for the
 * better (a panic, a reset, ...). The session then waits a short grace for the
 * rest of the report and ends the attempt.
 */
bool judge_settled(const struct judge *j);

/* The stage reached so far, for a live view and for choosing a limit. */
enum stage judge_stage(const struct judge *j);

/* Closes the books; *returned*. The judge takes no event after this. */
struct verdict *judge_finish(struct judge *j);

#endif
