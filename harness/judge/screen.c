// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/screen.h"

#include <string.h>

#include "base/alloc.h"

void screen_init(struct screen *s, bool same_kernel)
{
	int i;

	memset(s, 0, sizeof(*s));
	s->same_kernel = same_kernel;
	for (i = 0; i < N_MILESTONES; i++)
		s->seen[i].t_ns = TIME_UNSEEN;
}

void screen_fini(struct screen *s)
{
	int i;

	for (i = 0; i < N_MILESTONES; i++)
		free(s->seen[i].picture);
	free(s->digest);
}

void screen_mark(struct screen *s, enum mark mark)
{
	if (mark == MARK_JUMP) {
		s->after_jump = true;
		s->armed = s->same_kernel;
	} else if (mark == MARK_B_POWER_ON) {
		s->armed = true;
	}
}

void screen_kernel_spoke(struct screen *s)
{
	if (s->after_jump)
		s->armed = true;
}

static bool is_seen(const struct screen *s, enum milestone m)
{
	return s->seen[m].t_ns != TIME_UNSEEN;
}

static void see(struct screen *s, enum milestone m, uint64_t t_ns, uint64_t uncertainty_ns,
		const char *picture)
{
	if (is_seen(s, m))
		return;
	s->seen[m].t_ns = t_ns;
	s->seen[m].uncertainty_ns = uncertainty_ns;
	s->seen[m].picture = xstrdup_null(picture);
}

static void on_dark(struct screen *s, const struct event *ev, uint64_t uncertainty_ns,
		    const char *picture)
{
	s->armed = true;
	if (!is_seen(s, MILESTONE_LIT))
		see(s, MILESTONE_DARK, ev->t_ns, uncertainty_ns, picture);
}

/* The picture that has stood for a while: its time is when it came. */
static void on_steady(struct screen *s, const struct event *ev)
{
	if (is_seen(s, MILESTONE_LIT)) {
		see(s, MILESTONE_STABLE, s->since_ns, s->since_uncertainty_ns, ev->frame.file);
	} else if (ev->frame.lit_ppm) {
		/* A standstill: whatever comes next is not the old system's. */
		s->armed = true;
	}
}

static void on_frame(struct screen *s, const struct event *ev)
{
	bool is_new = !s->digest || strcmp(ev->frame.digest, s->digest);

	if (is_new) {
		free(s->digest);
		s->digest = xstrdup(ev->frame.digest);
		s->since_ns = ev->t_ns;
		s->since_uncertainty_ns = ev->frame.uncertainty_ns;
	}
	if (!s->after_jump)
		return;
	if (ev->frame.placeholder || !ev->frame.lit_ppm) {
		on_dark(s, ev, ev->frame.uncertainty_ns, ev->frame.file);
		return;
	}
	if (is_new && s->armed)
		see(s, MILESTONE_LIT, ev->t_ns, ev->frame.uncertainty_ns, ev->frame.file);
	if (ev->frame.match && is_seen(s, MILESTONE_LIT))
		see(s, MILESTONE_MATCH, s->since_ns, s->since_uncertainty_ns, ev->frame.file);
	if (ev->frame.steady)
		on_steady(s, ev);
}

void screen_event(struct screen *s, const struct event *ev)
{
	if (ev->type == EVENT_FRAME)
		on_frame(s, ev);
	else if (ev->type == EVENT_SIGNAL && s->after_jump && !ev->signal.present)
		on_dark(s, ev, 0, NULL);
}

bool screen_is_lit(const struct screen *s)
{
	return is_seen(s, MILESTONE_LIT);
}

void screen_hand_over(struct screen *s, struct verdict_milestone ret[N_MILESTONES])
{
	int i;

	for (i = 0; i < N_MILESTONES; i++) {
		ret[i] = s->seen[i];
		s->seen[i].picture = NULL;
	}
}
