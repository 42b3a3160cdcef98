/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * last_lines.h - the newest lines of a console, for a person to look at.
 */
#ifndef KJUMP_JUDGE_LAST_LINES_H
#define KJUMP_JUDGE_LAST_LINES_H

#include "judge/clean.h"

#define LAST_LINES	12
#define LAST_LINE_BYTES 200

/* A ring; zeroed memory is an empty one. */
struct last_lines {
	char text[LAST_LINES][LAST_LINE_BYTES];
	size_t len[LAST_LINES];
	uint64_t n; /* lines ever */
};

/* Takes in the lines of a batch. */
void last_lines_add(struct last_lines *last, const struct cleaner *batch);

/* All of them, escaped, one a line; *returned*. */
char *last_lines_text(const struct last_lines *last);

#endif
