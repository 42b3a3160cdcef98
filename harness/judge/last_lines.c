// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/last_lines.h"

#include <string.h>

#include "base/text.h"

/* Each line is in a batch at most three times. */
#define ENTRIES (3 * LAST_LINES)

static void add(struct last_lines *last, const char *text, size_t len)
{
	size_t i = last->n++ % LAST_LINES;

	last->len[i] = len < LAST_LINE_BYTES ? len : LAST_LINE_BYTES;
	memcpy(last->text[i], text, last->len[i]);
}

void last_lines_add(struct last_lines *last, const struct cleaner *batch)
{
	size_t i = batch->n_lines > ENTRIES ? batch->n_lines - ENTRIES : 0;

	for (; i < batch->n_lines; i++) {
		const struct line *l = &batch->lines[i];

		if (l->use == LINE_PLAIN || l->use == LINE_SHOW)
			add(last, batch->text + l->start, l->len);
	}
}

char *last_lines_text(const struct last_lines *last)
{
	struct buf out = BUF_INIT;
	uint64_t n = last->n < LAST_LINES ? last->n : LAST_LINES, i;

	for (i = last->n - n; i < last->n; i++) {
		if (out.len)
			buf_addch(&out, '\n');
		text_escape(&out, last->text[i % LAST_LINES], last->len[i % LAST_LINES]);
	}
	return buf_steal(&out);
}
