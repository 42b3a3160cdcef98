// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * history.c - takes in the facts; what they come to is in outcome.c.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "judge/outcome.h"

/* The line after which one report cannot be the continuation of the other. */
#define CONTINUATION_LINES 40
/* Lines after the deciding one that may still tell what followed from it. */
#define AFTERMATH_LINES	   2000

void history_init(struct history *h, const struct judge_opts *opts)
{
	memset(h, 0, sizeof(*h));
	h->opts = *opts;
	stages_init(&h->stages, opts->bare);
}

void history_fini(struct history *h)
{
	size_t i;

	for (i = 0; i < h->n; i++)
		failure_fini(&h->failures[i]);
	for (i = 0; i < h->n_also_wrong; i++)
		free(h->also_wrong[i]);
	free(h->also_wrong);
	free(h->wrong);
	free(h->cpus);
	free(h->certain_text);
}

/* What a guest may have had a say in, safe to show. */
static char *escaped(const char *text)
{
	struct buf out = BUF_INIT;

	if (!text)
		return NULL;
	text_escape(&out, text, strlen(text));
	return buf_steal(&out);
}

static void decide(struct history *h, enum certain what, const char *text)
{
	if (h->certain)
		return;
	h->certain = what;
	h->certain_stage = h->stages.now;
	h->certain_line = h->line;
	h->certain_text = escaped(text);
}

/* Failures before this point were A's, or of a load that went well. */
static void forget(struct history *h, bool (*keep)(const struct failure *f))
{
	size_t i, kept = 0;

	for (i = 0; i < h->n; i++) {
		if (keep(&h->failures[i]))
			h->failures[kept++] = h->failures[i];
		else
			failure_fini(&h->failures[i]);
	}
	h->n = kept;
	h->open = false;
	h->phase++;
}

static bool keep_none(const struct failure *f)
{
	return false;
}

static bool keep_load(const struct failure *f)
{
	return f->in_load && f->rule->means != RULE_LOAD_FAILED;
}

static void got_further(struct history *h)
{
	size_t i;

	for (i = 0; i < h->n; i++)
		h->failures[i].survived = true;
}

/*
 * A line says that the system got further. While a report is open it may be
 * one of the report's own ("Comm: (udev-worker)"): no sign of life then.
 */
static void line_got_further(struct history *h)
{
	bool was = h->n && h->failures[h->n - 1].survived;
	bool report = h->open && h->failures[h->n - 1].rule->means != RULE_LOAD_FAILED &&
		      h->line - h->failures[h->n - 1].line <= FAILURE_LINES;

	got_further(h);
	if (report && h->stages.now != STAGE_USERSPACE_B)
		h->failures[h->n - 1].survived = was;
}

static void on_mark(struct history *h, enum mark mark, const char *text)
{
	stages_mark(&h->stages, mark, h->t_ns);
	switch (mark) {
	case MARK_POWER_ON:
	case MARK_POWER_OFF:
		break;
	case MARK_A_UP:
		got_further(h);
		break;
	case MARK_A_PROVEN:
		h->a_proven = true;
		break;
	case MARK_LOAD:
		forget(h, keep_none);
		h->in_load = true;
		break;
	case MARK_LOADED:
		h->in_load = false;
		forget(h, keep_load);
		got_further(h);
		break;
	case MARK_LOAD_FAILED:
		decide(h, CERTAIN_LOAD_FAILED, text);
		break;
	case MARK_JUMP:
		h->in_load = false;
		h->after_jump = true;
		h->n_banners = 0;
		h->reset_expected = h->opts.kind == JUMP_REBOOT || h->opts.kind == JUMP_COLD;
		forget(h, keep_load);
		break;
	case MARK_B_POWER_ON:
		h->b_powered = true;
		break;
	case MARK_B_UP:
		h->b_up = true;
		got_further(h);
		break;
	case MARK_B_PROVEN:
		decide(h, CERTAIN_PROVEN, NULL);
		break;
	}
}

static char *check_text(const struct event *ev)
{
	char *name __free(str) = escaped(ev->check.name);
	char *seen __free(str) = escaped(ev->check.seen);
	char *expected __free(str) = escaped(ev->check.expected);

	return xasprintf("%s is %.100s, expected %.100s", name, seen ? seen : "unknown",
			 expected ? expected : "something else");
}

static void on_check(struct history *h, const struct event *ev)
{
	char *text __free(str) = NULL;

	if (ev->check.ok)
		return;
	text = check_text(ev);
	if (!h->after_jump) {
		char *why __free(str) = xasprintf("A is not what was asked for: %s", text);

		decide(h, CERTAIN_INFRA, why);
	} else if (!strcmp(ev->check.name, "cpus")) {
		if (!h->cpus)
			h->cpus = steal_ptr(text);
	} else if (!h->wrong) {
		h->wrong = steal_ptr(text);
	} else if (h->n_also_wrong < HISTORY_FAILURES) {
		*array_push(h->also_wrong, h->n_also_wrong) = steal_ptr(text);
	}
}

static void on_reset(struct history *h, const char *text)
{
	if (h->reset_expected && !h->b_powered) {
		h->reset_expected = false;
		return;
	}
	h->resets++;
	decide(h, CERTAIN_RESET, text);
}

static void on_machine(struct history *h, enum machine_what what, const char *text)
{
	switch (what) {
	case MACHINE_EVENT_QMP:
		break;
	case MACHINE_EVENT_RESET:
		on_reset(h, "it reset itself");
		break;
	case MACHINE_EVENT_SHUTDOWN:
		on_reset(h, "it powered itself off");
		break;
	case MACHINE_EVENT_PANIC:
		decide(h, CERTAIN_PANIC, "the machine was told of a panic");
		break;
	case MACHINE_EVENT_DIED:
		decide(h, CERTAIN_INFRA, text ? text : "the machine ended unasked");
		break;
	}
}

void history_event(struct history *h, const struct event *ev, const char *reason_title)
{
	h->t_ns = ev->t_ns;
	switch (ev->type) {
	case EVENT_CONSOLE:
	case EVENT_INPUT:
	case EVENT_COMMAND:
		break;
	case EVENT_GAP:
		if (ev->gap.why && !strcmp(ev->gap.why, "hangup"))
			decide(h, CERTAIN_INFRA, "the console was lost");
		break;
	case EVENT_MARK:
		on_mark(h, ev->mark.mark, reason_title ? reason_title : ev->mark.text);
		break;
	case EVENT_CHECK:
		on_check(h, ev);
		break;
	case EVENT_MACHINE:
		on_machine(h, ev->machine.what, ev->machine.text);
		break;
	case EVENT_LIMIT:
		if (!h->certain)
			h->limit_ms = ev->limit.limit_ms;
		decide(h, CERTAIN_LIMIT, ev->limit.what);
		break;
	case EVENT_INFRA:
		decide(h, CERTAIN_INFRA, ev->infra.text);
		break;
	}
}

/* An oops announces itself twice: the fault, then "Internal error". */
static bool is_continuation(const struct history *h, const struct rule *rule)
{
	const struct failure *last = h->n ? &h->failures[h->n - 1] : NULL;

	return h->open && rule->means == RULE_FAULT && last->rule->means == RULE_FAULT &&
	       last->rule != rule && !last->pc && !last->ended &&
	       h->line - last->line <= CONTINUATION_LINES;
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

static bool is_known(const struct history *h, const struct rule *rule, const struct place *at,
		     const struct symptom_match *m)
{
	size_t i;

	for (i = 0; i < h->n; i++)
		if (is_same(&h->failures[i], rule, at, m))
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

static void record(struct history *h, const struct rule *rule, const struct place *at,
		   const struct symptom_match *m)
{
	struct failure *f;

	if (is_continuation(h, rule)) {
		retitle(&h->failures[h->n - 1], rule, at, m);
		return;
	}
	if (is_known(h, rule, at, m)) {
		/* The same report over again, or the same line by another way. */
		h->open = h->open && h->failures[h->n - 1].rule == rule;
		return;
	}
	h->open = false;
	/* A list that is full still has room for what ends the attempt. */
	if (h->n == HISTORY_FAILURES) {
		if (h->certain || rule->means != RULE_PANIC)
			return;
		failure_fini(&h->failures[--h->n]);
	}
	f = &h->failures[h->n++];
	failure_init(f, rule, at->text, m);
	f->in_load = h->in_load;
	f->t_ns = h->t_ns;
	f->line = h->line;
	f->raw_start = at->raw_start;
	f->raw_end = at->raw_end;
	h->open = true;
}

/* Bare: it went down on purpose; what comes next is another boot. */
static void new_boot(struct history *h, enum stage stage)
{
	if (h->certain)
		return;
	forget(h, keep_none);
	h->n_banners = 0;
	h->first_early = NULL;
	h->after_jump = true;
	stages_new_boot(&h->stages, stage, h->t_ns);
}

static bool banner_seen(const struct history *h, const struct rule *rule)
{
	size_t i;

	for (i = 0; i < h->n_banners; i++)
		if (h->banners[i] == rule)
			return true;
	return false;
}

static bool a_kernel_ran(const struct history *h)
{
	enum stage now = h->stages.now;

	return (now >= STAGE_ENTRY || now == STAGE_BOOT_A || now == STAGE_USERSPACE_A ||
		now == STAGE_LOAD || now == STAGE_SHUTDOWN || now == STAGE_RELOCATE ||
		now == STAGE_PURGATORY);
}

/*
 * One power-on prints many banners, each once. A banner again, or any after a
 * kernel ran, is another power-on.
 */
static void on_banner(struct history *h, const struct rule *rule)
{
	if (a_kernel_ran(h) || banner_seen(h, rule)) {
		h->n_banners = 0;
		if (h->reset_expected) {
			h->reset_expected = false;
			if (h->opts.bare)
				new_boot(h, STAGE_SHUTDOWN);
		} else {
			h->resets++;
			decide(h, CERTAIN_RESET, "its firmware started again");
		}
	}
	if (h->n_banners < HISTORY_BANNERS)
		h->banners[h->n_banners++] = rule;
	if (!h->certain && stages_line(&h->stages, STAGE_FIRMWARE, h->t_ns))
		line_got_further(h);
}

/* A kernel that starts where one was already starting, and nothing led there. */
static void on_bare_restart(struct history *h)
{
	if (h->reset_expected) {
		h->reset_expected = false;
		new_boot(h, STAGE_SHUTDOWN);
		return;
	}
	h->resets++;
	decide(h, CERTAIN_RESET, "another kernel started");
}

static size_t first_early_bytes(const struct history *h)
{
	return h->first_early_len < sizeof(h->first_early_text) ? h->first_early_len
								: sizeof(h->first_early_text);
}

static bool is_first_early(const struct history *h, const struct rule *rule, const struct place *at,
			   const struct symptom_match *m)
{
	return rule == h->first_early && m->end[0] - m->start[0] == h->first_early_len &&
	       !memcmp(h->first_early_text, at->text + m->start[0], first_early_bytes(h));
}

/*
 * In userspace the same lines can be read back from the kernel's log; before
 * it, the line with which a kernel began does not come twice.
 */
static bool is_bare_restart(const struct history *h, const struct rule *rule,
			    const struct place *at, const struct symptom_match *m, enum stage stage)
{
	enum stage now = h->stages.now;

	return h->opts.bare && stage == STAGE_EARLY && now >= STAGE_EARLY &&
	       now < STAGE_USERSPACE_B && (now > STAGE_EARLY || is_first_early(h, rule, at, m));
}

static void on_stage(struct history *h, const struct rule *rule, enum stage stage,
		     const struct place *at, const struct symptom_match *m)
{
	bool leaves;

	if (h->certain)
		return;
	leaves = stage == STAGE_SHUTDOWN || stage == STAGE_RELOCATE;
	if (h->opts.bare && leaves && h->stages.now != STAGE_SHUTDOWN &&
	    h->stages.now != STAGE_RELOCATE)
		new_boot(h, stage);
	else if (is_bare_restart(h, rule, at, m, stage))
		on_bare_restart(h);
	if (h->certain)
		return;
	if (stage == STAGE_EARLY && !h->first_early) {
		h->first_early = rule;
		h->first_early_len = m->end[0] - m->start[0];
		memcpy(h->first_early_text, at->text + m->start[0], first_early_bytes(h));
	}
	if (stages_line(&h->stages, stage, h->t_ns))
		line_got_further(h);
}

bool history_listens(const struct history *h)
{
	return !h->certain || h->line - h->certain_line <= AFTERMATH_LINES;
}

bool history_wants(const struct history *h, const struct rule *rule, enum stage stage)
{
	if (h->certain)
		return rule->means != RULE_STAGE && rule->means != RULE_RESET && history_listens(h);
	if (rule->means != RULE_STAGE || stages_is_further(&h->stages, stage))
		return true;
	/* Bare: another system may go down or begin, however far this one was. */
	return h->opts.bare && (stage == STAGE_SHUTDOWN || stage == STAGE_RELOCATE ||
				(stage == STAGE_EARLY && h->stages.now < STAGE_USERSPACE_B));
}

void history_symptom(struct history *h, const struct rule *rule, enum stage stage,
		     const struct place *at, const struct symptom_match *m)
{
	switch (rule->means) {
	case RULE_STAGE:
		on_stage(h, rule, stage, at, m);
		break;
	case RULE_RESET:
		on_banner(h, rule);
		break;
	case RULE_REQUESTED:
		if (h->opts.bare)
			h->reset_expected = true;
		break;
	case RULE_PANIC:
		record(h, rule, at, m);
		decide(h, CERTAIN_PANIC, NULL);
		break;
	case RULE_INFRA:
		record(h, rule, at, m);
		decide(h, CERTAIN_INFRA, NULL);
		break;
	case RULE_FAULT:
	case RULE_LOAD_FAILED:
	case RULE_DEGRADED:
	case RULE_HUNG:
	case RULE_NOT_USERSPACE:
		record(h, rule, at, m);
		break;
	case RULE_HARMLESS:
		break;
	}
}

void history_detail(struct history *h, enum detail d, const char *text,
		    const struct symptom_match *m)
{
	struct failure *f = h->n ? &h->failures[h->n - 1] : NULL;

	if (!h->open)
		return;
	if (h->line - f->line > FAILURE_LINES) {
		h->open = false;
		return;
	}
	failure_detail(f, d, text, m);
	if (f->ended)
		h->open = false;
}

bool history_settled(const struct history *h)
{
	return h->certain != CERTAIN_NOTHING;
}
