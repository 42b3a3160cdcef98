/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * style.h - how wide and how colourful text may be where it goes.
 *
 * Everything that a report prints passes through style_add(): no byte that a
 * guest or a file had a say in reaches a terminal as it is.
 */
#ifndef KJUMP_REPORT_STYLE_H
#define KJUMP_REPORT_STYLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"
#include "judge/verdict.h"

struct style {
	unsigned int width; /* columns */
	bool colour;
};

enum tone { TONE_PLAIN, TONE_TITLE, TONE_GOOD, TONE_WARN, TONE_BAD, TONE_DIM };

/*
 * Of a terminal its width and colours, unless NO_COLOR is set or TERM is dumb;
 * of anything else $COLUMNS or 80, and no colour.
 */
struct style style_of(FILE *out);

/* A terminal that can move its cursor. */
bool style_is_terminal(FILE *out);

/* Appends @text, escaped, in @tone. */
void style_add(struct buf *out, const struct style *s, enum tone tone, const char *text);

/* The same, with "..." for what does not fit into @columns (at least 4). */
void style_add_cut(struct buf *out, const struct style *s, enum tone tone, const char *text,
		   unsigned int columns);

/* Columns that @text takes once it is escaped. */
unsigned int style_columns(const char *text);

/* Appends @n blanks. */
void style_pad(struct buf *out, unsigned int n);

enum tone style_outcome_tone(enum outcome o);

/* Appends "1.9s", from 100 s on "143s". */
void style_add_ms(struct buf *out, int64_t ms);

#endif
