// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * history_boot.c - one boot from the next: resets, asked for and not, and how
 * far each got.
 */
#include <string.h>

#include "judge/history.h"

static bool keep_none(const struct failure *f)
{
	return false;
}

/* No line of a report says that B's own userspace is there. */
static void line_got_further(struct history *h)
{
	if (h->stages.now == STAGE_USERSPACE_B)
		failures_survive(&h->failures);
	else
		failures_survive_line(&h->failures, h->line);
}

/* Bare: it went down on purpose; what comes next is another boot. */
static void new_boot(struct history *h, enum stage stage)
{
	if (h->certain)
		return;
	failures_forget(&h->failures, keep_none);
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
void history_banner(struct history *h, const struct rule *rule)
{
	if (a_kernel_ran(h) || banner_seen(h, rule)) {
		h->n_banners = 0;
		if (h->reset_expected) {
			h->reset_expected = false;
			if (h->opts.bare)
				new_boot(h, STAGE_SHUTDOWN);
		} else {
			h->resets++;
			history_settle(h, CERTAIN_RESET, "its firmware started again");
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
	history_settle(h, CERTAIN_RESET, "another kernel started");
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
	       now < STAGE_USERSPACE_B && is_first_early(h, rule, at, m);
}

void history_stage(struct history *h, const struct rule *rule, enum stage stage,
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
	if (stage == STAGE_EARLY)
		screen_kernel_spoke(&h->screen);
	if (stages_line(&h->stages, stage, h->t_ns))
		line_got_further(h);
}
