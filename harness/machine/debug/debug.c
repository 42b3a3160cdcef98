// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/debug/debug.h"

#include <string.h>

bool debug_regs_equal(const struct debug_regs *a, const struct debug_regs *b)
{
	if (a->names != b->names || a->n != b->n)
		return false;
	for (unsigned int i = 0; i < a->n; i++)
		if (a->present[i] != b->present[i] || (a->present[i] && a->value[i] != b->value[i]))
			return false;
	return true;
}

bool debug_regs_get(const struct debug_regs *r, const char *name, uint64_t *ret)
{
	for (unsigned int i = 0; i < r->n; i++)
		if (!strcmp(r->names[i], name)) {
			*ret = r->value[i];
			return r->present[i];
		}
	return false;
}
