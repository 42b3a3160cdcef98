/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lease.h - one user a board: a locked file in the results that all share.
 *
 * The kernel drops the lock however its owner dies; who that was stays in the
 * file, so that the next one can tell that the board was not left as it rests.
 */
#ifndef KJUMP_MACHINE_LEASE_H
#define KJUMP_MACHINE_LEASE_H

#include <stdbool.h>

#include "base/err.h"

struct lease {
	int fd; /* -1: none is held */
};

#define LEASE_INIT \
	{          \
		-1 \
	}

/*
 * Takes the lease on @place below @results; -EBUSY names its owner, unless
 * @wait. *ret_dead: the owner that died with it, *returned*, or NULL.
 */
int lease_take(struct lease *l, const char *results, const char *place, bool wait, char **ret_dead,
	       struct err *e);
/* The board is as it rests. Legal in any state. */
void lease_give(struct lease *l);

#endif
