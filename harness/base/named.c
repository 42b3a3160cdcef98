// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/named.h"

#include <errno.h>
#include <string.h>

int named_find(const char *const *names, size_t n, const char *s)
{
	size_t i;

	for (i = 0; s && i < n; i++)
		if (!strcmp(names[i], s))
			return (int)i;
	return -EINVAL;
}
