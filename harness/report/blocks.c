// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/blocks.h"

#include <string.h>

#include "base/alloc.h"

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

void blocks_init(struct blocks *b, const struct run_rows *r)
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

void blocks_fini(struct blocks *b)
{
	size_t i;

	for (i = 0; i < b->n; i++) {
		free(b->blocks[i].jobs);
		names_fini(&b->blocks[i].from);
		names_fini(&b->blocks[i].to);
	}
	free(b->blocks);
}

size_t block_cell(const struct block *b, const char *from, const char *to,
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
		if (block_cell(b, b->jobs[i]->first->from, b->jobs[i]->first->to, &job) > 1)
			return true;
	}
	return false;
}

bool blocks_begins_place(const struct blocks *b, size_t i)
{
	return !i || b->blocks[i].place != b->blocks[i - 1].place;
}

bool run_is_matrix(const struct run_rows *r)
{
	struct blocks b __cleanup(blocks_fini);
	size_t i, cells = 0, places = 0;
	bool full = false;

	blocks_init(&b, r);
	for (i = 0; i < b.n; i++) {
		places += blocks_begins_place(&b, i);
		cells += b.blocks[i].from.n * b.blocks[i].to.n;
		full = full || has_full_cell(&b.blocks[i]);
	}
	return !full && r->n_jobs >= 3 * places && 4 * r->n_jobs >= 3 * cells;
}
