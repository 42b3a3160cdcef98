// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/failures.h"

#include <string.h>

#include "base/alloc.h"

/* The line after which one report cannot be the continuation of the other. */
#define CONTINUATION_LINES 40

void failures_fini(struct failures *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		failure_fini(&f->list[i]);
}

void failures_forget(struct failures *f, bool (*keep)(const struct failure *failure))
{
	size_t i, kept = 0;

	for (i = 0; i < f->n; i++) {
		if (keep(&f->list[i]))
			f->list[kept++] = f->list[i];
		else
			failure_fini(&f->list[i]);
	}
	f->n = kept;
	f->open = false;
	f->phase++;
}

void failures_survive(struct failures *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		f->list[i].survived = true;
}

void failures_survive_line(struct failures *f, uint64_t line)
{
	struct failure *last = f->n ? &f->list[f->n - 1] : NULL;
	bool was = last && last->survived;
	bool report = f->open && last->rule->means != RULE_LOAD_FAILED &&
		      line - last->line <= FAILURE_LINES;

	failures_survive(f);
	if (report)
		last->survived = was;
}

/*
 * An oops announces itself twice, the fault and then "Internal error"; a panic
 * stands in its own call trace.
 */
static bool is_continuation(const struct failures *f, const struct rule *rule, uint64_t line)
{
	const struct failure *last = f->n ? &f->list[f->n - 1] : NULL;

	if (!f->open || rule->means != last->rule->means || last->rule == rule ||
	    line - last->line > CONTINUATION_LINES)
		return false;
	return rule->means == RULE_PANIC || (rule->means == RULE_FAULT && !last->pc);
}

static bool is_same(const struct failure *f, const struct rule *rule, const struct place *at,
		    const struct symptom_match *m)
{
	size_t i;

	if (f->rule != rule)
		return false;
	/* The whole match may hold a CPU or an address: the groups tell. */
	for (i = 1; i < SYMPTOM_GROUPS; i++) {
		size_t len = m->end[i] - m->start[i];
		const char *group = f->groups[i] ? f->groups[i] : "";

		if (strlen(group) != len || memcmp(group, at->text + m->start[i], len))
			return false;
	}
	return true;
}

static bool is_known(const struct failures *f, const struct rule *rule, const struct place *at,
		     const struct symptom_match *m)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (is_same(&f->list[i], rule, at, m))
			return true;
	return false;
}

/* Of the lines that announce one oops the rule that stands first in the file titles it. */
static void retitle(struct failure *f, const struct rule *rule, const struct place *at,
		    const struct symptom_match *m)
{
	struct failure better, old = *f;

	if (rule > f->rule)
		return;
	failure_init(&better, rule, at->text, m);
	*f = better;
	f->frame = steal_ptr(old.frame);
	f->lock = steal_ptr(old.lock);
	f->esr = old.esr;
	f->has_esr = old.has_esr;
	f->in_load = old.in_load;
	f->t_ns = old.t_ns;
	f->line = old.line;
	f->raw_start = old.raw_start;
	f->raw_end = old.raw_end;
	failure_fini(&old);
}

struct failure *failures_record(struct failures *f, const struct rule *rule, const struct place *at,
				const struct symptom_match *m)
{
	struct failure *new;

	if (is_continuation(f, rule, at->line)) {
		retitle(&f->list[f->n - 1], rule, at, m);
		return NULL;
	}
	if (is_known(f, rule, at, m)) {
		/* The same report over again, or the same line by another way. */
		f->open = f->open && f->list[f->n - 1].rule == rule;
		return NULL;
	}
	f->open = false;
	if (f->n == MAX_FAILURES) {
		if (rule->means != RULE_PANIC || f->list[f->n - 1].rule->means == RULE_PANIC)
			return NULL;
		failure_fini(&f->list[--f->n]);
	}
	new = &f->list[f->n++];
	failure_init(new, rule, at->text, m);
	new->t_ns = at->t_ns;
	new->line = at->line;
	new->raw_start = at->raw_start;
	new->raw_end = at->raw_end;
	f->open = true;
	return new;
}

void failures_detail(struct failures *f, enum detail d, const struct place *at,
		     const struct symptom_match *m)
{
	struct failure *last = f->n ? &f->list[f->n - 1] : NULL;

	if (!f->open)
		return;
	if (at->line - last->line > FAILURE_LINES) {
		f->open = false;
		return;
	}
	failure_detail(last, d, at->text, m);
	if (last->ended)
		f->open = false;
}
