// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/judge.h"

#include <string.h>

#include "base/alloc.h"
#include "judge/clean.h"
#include "judge/last_lines.h"
#include "judge/outcome.h"
#include "judge/symptom.h"

#define GUESS_LINES    200

/* A guest may print the same line for ever; what it says is known by then. */
#define ENOUGH_MATCHES 64

/* What is kept for each rule. */
struct rule_state {
	enum stage stage;	     /* of a STAGE rule */
	unsigned int phase, matches; /* in that phase of the history */
};

struct judge {
	const struct rule_set *rules;
	struct rule_state *state; /* by rule */
	struct symptom_set *symptoms;
	struct cleaner cleaner;
	struct history history;
	uint64_t t_ns;
	uint64_t lines; /* in the batches before */
	struct last_lines last;
};

int judge_new(const struct rule_set *rules, const struct judge_opts *opts, struct judge **ret,
	      struct err *e)
{
	struct judge *j;
	size_t i;
	int rc;

	xnew(j);
	j->rules = rules;
	j->state = xcalloc(rules->n, sizeof(*j->state));
	for (i = 0; i < rules->n; i++)
		if (rules->rules[i].means == RULE_STAGE)
			stage_parse(rules->rules[i].value, &j->state[i].stage);
	clean_init(&j->cleaner);
	history_init(&j->history, opts);
	rc = symptom_set_get(rules, &j->symptoms, e);
	if (rc) {
		judge_free(j);
		return rc;
	}
	*ret = j;
	return 0;
}

void judge_free(struct judge *j)
{
	if (!j)
		return;
	symptom_set_put(j->symptoms);
	clean_fini(&j->cleaner);
	history_fini(&j->history);
	free(j->state);
	free(j);
}

/* One line and the patterns that may match it. */
struct candidate {
	const struct line *line;
	const struct symptom_hit *hits;
	size_t n;
};

/*
 * In a joined line only what starts in the first part counts: the rest is
 * found when the second part's own turn comes.
 */
static bool confirm(struct judge *j, const struct candidate *c, size_t i, struct symptom_match *m)
{
	const struct line *l = c->line;

	return symptom_confirm(j->symptoms, c->hits[i].pattern, j->cleaner.text + l->start, l->len,
			       m) &&
	       (l->use != LINE_JOINED || m->start[0] < l->boundary);
}

static bool means(const struct judge *j, const struct candidate *c, size_t i, enum rule_means what)
{
	uint32_t pattern = c->hits[i].pattern;

	return pattern < j->rules->n && j->rules->rules[pattern].means == what;
}

static bool is_harmless(struct judge *j, const struct candidate *c)
{
	struct symptom_match m;
	size_t i;

	for (i = 0; i < c->n; i++)
		if (means(j, c, i, RULE_HARMLESS) && confirm(j, c, i, &m))
			return true;
	return false;
}

static bool is_wanted(const struct judge *j, uint32_t pattern)
{
	const struct rule *rule = &j->rules->rules[pattern];
	const struct rule_state *r = &j->state[pattern];

	if (!history_wants(&j->history, rule, r->stage))
		return false;
	return rule->means == RULE_STAGE || rule->means == RULE_RESET ||
	       r->phase != j->history.failures.phase || r->matches < ENOUGH_MATCHES;
}

static void count_match(struct judge *j, uint32_t pattern)
{
	struct rule_state *r = &j->state[pattern];

	if (r->phase != j->history.failures.phase)
		r->matches = 0;
	r->phase = j->history.failures.phase;
	r->matches++;
}

static bool is_rule(const struct judge *j, const struct candidate *c, size_t i)
{
	return i < c->n && c->hits[i].pattern < j->rules->n;
}

/* Nothing on the line could matter: no need to look closer. */
static bool is_idle(const struct judge *j, const struct candidate *c)
{
	size_t i;

	for (i = 0; is_rule(j, c, i); i++)
		if (!means(j, c, i, RULE_HARMLESS) && is_wanted(j, c->hits[i].pattern))
			return false;
	return true;
}

static struct place place_of(const struct judge *j, const struct line *l)
{
	return (struct place){
		.text = j->cleaner.text + l->start,
		.raw_start = l->raw_start,
		.raw_end = l->raw_end,
		.line = j->history.line,
		.t_ns = j->t_ns,
	};
}

/* Every stage counts; of the other rules the first in the file. */
static void match_rules(struct judge *j, const struct candidate *c)
{
	const struct place at = place_of(j, c->line);
	struct symptom_match m;
	bool decided = false;
	size_t i;

	for (i = 0; is_rule(j, c, i); i++) {
		uint32_t pattern = c->hits[i].pattern;
		const struct rule *rule = &j->rules->rules[pattern];

		if (rule->means == RULE_STAGE ? !is_wanted(j, pattern) : decided)
			continue;
		if (!confirm(j, c, i, &m))
			continue;
		decided |= rule->means != RULE_STAGE;
		if (!is_wanted(j, pattern))
			continue;
		count_match(j, pattern);
		history_symptom(&j->history, rule, j->state[pattern].stage, &at, &m);
	}
}

static void match_details(struct judge *j, const struct candidate *c)
{
	const struct place at = place_of(j, c->line);
	struct symptom_match m;
	size_t i;

	if (!j->history.failures.open)
		return;
	for (i = 0; i < c->n; i++)
		if (c->hits[i].pattern >= j->rules->n && confirm(j, c, i, &m))
			failures_detail(&j->history.failures,
					(enum detail)(c->hits[i].pattern - j->rules->n), &at, &m);
}

/*
 * A log that begins in the middle of a boot: the kernel's stamps say that it
 * runs, and nothing says how far it is.
 */
static void guess_stage(struct judge *j, const struct line *l)
{
	if (symptom_is_stamped(j->symptoms, j->cleaner.text + l->start, l->len))
		stages_line(&j->history.stages, STAGE_KERNEL_INIT, j->t_ns);
}

/*
 * What a terminal wrapped goes on in the middle of a sentence. A second part
 * that has a prefix of its own is a line of its own.
 */
static bool unwrap(struct judge *j, struct line *l)
{
	const char *second = j->cleaner.text + l->start + l->boundary;

	if (l->use != LINE_JOINED ||
	    !symptom_is_prefixed(j->symptoms, second, l->len - l->boundary))
		return false;
	l->use = LINE_UNWRAPPED;
	l->len = l->boundary;
	l->raw_end = l->raw_boundary;
	return true;
}

static void judge_line(struct judge *j, const struct candidate *c)
{
	struct line alone = *c->line;
	const struct candidate first = {&alone, c->hits, c->n};

	if (c->line->use == LINE_SHOW)
		return;
	if (c->n && unwrap(j, &alone))
		c = &first;
	j->history.line = j->lines + c->line->number;
	if (!is_idle(j, c) && !is_harmless(j, c))
		match_rules(j, c);
	match_details(j, c);
}

static bool is_guessing(const struct judge *j)
{
	return j->history.opts.bare && !j->history.stages.any && !j->history.certain &&
	       j->history.line < GUESS_LINES;
}

/* Judges the lines that have hits; all of them while there is no stage yet. */
static void judge_lines(struct judge *j)
{
	size_t n_hits, first = 0, i;
	const struct symptom_hit *hits = symptom_scan(j->symptoms, &j->cleaner, &n_hits);

	for (i = 0; i < j->cleaner.n_lines;) {
		struct candidate c = {&j->cleaner.lines[i], hits + first, 0};

		while (first < n_hits && hits[first].line == i) {
			first++;
			c.n++;
		}
		judge_line(j, &c);
		if (is_guessing(j))
			guess_stage(j, c.line);
		if (is_guessing(j))
			i++;
		else
			i = first < n_hits ? hits[first].line : j->cleaner.n_lines;
	}
}

/* Judges the complete lines and forgets them. */
static void judge_batch(struct judge *j)
{
	j->history.t_ns = j->t_ns;
	j->history.line = j->lines;
	if (j->cleaner.n_lines && history_listens(&j->history))
		judge_lines(j);
	last_lines_add(&j->last, &j->cleaner);
	j->lines += j->cleaner.number;
	clean_next(&j->cleaner);
}

static void feed_console(struct judge *j, const char *data, size_t len)
{
	while (len) {
		size_t n = clean_feed(&j->cleaner, data, len);

		data += n;
		len -= n;
		if (j->cleaner.n_lines || !n)
			judge_batch(j);
	}
}

/*
 * What a rule makes of the first line that it knows in a load error, else the
 * first line as it is; *returned*, NULL if there is nothing to read.
 */
static char *reason_title(struct judge *j, const char *text)
{
	struct cleaner lines;
	const struct symptom_hit *hits;
	char *title = NULL;
	size_t i, n;

	clean_init(&lines);
	clean_feed(&lines, text, strlen(text));
	clean_finish(&lines);
	hits = symptom_scan(j->symptoms, &lines, &n);
	for (i = 0; i < n && !title; i++) {
		const struct line *l = &lines.lines[hits[i].line];
		struct symptom_match m;
		struct failure f;

		if (hits[i].pattern >= j->rules->n ||
		    j->rules->rules[hits[i].pattern].means != RULE_LOAD_FAILED ||
		    !symptom_confirm(j->symptoms, hits[i].pattern, lines.text + l->start, l->len,
				     &m))
			continue;
		failure_init(&f, &j->rules->rules[hits[i].pattern], lines.text + l->start, &m);
		title = failure_title(&f);
		failure_fini(&f);
	}
	if (!title && lines.n_lines)
		title = xstrndup(lines.text + lines.lines[0].start, lines.lines[0].len);
	clean_fini(&lines);
	return title;
}

void judge_feed(struct judge *j, const struct event *ev)
{
	char *title __free(str) = NULL;

	j->t_ns = ev->t_ns;
	if (ev->type == EVENT_CONSOLE) {
		feed_console(j, ev->bytes.data, ev->bytes.len);
		return;
	}
	/* A line that waits to be joined is of the time before this event. */
	clean_release(&j->cleaner);
	judge_batch(j);
	if (ev->type == EVENT_GAP)
		clean_skip(&j->cleaner, ev->gap.bytes);
	if (ev->type == EVENT_MARK && ev->mark.mark == MARK_LOAD_FAILED && ev->mark.text)
		title = reason_title(j, ev->mark.text);
	history_event(&j->history, ev, title);
}

bool judge_settled(const struct judge *j)
{
	return history_settled(&j->history);
}

enum stage judge_stage(const struct judge *j)
{
	return j->history.stages.now;
}

static uint64_t since(uint64_t start, uint64_t t)
{
	return start == TIME_UNSEEN || t == TIME_UNSEEN || t < start ? TIME_UNSEEN : t - start;
}

struct verdict *judge_finish(struct judge *j)
{
	const struct stages *s = &j->history.stages;
	struct verdict *v;

	clean_finish(&j->cleaner);
	judge_batch(j);
	xnew(v);
	outcome_decide(&j->history, v);
	memcpy(v->stage_ns, s->seen_ns, sizeof(v->stage_ns));
	v->load_ns = s->load_ns;
	v->jump_ns = s->jump_ns;
	v->first_pixel_ns = since(s->jump_ns, s->seen_ns[STAGE_FIRST_PIXEL]);
	screen_hand_over(&j->history.screen, v->milestones);
	v->userspace_ns = since(s->jump_ns, s->seen_ns[STAGE_USERSPACE_B]);
	v->rules_version = xstrdup_null(j->rules->version);
	v->last_lines = last_lines_text(&j->last);
	return v;
}
