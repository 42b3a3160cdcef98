// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/outcome.h"

#include <string.h>

#include "base/alloc.h"
#include "judge/signature.h"

/* A warning this close before a failure belongs to it; a far one is another matter. */
#define NEAR_LINES 200

#define MAX_TEXTS  16

static const struct failure *first_of(const struct history *h, enum rule_means means)
{
	size_t i;

	for (i = 0; i < h->failures.n; i++)
		if (h->failures.list[i].rule->means == means)
			return &h->failures.list[i];
	return NULL;
}

/* One after which nothing went on: a fault was fatal then. */
static const struct failure *unsurvived(const struct history *h, enum rule_means means)
{
	size_t i;

	for (i = 0; i < h->failures.n; i++)
		if (h->failures.list[i].rule->means == means && !h->failures.list[i].survived)
			return &h->failures.list[i];
	return NULL;
}

static bool is_warning(const struct failure *f)
{
	return f->rule->means == RULE_DEGRADED || f->rule->means == RULE_HUNG;
}

static bool by_warning(const struct failure *f)
{
	return f->groups[0] && strstr(f->groups[0], "panic_on_warn");
}

/* The first failure of the chain that led to @f: the one that titles it. */
static const struct failure *origin(const struct history *h, const struct failure *f)
{
	const struct failure *p;
	bool warned = by_warning(f);

	for (p = f; p-- > h->failures.list;) {
		if (p->rule->means == RULE_FAULT || p->rule->means == RULE_PANIC)
			f = p;
		else if (is_warning(p) && (warned || f->line - p->line <= NEAR_LINES))
			f = p;
		warned = false;
	}
	return f;
}

static void add_text(char ***list, size_t *n, const char *text)
{
	size_t i;

	for (i = 0; i < *n; i++)
		if (!strcmp((*list)[i], text))
			return;
	if (*n < MAX_TEXTS)
		*array_push(*list, *n) = xstrdup(text);
}

/* The title may be the same text after "load-failed: ". */
static bool is_titled(const struct verdict *v, const char *text)
{
	size_t len = strlen(text), all = v->signature ? strlen(v->signature) : 0;

	return all >= len && !strcmp(v->signature + all - len, text);
}

static void add_consequence(struct verdict *v, const char *text)
{
	if (!is_titled(v, text))
		add_text(&v->consequences, &v->n_consequences, text);
}

static void add_range(struct verdict *v, const struct failure *f)
{
	struct verdict_range *r = array_push(v->ranges, v->n_ranges);

	r->start = f->raw_start;
	r->end = f->raw_end;
	r->rule = xstrdup(f->rule->id);
}

static char *safe(const char *text)
{
	struct signature_parts parts = {.groups = {[1] = text}};

	return signature_expand("\\1", &parts);
}

static char *prefixed(const char *prefix, const char *text)
{
	char *clean __free(str) = safe(text);

	return xasprintf("%s: %s", prefix, clean);
}

/* Title, range and what followed, from the failure that started it. */
static void titled_by(const struct history *h, const struct failure *f, struct verdict *v)
{
	v->signature = failure_title(f);
	add_range(v, f);
}

static void as_panic(const struct history *h, const struct failure *f, struct verdict *v)
{
	v->outcome = OUTCOME_PANIC;
	if (f)
		titled_by(h, origin(h, f), v);
	else
		v->signature = xasprintf("panic: %s", h->certain_text);
	if (h->certain == CERTAIN_RESET)
		add_consequence(v, h->certain_text);
}

/* What the load or the monitor said; of a limit or a reset the text is another one. */
static bool has_reason(const struct history *h)
{
	return (h->certain == CERTAIN_LOAD_FAILED || h->certain == CERTAIN_PANIC) &&
	       h->certain_text && *h->certain_text;
}

static void as_load_failed(const struct history *h, struct verdict *v)
{
	const struct failure *f = first_of(h, RULE_FAULT);
	char *function __free(str) = NULL, *title __free(str) = NULL;

	v->outcome = OUTCOME_LOAD_FAILED;
	if (!f)
		f = first_of(h, RULE_PANIC);
	if (f)
		function = failure_function(f);
	if (function) {
		v->signature = xasprintf("load-failed: oops in %s", function);
	} else if (!f && has_reason(h)) {
		v->signature = prefixed("load-failed", h->certain_text);
	} else {
		if (!f)
			f = first_of(h, RULE_LOAD_FAILED);
		title = f ? failure_title(f) : xstrdup("no reason was given");
		v->signature = xasprintf("load-failed: %s", title);
	}
	if (f)
		add_range(v, f);
}

static void as_reset(const struct history *h, struct verdict *v)
{
	v->outcome = OUTCOME_RESET;
	v->signature = xasprintf("reset: in %s", stage_name(v->stage));
	v->detail = xasprintf("%s%s", h->certain_text ? h->certain_text : "it restarted",
			      h->resets > 1 ? ", again and again" : "");
}

static void as_infra(const struct history *h, const char *why, struct verdict *v)
{
	const struct failure *f = why ? NULL : first_of(h, RULE_INFRA);

	v->outcome = OUTCOME_INFRA_ERROR;
	if (f) {
		char *title __free(str) = failure_title(f);

		v->signature = xasprintf("infra-error: %s", title);
		add_range(v, f);
	} else {
		v->signature = prefixed("infra-error", why ? why : "no reason was given");
	}
}

static void limit_detail(const struct history *h, struct verdict *v)
{
	if (h->certain == CERTAIN_LIMIT)
		v->detail = xasprintf("no end within the limit '%s' of %llu ms", h->certain_text,
				      (unsigned long long)h->limit_ms);
	else
		v->detail = xstrdup("the log ends here");
}

/* Silence has no title of its own: where it began, and what was odd before. */
static void as_silence(const struct history *h, struct verdict *v)
{
	const struct failure *f = first_of(h, RULE_NOT_USERSPACE);
	const char *how = f ? "" : "silent ", *link = f ? ": " : " after ";
	char *title __free(str) = NULL;

	v->proof = PROOF_SILENT;
	if (!f)
		f = first_of(h, RULE_FAULT);
	if (!f)
		f = first_of(h, RULE_DEGRADED);
	if (f) {
		title = failure_title(f);
		add_range(v, f);
	}
	v->signature = xasprintf("hang: %sin %s%s%s", how, stage_name(v->stage), f ? link : "",
				 f ? title : "");
}

/* It drew, so it ran; but nobody answered. */
static void as_first_pixel(const struct history *h, struct verdict *v)
{
	v->outcome = OUTCOME_FIRST_PIXEL;
	v->signature = xstrdup("first-pixel: the display lit, userspace did not answer");
	limit_detail(h, v);
}

/* The machine's state says it; the title of a suspicion does not read like a proof. */
static void as_state(const struct history *h, enum proof proof, const char *title,
		     struct verdict *v)
{
	v->outcome = OUTCOME_HANG;
	v->proof = proof;
	v->signature = prefixed(proof == PROOF_PROVEN ? "hang" : "hang: suspected", title);
	v->detail = xstrdup_null(h->hang);
	if (!v->detail)
		limit_detail(h, v);
	if (h->tables)
		add_text(&v->degradations, &v->n_degradations, h->tables);
}

static void as_hang(const struct history *h, struct verdict *v)
{
	const struct failure *f = unsurvived(h, RULE_HUNG);

	if (!f && h->suspected) {
		as_state(h, PROOF_SUSPECTED, h->suspected, v);
		return;
	}
	if (!f && !first_of(h, RULE_NOT_USERSPACE) && screen_is_lit(&h->screen)) {
		as_first_pixel(h, v);
		return;
	}
	v->outcome = OUTCOME_HANG;
	if (f) {
		v->proof = PROOF_SUSPECTED;
		titled_by(h, origin(h, f), v);
	} else {
		as_silence(h, v);
	}
	limit_detail(h, v);
}

static void as_userspace(const struct history *h, struct verdict *v)
{
	size_t i;

	for (i = 0; i < h->failures.n; i++) {
		char *title __free(str) = NULL;

		if (h->failures.list[i].rule->means == RULE_LOAD_FAILED)
			continue;
		title = failure_title(&h->failures.list[i]);
		add_text(&v->degradations, &v->n_degradations, title);
		if (!v->n_ranges)
			add_range(v, &h->failures.list[i]);
	}
	if (h->tables)
		add_text(&v->degradations, &v->n_degradations, h->tables);
	if (h->cpus)
		add_text(&v->degradations, &v->n_degradations, h->cpus);
	if (h->opts.dark && screen_is_lit(&h->screen))
		add_text(&v->degradations, &v->n_degradations,
			 "unexpected-pixel: the display lit, it must stay dark");
	v->outcome = v->n_degradations ? OUTCOME_DEGRADED : OUTCOME_USERSPACE_REACHED;
	if (v->n_degradations)
		v->signature = xasprintf("degraded: %s", v->degradations[0]);
}

static void as_wrong_target(const struct history *h, struct verdict *v)
{
	size_t i;

	v->outcome = OUTCOME_WRONG_TARGET;
	v->signature = xasprintf("wrong-target: %s", h->wrong);
	for (i = 0; i < h->n_also_wrong; i++)
		add_consequence(v, h->also_wrong[i]);
	v->detail = xstrdup("userspace answered, but it is not B");
}

static bool loading(const struct history *h)
{
	return !h->opts.bare && h->in_load;
}

/* A boot loader that could not load B, and no kernel that started since. */
static bool loader_failed(const struct history *h)
{
	return (h->opts.bare || h->after_jump) && unsurvived(h, RULE_LOAD_FAILED);
}

/* Nothing more came: what that means depends on what was seen before. */
static void on_silence(const struct history *h, struct verdict *v)
{
	const struct failure *fault = unsurvived(h, RULE_FAULT);

	if (h->wrong)
		as_wrong_target(h, v);
	else if (loading(h) && first_of(h, RULE_FAULT))
		as_load_failed(h, v);
	else if (fault)
		as_panic(h, fault, v);
	else if (loader_failed(h))
		as_load_failed(h, v);
	else if (unsurvived(h, RULE_HUNG) || h->after_jump || loading(h) || h->opts.bare)
		as_hang(h, v);
	else
		as_infra(h, h->a_proven ? "A did not answer any more" : "A did not come up", v);
}

static bool is_firmware(enum stage s)
{
	return s == STAGE_POWER || s == STAGE_FIRMWARE;
}

/* More than its first line: "CPU3: failed to come online" is no report. */
static bool has_report(const struct failure *f)
{
	return f->pc || f->frame || f->lock || f->has_esr;
}

/* A log that ends inside a warning's report shows no more than the warning. */
static bool ends_in_warning(const struct history *h)
{
	const struct failure *f = h->failures.n ? &h->failures.list[h->failures.n - 1] : NULL;

	return f && f->rule->means == RULE_DEGRADED && has_report(f) && !f->survived && !f->ended &&
	       h->failures.open && h->line - f->line < FAILURE_LINES;
}

/* A bare log says nothing about limits: it ends, and that is all. */
static void on_end_of_log(const struct history *h, struct verdict *v)
{
	const struct failure *fault = unsurvived(h, RULE_FAULT);
	const struct failure *hung = unsurvived(h, RULE_HUNG);
	bool other = fault || hung || first_of(h, RULE_LOAD_FAILED);

	/* Only a userspace asks for a restart. */
	bool asked = h->reset_expected && v->stage == STAGE_INITRAMFS &&
		     !first_of(h, RULE_NOT_USERSPACE);

	/* A report that is complete, and no panic after it: only a task died. */
	if ((v->stage == STAGE_USERSPACE_B || asked) && (!fault || fault->ended) && !hung)
		as_userspace(h, v);
	else if (!other && first_of(h, RULE_DEGRADED) &&
		 (is_firmware(v->stage) || ends_in_warning(h)))
		as_userspace(h, v);
	else if (!other && is_firmware(v->stage) && !first_of(h, RULE_NOT_USERSPACE))
		as_infra(h, "no kernel was started", v);
	else
		on_silence(h, v);
}

static void on_proven(const struct history *h, struct verdict *v)
{
	if (h->wrong)
		as_wrong_target(h, v);
	else
		as_userspace(h, v);
}

static void on_panic(const struct history *h, struct verdict *v)
{
	if (loading(h))
		as_load_failed(h, v);
	else
		as_panic(h, first_of(h, RULE_PANIC), v);
}

/* The harness failed, or it restarted: a kernel that had died before did it. */
static void on_end(const struct history *h, struct verdict *v)
{
	const struct failure *fault = unsurvived(h, RULE_FAULT);

	if (fault && loading(h))
		as_load_failed(h, v);
	else if (fault)
		as_panic(h, fault, v);
	else if (h->certain == CERTAIN_RESET && loader_failed(h))
		as_load_failed(h, v);
	else if (h->certain == CERTAIN_RESET)
		as_reset(h, v);
	else
		as_infra(h, h->certain_text, v);
}

static void add_rest(const struct history *h, struct verdict *v)
{
	const struct failure *f;
	bool after = false;

	for (f = h->failures.list; f < h->failures.list + h->failures.n; f++) {
		char *title __free(str) = failure_title(f);
		bool is_title = v->n_ranges && f->raw_start == v->ranges[0].start;

		if (f->rule->means == RULE_DEGRADED && !after && !is_title)
			add_text(&v->degradations, &v->n_degradations, title);
		else if (!is_title)
			add_consequence(v, title);
		after |= is_title;
	}
}

static bool is_truncated(const struct history *h)
{
	size_t i;

	for (i = h->failures.n; i-- > 0;) {
		enum rule_means means = h->failures.list[i].rule->means;

		if (means == RULE_PANIC || means == RULE_FAULT)
			return !h->failures.list[i].ended;
	}
	return ends_in_warning(h);
}

void outcome_decide(const struct history *h, struct verdict *v)
{
	v->stage = h->certain ? h->certain_stage : h->stages.now;
	v->truncated = is_truncated(h);
	switch (h->certain) {
	case CERTAIN_LOAD_FAILED:
		as_load_failed(h, v);
		break;
	case CERTAIN_PANIC:
		on_panic(h, v);
		break;
	case CERTAIN_RESET:
	case CERTAIN_INFRA:
		on_end(h, v);
		break;
	case CERTAIN_LIMIT:
		on_silence(h, v);
		break;
	case CERTAIN_HANG:
		as_state(h, PROOF_PROVEN, h->certain_text, v);
		break;
	case CERTAIN_PROVEN:
		on_proven(h, v);
		break;
	case CERTAIN_NOTHING:
		if (h->opts.bare)
			on_end_of_log(h, v);
		else
			as_infra(h, "the attempt ended before anything was decided", v);
		break;
	}
	if (v->outcome != OUTCOME_DEGRADED)
		add_rest(h, v);
}
