// SPDX-License-Identifier: GPL-2.0-or-later
#include "run/slots.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"

void slots_init(struct slots *s, size_t n, uint64_t budget_bytes)
{
	*s = (struct slots){
		.taken_bytes = xcalloc(n, sizeof(*s->taken_bytes)),
		.n = n,
		.budget_bytes = budget_bytes,
	};
}

void slots_fini(struct slots *s)
{
	free(s->taken_bytes);
	*s = (struct slots){0};
}

int slots_take(struct slots *s, uint64_t bytes)
{
	size_t i;

	if (!bytes)
		bytes = 1; /* 0 marks a free slot */
	if (!slots_idle(s) &&
	    (s->used_bytes > s->budget_bytes || bytes > s->budget_bytes - s->used_bytes))
		return -EAGAIN;
	for (i = 0; i < s->n; i++) {
		if (s->taken_bytes[i])
			continue;
		s->taken_bytes[i] = bytes;
		s->used_bytes += bytes;
		return (int)i;
	}
	return -EAGAIN;
}

void slots_give(struct slots *s, int slot)
{
	s->used_bytes -= s->taken_bytes[slot];
	s->taken_bytes[slot] = 0;
}

bool slots_idle(const struct slots *s)
{
	return s->used_bytes == 0;
}
