// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * matrix.c - from down, to across; blocks side by side as far as they fit.
 */
#include "report/text.h"

#include <string.h>

#include "base/alloc.h"
#include "report/names.h"
#include "report/table.h"

#define INDENT 2
#define GAP    4 /* between blocks */

/* One machine, kernel and kind of jump. */
struct block {
	size_t place, kind;	     /* the first jobs of the run with the same ones */
	const struct job_sum **jobs; /* in plan order; borrowed */
	size_t n;
	struct names from, to; /* in the order in which the run names profiles */
};

struct blocks {
	struct block *blocks; /* by place, then kind */
	size_t n;
};

static bool same(const char *a, const char *b)
{
	return !strcmp(a, b);
}

static bool same_place(const struct attempt_row *a, const struct attempt_row *b)
{
	return same(a->machine, b->machine) && same(a->from_kernel, b->from_kernel) &&
	       same(a->to_kernel, b->to_kernel);
}

static bool same_kind(const struct attempt_row *a, const struct attempt_row *b)
{
	/* A profile's own tree belongs to its column; A's live one makes it another kind. */
	return same(a->kind, b->kind) && same(a->dt, "live") == same(b->dt, "live") &&
	       a->kexec_checks == b->kexec_checks;
}

/* The first job of the run that is the same as job @i. */
static size_t first_job(const struct run_rows *r, size_t i,
			bool (*is_same)(const struct attempt_row *, const struct attempt_row *))
{
	size_t k = 0;

	while (!is_same(r->jobs[k].first, r->jobs[i].first))
		k++;
	return k;
}

static struct block *block_of(struct blocks *b, size_t place, size_t kind)
{
	struct block *block;
	size_t i;

	for (i = 0; i < b->n; i++) {
		if (b->blocks[i].place == place && b->blocks[i].kind == kind)
			return &b->blocks[i];
	}
	block = array_push(b->blocks, b->n);
	block->place = place;
	block->kind = kind;
	return block;
}

static int compare_blocks(const void *x, const void *y)
{
	const struct block *a = x, *b = y;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return (a->kind > b->kind) - (a->kind < b->kind);
}

static void name_axes(struct block *b, const struct names *profiles)
{
	size_t i, k;

	for (i = 0; i < profiles->n; i++) {
		for (k = 0; k < b->n; k++) {
			if (same(b->jobs[k]->first->from, profiles->names[i]))
				names_add(&b->from, profiles->names[i]);
			if (same(b->jobs[k]->first->to, profiles->names[i]))
				names_add(&b->to, profiles->names[i]);
		}
	}
}

static void blocks_init(struct blocks *b, const struct run_rows *r)
{
	struct names profiles __free_names = NAMES_INIT;
	size_t i;

	*b = (struct blocks){0};
	for (i = 0; i < r->n_jobs; i++) {
		struct block *block =
			block_of(b, first_job(r, i, same_place), first_job(r, i, same_kind));

		*array_push(block->jobs, block->n) = &r->jobs[i];
		names_add(&profiles, r->jobs[i].first->from);
		names_add(&profiles, r->jobs[i].first->to);
	}
	for (i = 0; i < b->n; i++)
		name_axes(&b->blocks[i], &profiles);
	if (b->n)
		qsort(b->blocks, b->n, sizeof(*b->blocks), compare_blocks);
}

static void blocks_fini(struct blocks *b)
{
	size_t i;

	for (i = 0; i < b->n; i++) {
		free(b->blocks[i].jobs);
		names_fini(&b->blocks[i].from);
		names_fini(&b->blocks[i].to);
	}
	free(b->blocks);
}

/* How many jobs a cell holds; the last one of them in *ret. */
static size_t cell_of(const struct block *b, const char *from, const char *to,
		      const struct job_sum **ret)
{
	size_t i, n = 0;

	for (i = 0; i < b->n; i++) {
		if (same(b->jobs[i]->first->from, from) && same(b->jobs[i]->first->to, to)) {
			*ret = b->jobs[i];
			n++;
		}
	}
	return n;
}

static bool has_full_cell(const struct block *b)
{
	const struct job_sum *job;
	size_t i;

	for (i = 0; i < b->n; i++) {
		if (cell_of(b, b->jobs[i]->first->from, b->jobs[i]->first->to, &job) > 1)
			return true;
	}
	return false;
}

static bool begins_place(const struct blocks *b, size_t i)
{
	return !i || b->blocks[i].place != b->blocks[i - 1].place;
}

bool text_is_matrix(const struct run_rows *r)
{
	struct blocks b __cleanup(blocks_fini);
	size_t i, cells = 0, places = 0;
	bool full = false;

	blocks_init(&b, r);
	for (i = 0; i < b.n; i++) {
		places += begins_place(&b, i);
		cells += b.blocks[i].from.n * b.blocks[i].to.n;
		full = full || has_full_cell(&b.blocks[i]);
	}
	return !full && r->n_jobs >= 3 * places && 4 * r->n_jobs >= 3 * cells;
}

static void add_cell(struct table *t, const struct block *b, const char *from, const char *to)
{
	struct buf text __free_buf = BUF_INIT;
	const struct job_sum *job;

	if (!cell_of(b, from, to, &job)) {
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
		if (begins_place(&b, i)) {
			band_flush(&band, s, out);
			buf_adds(out, i ? "\n" : "");
			add_place(b.blocks[i].jobs[0], s, out);
		}
		put_block(&b.blocks[i], &band, s, out);
	}
	band_flush(&band, s, out);
}
