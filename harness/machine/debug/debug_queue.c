// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/debug/debug_queue.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"

void debug_queue_fini(struct debug_queue *q)
{
	size_t i;

	for (i = 0; i < q->n; i++)
		free((void *)q->requests[i].data);
	free(q->requests);
	*q = (struct debug_queue)DEBUG_QUEUE_INIT;
}

static bool memory_is_valid(const struct debug_request *r)
{
	return r->len && r->len <= DEBUG_MEMORY_MAX && r->len - 1 <= UINT64_MAX - r->address;
}

static bool is_valid(unsigned int n_cpus, const struct debug_request *r)
{
	if (r->op == DEBUG_ATTACH)
		return true;
	if (r->cpu >= n_cpus)
		return false;
	switch (r->op) {
	case DEBUG_READ_REGISTERS:
		return r->names && r->n_names && r->n_names <= DEBUG_REGS_MAX;
	case DEBUG_WRITE_REGISTER:
		return r->names;
	case DEBUG_READ_MEMORY:
		return memory_is_valid(r);
	case DEBUG_WRITE_MEMORY:
		return r->data && memory_is_valid(r);
	case DEBUG_ATTACH:
	case DEBUG_HALT:
	case DEBUG_RESUME:
	case DEBUG_STEP:
	case DEBUG_SET_BREAKPOINT:
	case DEBUG_CLEAR_BREAKPOINT:
		return true;
	}
	return false;
}

int debug_queue_push(struct debug_queue *q, unsigned int n_cpus,
		     const struct debug_request *request)
{
	struct debug_request *r;
	void *copy;

	if (!is_valid(n_cpus, request))
		return -EINVAL;
	if (q->n >= DEBUG_QUEUE_MAX)
		return -ENOBUFS;
	r = array_push(q->requests, q->n);
	*r = *request;
	r->data = NULL;
	if (request->op == DEBUG_WRITE_MEMORY) {
		copy = xmalloc(request->len);
		r->data = memcpy(copy, request->data, request->len);
	}
	return 0;
}

struct debug_request debug_queue_pop(struct debug_queue *q)
{
	struct debug_request r = q->requests[0];

	memmove(q->requests, q->requests + 1, --q->n * sizeof(r));
	return r;
}

void debug_queue_done(const struct debug_request *request, const struct debug_reply *reply)
{
	free((void *)request->data);
	if (request->done)
		request->done(reply, request->arg);
}
