/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grep_patterns.h - the patterns of the rules as `grep -E -f` reads them.
 */
#ifndef KJUMP_TEST_BENCH_GREP_PATTERNS_H
#define KJUMP_TEST_BENCH_GREP_PATTERNS_H

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "plan/rule.h"

/* The pattern as POSIX writes it; false if POSIX cannot say it. */
static inline bool grep_as_extended(const char *p, struct buf *out)
{
	if (strstr(p, "(?=") || strstr(p, "(?!"))
		return false;
	while (*p) {
		if (!strncmp(p, "(?:", 3)) {
			buf_addch(out, '(');
			p += 3;
		} else if (!strncmp(p, "\\d", 2)) {
			buf_adds(out, "[0-9]");
			p += 2;
		} else if (p[0] == '?' && out->len && strchr("*+?}", out->data[out->len - 1])) {
			p++; /* lazy: it matches the same lines */
		} else if (*p == '\\' && p[1]) {
			buf_add(out, p, 2);
			p += 2;
		} else {
			buf_addch(out, *p++);
		}
	}
	return true;
}

/* All that grep can say, one a line, into @path; returns how many. */
static inline size_t grep_write_patterns(const struct rule_set *rules, const char *path)
{
	struct buf all __free_buf = BUF_INIT;
	size_t i, n = 0;

	for (i = 0; i < rules->n; i++) {
		struct buf one __free_buf = BUF_INIT;

		if (!grep_as_extended(rules->rules[i].match, &one))
			continue;
		buf_add(&all, one.data, one.len);
		buf_addch(&all, '\n');
		n++;
	}
	if (file_write(path, all.data, all.len, NULL))
		exit(1);
	return n;
}

#endif
