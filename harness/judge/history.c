// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * history.c - takes in the facts; what they come to is in outcome.c.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "judge/history.h"

/* Lines after the deciding one that may still tell what followed from it. */
#define AFTERMATH_LINES 2000

void history_init(struct history *h, const struct judge_opts *opts)
{
	memset(h, 0, sizeof(*h));
	h->opts = *opts;
	stages_init(&h->stages, opts->bare);
	screen_init(&h->screen, !opts->bare && opts->kind == JUMP_PIVOT);
}

void history_fini(struct history *h)
{
	size_t i;

	failures_fini(&h->failures);
	screen_fini(&h->screen);
	for (i = 0; i < h->n_also_wrong; i++)
		free(h->also_wrong[i]);
	free(h->also_wrong);
	free(h->wrong);
	free(h->cpus);
	free(h->certain_text);
	free(h->tables);
	free(h->suspected);
	free(h->hang);
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

void history_settle(struct history *h, enum certain what, const char *text)
{
	if (h->certain)
		return;
	h->certain = what;
	h->certain_stage = h->stages.now;
	h->certain_line = h->line;
	h->certain_text = escaped(text);
}

static bool keep_none(const struct failure *f)
{
	return false;
}

static bool keep_load(const struct failure *f)
{
	return f->in_load && f->rule->means != RULE_LOAD_FAILED;
}

static void on_mark(struct history *h, enum mark mark, const char *text)
{
	stages_mark(&h->stages, mark, h->t_ns);
	screen_mark(&h->screen, mark);
	switch (mark) {
	case MARK_POWER_ON:
	case MARK_POWER_OFF:
		break;
	case MARK_A_UP:
		failures_survive(&h->failures);
		break;
	case MARK_A_PROVEN:
		h->a_proven = true;
		break;
	case MARK_LOAD:
		failures_forget(&h->failures, keep_none);
		h->in_load = true;
		break;
	case MARK_LOADED:
		h->in_load = false;
		failures_forget(&h->failures, keep_load);
		failures_survive(&h->failures);
		break;
	case MARK_LOAD_FAILED:
		history_settle(h, CERTAIN_LOAD_FAILED, text);
		break;
	case MARK_JUMP:
		h->in_load = false;
		h->after_jump = true;
		h->n_banners = 0;
		h->reset_expected = h->opts.kind == JUMP_REBOOT || h->opts.kind == JUMP_COLD;
		failures_forget(&h->failures, keep_load);
		break;
	case MARK_RELOCATE:
	case MARK_PURGATORY:
	case MARK_ENTRY:
	case MARK_MMU_ON:
	case MARK_B_KERNEL:
		/* It moved on. */
		free(steal_ptr(h->suspected));
		break;
	case MARK_B_POWER_ON:
		h->b_powered = true;
		break;
	case MARK_B_UP:
		failures_survive(&h->failures);
		break;
	case MARK_B_PROVEN:
		history_settle(h, CERTAIN_PROVEN, NULL);
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

		history_settle(h, CERTAIN_INFRA, why);
	} else if (!strcmp(ev->check.name, "cpus")) {
		if (!h->cpus)
			h->cpus = steal_ptr(text);
	} else if (!h->wrong) {
		h->wrong = steal_ptr(text);
	} else if (h->n_also_wrong < HISTORY_CHECKS) {
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
	history_settle(h, CERTAIN_RESET, text);
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
		history_settle(h, CERTAIN_PANIC, "the machine was told of a panic");
		break;
	case MACHINE_EVENT_DIED:
		history_settle(h, CERTAIN_INFRA, text ? text : "the machine ended unasked");
		break;
	}
}

static void on_display(struct history *h, const struct event *ev)
{
	if (h->certain)
		return;
	screen_event(&h->screen, ev);
	if (screen_is_lit(&h->screen) && h->stages.seen_ns[STAGE_FIRST_PIXEL] == TIME_UNSEEN)
		stages_pixel(&h->stages, h->t_ns);
}

static void replace(char **text, const char *with, size_t len)
{
	char *copy __free(str) = with ? xstrndup(with, len) : NULL;

	free(*text);
	*text = escaped(copy);
}

/* The first line of the particulars is a sentence, the others are for a card. */
static void replace_sentence(char **text, const char *with)
{
	replace(text, with, with ? strcspn(with, "\n") : 0);
}

static void on_probe(struct history *h, const struct event *ev)
{
	if (h->certain)
		return;
	switch (ev->probe.what) {
	case PROBE_TABLES_BAD:
		if (!h->tables)
			h->tables = escaped(ev->probe.title);
		break;
	case PROBE_SUSPECTED:
		replace(&h->suspected, ev->probe.title, strlen(ev->probe.title));
		replace_sentence(&h->hang, ev->probe.text);
		break;
	case PROBE_PROVEN:
		replace_sentence(&h->hang, ev->probe.text);
		history_settle(h, CERTAIN_HANG, ev->probe.title);
		break;
	case PROBE_TABLES_GOOD:
	case PROBE_INJECTED:
	case PROBE_EXCEPTION:
	case PROBE_COUNT:
	case PROBE_TABLES_UNKNOWN:
	case PROBE_LOST:
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
	case EVENT_FRAME:
	case EVENT_SIGNAL:
		on_display(h, ev);
		break;
	case EVENT_GAP:
		if (ev->gap.why && !strcmp(ev->gap.why, "hangup"))
			history_settle(h, CERTAIN_INFRA, "the console was lost");
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
	case EVENT_PROBE:
		on_probe(h, ev);
		break;
	case EVENT_LIMIT:
		if (!h->certain)
			h->limit_ms = ev->limit.limit_ms;
		history_settle(h, CERTAIN_LIMIT, ev->limit.what);
		break;
	case EVENT_INFRA:
		history_settle(h, CERTAIN_INFRA, ev->infra.text);
		break;
	}
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

static void record(struct history *h, const struct rule *rule, const struct place *at,
		   const struct symptom_match *m)
{
	struct failure *new = failures_record(&h->failures, rule, at, m);

	if (new)
		new->in_load = h->in_load;
}

void history_symptom(struct history *h, const struct rule *rule, enum stage stage,
		     const struct place *at, const struct symptom_match *m)
{
	switch (rule->means) {
	case RULE_STAGE:
		history_stage(h, rule, stage, at, m);
		break;
	case RULE_RESET:
		history_banner(h, rule);
		break;
	case RULE_REQUESTED:
		if (h->opts.bare)
			h->reset_expected = true;
		break;
	case RULE_PANIC:
		record(h, rule, at, m);
		history_settle(h, CERTAIN_PANIC, NULL);
		break;
	case RULE_INFRA:
		record(h, rule, at, m);
		history_settle(h, CERTAIN_INFRA, NULL);
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

bool history_settled(const struct history *h)
{
	return h->certain != CERTAIN_NOTHING;
}
