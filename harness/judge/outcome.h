/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outcome.h - what a history comes to.
 */
#ifndef KJUMP_JUDGE_OUTCOME_H
#define KJUMP_JUDGE_OUTCOME_H

#include "judge/history.h"

/* Fills outcome, stage, proof, texts, ranges of @v. */
void outcome_decide(const struct history *h, struct verdict *v);

#endif
