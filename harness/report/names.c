// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/names.h"

#include <string.h>

#include "base/alloc.h"

size_t names_add(struct names *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (!strcmp(s->names[i], name))
			return i;
	}
	*array_push(s->names, s->n) = name;
	return i;
}

void names_fini(struct names *s)
{
	free(s->names);
}
