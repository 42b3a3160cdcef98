/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_queue.h - requests that wait for their turn; for drivers of the debug
 * port. Owns copies of the data to be written.
 */
#ifndef KJUMP_MACHINE_DEBUG_QUEUE_H
#define KJUMP_MACHINE_DEBUG_QUEUE_H

#include "machine/debug/debug.h"

struct debug_queue {
	struct debug_request *requests; /* the oldest first */
	size_t n;
};

#define DEBUG_QUEUE_INIT \
	{                \
		NULL, 0  \
	}

void debug_queue_fini(struct debug_queue *q);

/*
 * What debug_ops.submit answers: -EINVAL, -ENOBUFS, or 0 and it waits. @n_cpus:
 * DEBUG_CPUS_MAX while it is not known; then the driver looks again later.
 */
int debug_queue_push(struct debug_queue *q, unsigned int n_cpus,
		     const struct debug_request *request);

/* Takes the oldest, which the caller gives to debug_queue_done(). @q is not empty. */
struct debug_request debug_queue_pop(struct debug_queue *q);

/* Answers @request and forgets its data. The port may be freed in there. */
void debug_queue_done(const struct debug_request *request, const struct debug_reply *reply);

#endif
