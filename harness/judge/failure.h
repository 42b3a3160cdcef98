/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * failure.h - one failure that the console told of, and its title.
 *
 * It starts with the line that a rule matched and takes in the lines of the
 * report that follow (program counter, call trace, syndrome, end marker).
 */
#ifndef KJUMP_JUDGE_FAILURE_H
#define KJUMP_JUDGE_FAILURE_H

#include "judge/detail.h"
#include "judge/symptom.h"

/* A report is over after so many lines, however it looks. */
#define FAILURE_LINES 150

struct failure {
	const struct rule *rule; /* borrowed */
	char *groups[SYMPTOM_GROUPS];
	char *pc, *frame, *lock; /* NULL while unseen */
	uint64_t esr;
	bool has_esr;
	bool ended;    /* its last line was seen */
	bool survived; /* the system got further after it */
	bool in_load;  /* it happened while B was being loaded */
	uint64_t t_ns;
	uint64_t line; /* counted from the log's start */
	uint64_t raw_start, raw_end;
};

void failure_init(struct failure *f, const struct rule *rule, const char *text,
		  const struct symptom_match *m);
void failure_fini(struct failure *f);

/* Takes in one line of its report. */
void failure_detail(struct failure *f, enum detail d, const char *text,
		    const struct symptom_match *m);

/* Where it happened, without a compiler's suffix; *returned*, NULL if unknown. */
char *failure_function(const struct failure *f);

/* The title; *returned*. */
char *failure_title(const struct failure *f);

#endif
