/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stage.h - how far an attempt got, from marks and from lines of the console.
 *
 * Before the jump the console speaks of A, whatever it prints; after it a
 * stage is only entered once its turn has come.
 */
#ifndef KJUMP_JUDGE_STAGE_H
#define KJUMP_JUDGE_STAGE_H

#include "evidence/event.h"
#include "judge/verdict.h"

struct stages {
	bool bare; /* no marks: one boot after the other, judged as B */
	bool after_jump;
	bool any; /* some stage was entered */
	enum stage now;
	uint64_t seen_ns[N_STAGES];
	uint64_t jump_ns, load_ns, load_start_ns;
};

void stages_init(struct stages *s, bool bare);
/* The script passed a point. */
void stages_mark(struct stages *s, enum mark mark, uint64_t t_ns);
/* Is @stage further than where the attempt is now? */
bool stages_is_further(const struct stages *s, enum stage stage);
/* A line tells of @stage. Returns true if the attempt got further. */
bool stages_line(struct stages *s, enum stage stage, uint64_t t_ns);
/* The display lit: B drew something, however far its console says that it is. */
void stages_pixel(struct stages *s, uint64_t t_ns);
/* Bare: the system that ran goes away on purpose; @stage is where it is now. */
void stages_new_boot(struct stages *s, enum stage stage, uint64_t t_ns);

#endif
