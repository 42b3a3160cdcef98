// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * matrix.c - from down, to across; blocks side by side as far as they fit.
 */
#include "report/text.h"

#include <string.h>

#include "base/alloc.h"
#include "report/blocks.h"
#include "report/table.h"

#define INDENT 2
#define GAP    4 /* between blocks */

static void add_cell(struct table *t, const struct block *b, const char *from, const char *to)
{
	struct buf text __free_buf = BUF_INIT;
	const struct job_sum *job;

	if (!block_cell(b, from, to, &job)) {
		table_cell(t, TONE_DIM, ".");
		return;
	}
	job_sum_text(job, &text);
	table_cell(t, job_sum_tone(job), text.data);
}

/* Columns @first to @last of a block; *returned*. */
static struct table *part_of(const struct block *b, size_t first, size_t last)
{
	struct table *t = table_new((unsigned int)(last - first) + 1);
	struct buf kind __free_buf = BUF_INIT;
	size_t from, to;

	job_sum_kind(b->jobs[0], &kind);
	table_cell(t, TONE_TITLE, kind.data);
	for (to = first; to < last; to++)
		table_cell(t, TONE_PLAIN, b->to.names[to]);
	for (from = 0; from < b->from.n; from++) {
		table_cell(t, TONE_PLAIN, b->from.names[from]);
		for (to = first; to < last; to++)
			add_cell(t, b, b->from.names[from], b->to.names[to]);
	}
	return t;
}

/* Tables that stand beside each other. */
struct band {
	struct table *tables[16];
	size_t n;
	unsigned int width;
};

static void band_flush(struct band *band, const struct style *s, struct buf *out)
{
	size_t row, rows = 0, i;

	for (i = 0; i < band->n; i++) {
		if (table_n_rows(band->tables[i]) > rows)
			rows = table_n_rows(band->tables[i]);
	}
	for (row = 0; row < rows; row++) {
		size_t start = out->len;

		for (i = 0; i < band->n; i++) {
			style_pad(out, i ? GAP : INDENT);
			table_add_row(band->tables[i], row, s, i + 1 < band->n, out);
		}
		while (out->len > start && out->data[out->len - 1] == ' ')
			buf_truncate(out, out->len - 1);
		buf_addch(out, '\n');
	}
	for (i = 0; i < band->n; i++)
		table_free(band->tables[i]);
	*band = (struct band){0};
}

/* @t is *taken*. */
static void band_put(struct band *band, struct table *t, const struct style *s, struct buf *out)
{
	unsigned int width = GAP + table_width(t);

	if (band->n && (band->n == ARRAY_SIZE(band->tables) || band->width + width > s->width)) {
		band_flush(band, s, out);
		buf_addch(out, '\n');
	}
	band->tables[band->n++] = t;
	band->width += band->n == 1 ? INDENT + width - GAP : width;
}

/* A block that is too wide is cut into parts of as many columns as fit. */
static void put_block(const struct block *b, struct band *band, const struct style *s,
		      struct buf *out)
{
	size_t first, last;

	for (first = 0; first < b->to.n; first = last) {
		struct table *t = NULL;

		for (last = b->to.n;; last--) {
			table_free(t);
			t = part_of(b, first, last);
			if (last == first + 1 || INDENT + table_width(t) <= s->width)
				break;
		}
		band_put(band, t, s, out);
	}
}

static void add_place(const struct job_sum *job, const struct style *s, struct buf *out)
{
	struct buf text __free_buf = BUF_INIT;

	buf_addf(&text, "%s, ", job->first->machine);
	job_sum_kernels(job, &text);
	style_add(out, s, TONE_TITLE, text.data);
	buf_addch(out, '\n');
}

void text_matrix(const struct run_rows *r, const struct style *s, struct buf *out)
{
	struct blocks b __cleanup(blocks_fini);
	struct band band = {0};
	size_t i;

	blocks_init(&b, r);
	for (i = 0; i < b.n; i++) {
		if (blocks_begins_place(&b, i)) {
			band_flush(&band, s, out);
			buf_adds(out, i ? "\n" : "");
			add_place(b.blocks[i].jobs[0], s, out);
		}
		put_block(&b.blocks[i], &band, s, out);
	}
	band_flush(&band, s, out);
}
