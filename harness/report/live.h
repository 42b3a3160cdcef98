/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - what a person sees while a run is under way.
 *
 * On a terminal: one line a running job (title, stage, elapsed) above a line of
 * totals, redrawn in place; log lines and attempts that surprise scroll by above
 * them. Elsewhere: one line for each finished attempt, nothing else.
 */
#ifndef KJUMP_REPORT_LIVE_H
#define KJUMP_REPORT_LIVE_H

#include <stdint.h>
#include <stdio.h>

#include "judge/verdict.h"

struct live;

/*
 * @out is borrowed. @total: attempts to come. On a terminal the log's hook is
 * taken until live_free(); so there is one live view a process.
 */
struct live *live_new(FILE *out, size_t total);
/* Takes the view off the terminal. */
void live_free(struct live *l);

/* @slot: which of the jobs that run at once; small numbers. @title is copied. */
void live_job_started(struct live *l, int slot, const char *title);
void live_stage(struct live *l, int slot, enum stage stage);
void live_job_done(struct live *l, int slot, const struct verdict *v, const char *title);

/* Redraws. @eta_ns: time to the end as estimated, UINT64_MAX if it is not known. */
void live_tick(struct live *l, size_t done, size_t total, uint64_t eta_ns);

#endif
