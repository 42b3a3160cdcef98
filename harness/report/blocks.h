/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blocks.h - a run as blocks of from (down) by to (across), however they are drawn.
 */
#ifndef KJUMP_REPORT_BLOCKS_H
#define KJUMP_REPORT_BLOCKS_H

#include "report/names.h"
#include "report/rows.h"

/* One machine, kernel and kind of jump. */
struct block {
	size_t place, kind;	     /* the first jobs of the run with the same ones */
	const struct job_sum **jobs; /* in plan order; borrowed */
	size_t n;
	struct names from, to; /* in the order in which the run names profiles */
};

struct blocks {
	struct block *blocks; /* by place, then kind */
	size_t n;
};

/* @r is borrowed, as are all strings. */
void blocks_init(struct blocks *b, const struct run_rows *r);
void blocks_fini(struct blocks *b);

/* Is block @i the first one of its machine and kernel? */
bool blocks_begins_place(const struct blocks *b, size_t i);

/* How many jobs a cell holds; the last one of them in *ret. */
size_t block_cell(const struct block *b, const char *from, const char *to,
		  const struct job_sum **ret);

/*
 * Do the jobs fill a matrix? Not if they are a list of jumps: a cell would hold
 * several jobs, few would hold any, or there are hardly any on each machine.
 */
bool run_is_matrix(const struct run_rows *r);

#endif
