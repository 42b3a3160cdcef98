// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/stage.h"

#include <string.h>

/* The order in which B goes through them; firmware comes again after A's way down. */
static const unsigned char b_order[N_STAGES] = {
	[STAGE_POWER] = 2,	 [STAGE_FIRMWARE] = 3,	   [STAGE_BOOT_A] = 0,
	[STAGE_USERSPACE_A] = 0, [STAGE_LOAD] = 0,	   [STAGE_SHUTDOWN] = 1,
	[STAGE_RELOCATE] = 4,	 [STAGE_PURGATORY] = 5,	   [STAGE_ENTRY] = 6,
	[STAGE_EARLY] = 7,	 [STAGE_KERNEL_INIT] = 8,  [STAGE_FIRST_PIXEL] = 9,
	[STAGE_INITRAMFS] = 10,	 [STAGE_USERSPACE_B] = 11,
};

void stages_init(struct stages *s, bool bare)
{
	size_t i;

	memset(s, 0, sizeof(*s));
	s->bare = bare;
	for (i = 0; i < N_STAGES; i++)
		s->seen_ns[i] = TIME_UNSEEN;
	s->jump_ns = s->load_ns = s->load_start_ns = TIME_UNSEEN;
}

static void enter(struct stages *s, enum stage stage, uint64_t t_ns)
{
	s->now = stage;
	s->any = true;
	if (s->seen_ns[stage] == TIME_UNSEEN)
		s->seen_ns[stage] = t_ns;
}

/* The same line, printed by A. */
static enum stage of_a(enum stage stage)
{
	if (stage == STAGE_USERSPACE_B)
		return STAGE_USERSPACE_A;
	if (stage == STAGE_POWER || stage == STAGE_FIRMWARE)
		return stage;
	return STAGE_BOOT_A;
}

bool stages_is_further(const struct stages *s, enum stage stage)
{
	if (!s->any)
		return true;
	if (s->bare || s->after_jump)
		return b_order[stage] > b_order[s->now];
	return of_a(stage) > s->now;
}

/* Seen from outside; the console may be ahead. */
static void enter_further(struct stages *s, enum stage stage, uint64_t t_ns)
{
	if (stages_is_further(s, stage))
		enter(s, stage, t_ns);
	else if (s->seen_ns[stage] == TIME_UNSEEN)
		s->seen_ns[stage] = t_ns;
}

void stages_mark(struct stages *s, enum mark mark, uint64_t t_ns)
{
	switch (mark) {
	case MARK_POWER_ON:
	case MARK_B_POWER_ON:
		enter(s, STAGE_POWER, t_ns);
		break;
	case MARK_A_UP:
		enter(s, STAGE_USERSPACE_A, t_ns);
		break;
	case MARK_LOAD:
		enter(s, STAGE_LOAD, t_ns);
		s->load_start_ns = t_ns;
		break;
	case MARK_LOADED:
		if (s->load_start_ns != TIME_UNSEEN)
			s->load_ns = t_ns - s->load_start_ns;
		break;
	case MARK_JUMP:
		enter(s, STAGE_SHUTDOWN, t_ns);
		s->after_jump = true;
		s->jump_ns = t_ns;
		break;
	case MARK_RELOCATE:
		enter_further(s, STAGE_RELOCATE, t_ns);
		break;
	case MARK_PURGATORY:
		enter_further(s, STAGE_PURGATORY, t_ns);
		break;
	case MARK_ENTRY:
		enter_further(s, STAGE_ENTRY, t_ns);
		break;
	case MARK_MMU_ON:
	case MARK_B_KERNEL:
		enter_further(s, STAGE_EARLY, t_ns);
		break;
	case MARK_B_UP:
		enter(s, STAGE_USERSPACE_B, t_ns);
		break;
	case MARK_A_PROVEN:
	case MARK_LOAD_FAILED:
	case MARK_POWER_OFF:
	case MARK_B_PROVEN:
		break;
	}
}

bool stages_line(struct stages *s, enum stage stage, uint64_t t_ns)
{
	if (!stages_is_further(s, stage))
		return false;
	enter(s, s->bare || s->after_jump ? stage : of_a(stage), t_ns);
	return true;
}

void stages_pixel(struct stages *s, uint64_t t_ns)
{
	if (stages_is_further(s, STAGE_FIRST_PIXEL))
		enter(s, STAGE_FIRST_PIXEL, t_ns);
	else
		s->seen_ns[STAGE_FIRST_PIXEL] = t_ns;
}

void stages_new_boot(struct stages *s, enum stage stage, uint64_t t_ns)
{
	size_t i;

	for (i = STAGE_RELOCATE; i < N_STAGES; i++)
		s->seen_ns[i] = TIME_UNSEEN;
	s->after_jump = true;
	s->jump_ns = t_ns;
	enter(s, stage, t_ns);
}
