/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detail.h - lines of a kernel's report that say more about its title.
 *
 * These are no symptoms by themselves; a report that is open takes them in.
 */
#ifndef KJUMP_JUDGE_DETAIL_H
#define KJUMP_JUDGE_DETAIL_H

enum detail {
	DETAIL_PC,    /* group 1: function at the program counter */
	DETAIL_FRAME, /* group 1: function of one line of a call trace */
	DETAIL_ESR,   /* group 1: syndrome in hex */
	DETAIL_END,   /* the report's last line */
	DETAIL_LOCK,  /* group 1: function that takes the lock */
};
#define N_DETAILS (DETAIL_LOCK + 1)

extern const char *const detail_patterns[N_DETAILS];

#endif
