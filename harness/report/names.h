/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - a set of strings in the order in which they were first seen.
 */
#ifndef KJUMP_REPORT_NAMES_H
#define KJUMP_REPORT_NAMES_H

#include <stddef.h>

#include "base/cleanup.h"

struct names {
	const char **names; /* borrowed strings */
	size_t n;
};

#define NAMES_INIT      \
	{               \
		NULL, 0 \
	}

/* Place of @name, which is added if it is new. */
size_t names_add(struct names *s, const char *name);
void names_fini(struct names *s);

#define __free_names __cleanup(names_fini)

#endif
