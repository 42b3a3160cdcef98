/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named.h - enumerations whose values have stable names, on disk and in JSON.
 */
#ifndef KJUMP_BASE_NAMED_H
#define KJUMP_BASE_NAMED_H

#include <stddef.h>

#include "base/cleanup.h"

/* The place of @s among @names; -EINVAL if it is none of them, or NULL. */
int named_find(const char *const *names, size_t n, const char *s);

/*
 * Defines WHAT_name() and WHAT_parse() of enum WHAT, by the array @names of a
 * name for each value. The parser returns -EINVAL for any other text, also NULL.
 */
#define DEFINE_NAMED(what, names)                                \
	const char *what##_name(enum what value)                 \
	{                                                        \
		return names[value];                             \
	}                                                        \
                                                                 \
	int what##_parse(const char *s, enum what *ret)          \
	{                                                        \
		int i = named_find(names, ARRAY_SIZE(names), s); \
                                                                 \
		if (i < 0)                                       \
			return i;                                \
		*ret = (enum what)i;                             \
		return 0;                                        \
	}                                                        \
	struct what##_names_need_semicolon

#endif
