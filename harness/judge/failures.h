/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * failures.h - the failures of one phase of an attempt, oldest first.
 *
 * Each kind is kept once; the list is bounded, and what ends an attempt always
 * finds room. The newest one takes in the lines of its report while it is open.
 */
#ifndef KJUMP_JUDGE_FAILURES_H
#define KJUMP_JUDGE_FAILURES_H

#include "judge/failure.h"

#define MAX_FAILURES 40

struct failures {
	struct failure list[MAX_FAILURES];
	size_t n;
	bool open;	    /* the newest one still takes in lines */
	unsigned int phase; /* counts how often the list began anew */
};

void failures_fini(struct failures *f);

/* Where a line stands, and when. */
struct place {
	const char *text;
	uint64_t raw_start, raw_end;
	uint64_t line, t_ns;
};

/*
 * A line that @rule matches: a new failure, one that is known, or more of the
 * newest one. Returns the new one, else NULL.
 */
struct failure *failures_record(struct failures *f, const struct rule *rule, const struct place *at,
				const struct symptom_match *m);

/* A line of a report. */
void failures_detail(struct failures *f, enum detail d, const struct place *at,
		     const struct symptom_match *m);

/* Keeps only those that @keep says; another phase begins. */
void failures_forget(struct failures *f, bool (*keep)(const struct failure *failure));

/* The system went on after all of them. */
void failures_survive(struct failures *f);

/*
 * The line numbered @line says that the system went on. While a report is open
 * it may be one of the report's own ("Comm: (udev-worker)"): no sign of life.
 */
void failures_survive_line(struct failures *f, uint64_t line);

#endif
