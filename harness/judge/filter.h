/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h - what every match of a pattern must contain.
 *
 * The filter looks for literals, which costs a fraction of looking for whole
 * patterns; a pattern that needs none of three bytes is left as it is. Only
 * the syntax that rules use is understood; anything else gives no literals,
 * which is always right.
 */
#ifndef KJUMP_JUDGE_FILTER_H
#define KJUMP_JUDGE_FILTER_H

#include <stddef.h>

struct literals {
	char **text; /* one of them stands in every match */
	size_t n;
};

/* Literals of @pattern; none if it needs none. */
void literals_of(const char *pattern, struct literals *ret);
void literals_fini(struct literals *l);

#endif
