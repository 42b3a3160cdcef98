/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symptom.h - which patterns a batch of lines matches.
 *
 * One pass of Hyperscan over all lines and all patterns says which may match;
 * PCRE2 confirms on the line itself and finds the groups. The patterns are
 * those of the rules, in their order, then those of detail.h.
 *
 * Compiling takes a good part of a second, so judges of the same rules share
 * one set, which stays for the next one; it is for one thread.
 */
#ifndef KJUMP_JUDGE_SYMPTOM_H
#define KJUMP_JUDGE_SYMPTOM_H

#include "base/err.h"
#include "judge/clean.h"
#include "plan/rule.h"

#define SYMPTOM_GROUPS 10

struct symptom_set;

/* A pattern that may match a line. */
struct symptom_hit {
	uint32_t line, pattern;
};

/* Offsets into the line; unset groups have start == end. */
struct symptom_match {
	uint32_t start[SYMPTOM_GROUPS], end[SYMPTOM_GROUPS];
};

/* -EINVAL names the rule by file:line and says what is wrong with its pattern. */
int symptom_set_get(const struct rule_set *rules, struct symptom_set **ret, struct err *e);
void symptom_set_put(struct symptom_set *s);

/*
 * Hits ordered by line, then pattern, each once; *borrowed* until the next call.
 */
const struct symptom_hit *symptom_scan(struct symptom_set *s, const struct cleaner *batch,
				       size_t *ret_n);

/* Does @pattern match @line really? What log tools put before it is not looked at. */
bool symptom_confirm(struct symptom_set *s, uint32_t pattern, const char *line, size_t len,
		     struct symptom_match *ret);

/* Does the kernel's time stamp stand before the text? */
bool symptom_is_stamped(struct symptom_set *s, const char *line, size_t len);
/* Does anything that a log tool or the kernel puts before a line's text? */
bool symptom_is_prefixed(struct symptom_set *s, const char *line, size_t len);

#endif
