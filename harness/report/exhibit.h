/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exhibit.h - what the evidence of one attempt adds to what the store knows:
 * the proofs that were made and the pictures of the display.
 *
 * Reports do not read evidence; who calls them does, and hands them this.
 */
#ifndef KJUMP_REPORT_EXHIBIT_H
#define KJUMP_REPORT_EXHIBIT_H

#include "base/buf.h"
#include "base/err.h"
#include "store/store.h"

#define EXHIBIT_PICTURES 12

struct exhibit_check {
	bool ok;
	char *name, *expected, *seen; /* what was expected and seen may be NULL */
};

struct exhibit_picture {
	int64_t ms;	  /* since the start */
	char *file;	  /* name in the evidence */
	char *milestones; /* "first-pixel, stable", or NULL */
	struct buf png;	  /* empty: not asked for, too large, or not there */
};

/* Zeroed memory is an empty one; it owns all of it. */
struct exhibit {
	struct exhibit_check *checks;
	size_t n_checks;
	struct exhibit_picture pictures[EXHIBIT_PICTURES]; /* in order of time */
	size_t n_pictures;
	size_t n_kept; /* pictures in the evidence, these and those between them */
};

void exhibit_fini(struct exhibit *x);

/*
 * Fills @ret with what there is of @row, and with at most @picture_bytes of
 * pictures. 0 also if no evidence was kept.
 */
struct exhibit_source {
	int (*open)(const struct attempt_row *row, size_t picture_bytes, struct exhibit *ret,
		    void *arg, struct err *e);
	void *arg;
};

#endif
