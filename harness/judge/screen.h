/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.h - what the display showed, and whose picture it was.
 *
 * After a kexec the left system's last picture may stay on the glass, and it may
 * still draw on its way down. B's first pixel is the first lit one that comes
 * after the display was dark; or, where it never was, after B's kernel spoke, or
 * after the picture had stood still since the jump.
 */
#ifndef KJUMP_JUDGE_SCREEN_H
#define KJUMP_JUDGE_SCREEN_H

#include "evidence/event.h"
#include "judge/verdict.h"
#include "plan/job.h"

struct screen {
	bool after_jump, armed; /* armed: the next lit picture is B's */
	bool same_kernel;	/* a pivot: nothing goes dark */
	char *digest;		/* of the newest frame */
	uint64_t since_ns;	/* when it came, and how sure that is: */
	uint64_t since_uncertainty_ns;
	struct verdict_milestone seen[N_MILESTONES];
};

void screen_init(struct screen *s, bool same_kernel);
void screen_fini(struct screen *s);
void screen_mark(struct screen *s, enum mark mark);
/* B's kernel said something: what is drawn from now on is its own. */
void screen_kernel_spoke(struct screen *s);
/* FRAME and SIGNAL events. */
void screen_event(struct screen *s, const struct event *ev);
bool screen_is_lit(const struct screen *s);
/* The milestones and their strings go to @ret. */
void screen_hand_over(struct screen *s, struct verdict_milestone ret[N_MILESTONES]);

#endif
