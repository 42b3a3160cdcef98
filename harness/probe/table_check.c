// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/table_check.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "probe/table_content.h"

/* A control page more or less is no leak: the clone bug takes 16 times as many. */
#define LEAK_NUM	  3
#define LEAK_DEN	  2

#define EL2_VECTORS_BYTES 2048

struct checker {
	const struct table_check_input *in;
	struct table_check *c;
	uint64_t page_bytes;
};

static void add(struct table_check *c, struct table_finding f)
{
	if (c->n_findings < TABLE_FINDINGS_MAX)
		c->findings[c->n_findings] = f;
	c->n_findings++;
}

static uint64_t linear(const struct checker *k, uint64_t page)
{
	return page - k->in->image->phys_offset;
}

enum need { NEED_READ = 1, NEED_WRITE = 2, NEED_EXEC = 4 };

static bool mapping_fault(const struct arm64_leaf *l, uint64_t page, unsigned int needs,
			  enum table_fault *ret)
{
	if (l->result != ARM64_MAPPED)
		*ret = TABLE_FAULT_UNMAPPED;
	else if (l->pa != page)
		*ret = TABLE_FAULT_ELSEWHERE;
	else if (!l->normal)
		*ret = TABLE_FAULT_DEVICE;
	else if (!l->readable)
		*ret = TABLE_FAULT_UNREADABLE;
	else if ((needs & NEED_WRITE) && !l->writable)
		*ret = TABLE_FAULT_READ_ONLY;
	else if ((needs & NEED_EXEC) && !l->executable)
		*ret = TABLE_FAULT_NO_EXEC;
	else
		return false;
	return true;
}

static void check_mapping(struct checker *k, enum table_role role, uint64_t page, size_t copy,
			  unsigned int needs)
{
	bool identity = role == TABLE_ROLE_RELOCATION;
	struct table_finding f = {.role = role,
				  .page = page,
				  .va = identity ? page : linear(k, page),
				  .identity = identity,
				  .copy = copy};

	if (!phys_memory_holds(k->in->memory, page, k->page_bytes)) {
		f.fault = TABLE_FAULT_OUTSIDE;
		add(k->c, f);
		return;
	}
	arm64_walk(identity ? &k->c->lower : &k->c->upper, f.va, &f.leaf);
	if (mapping_fault(&f.leaf, page, needs, &f.fault))
		add(k->c, f);
}

/* @until: the copy that must not have been made yet by its last use... */
static void check_not_written(struct checker *k, enum table_role role, uint64_t page, size_t until)
{
	size_t copy = kimage_list_written(&k->c->list, page);

	if (copy != KIMAGE_NEVER && copy < until)
		add(k->c, (struct table_finding){.role = role,
						 .fault = TABLE_FAULT_OVERWRITTEN,
						 .page = page,
						 .copy = copy});
}

static void check_list(struct checker *k)
{
	const struct kimage_list *l = &k->c->list;
	size_t i;

	if (l->end != KIMAGE_DONE)
		add(k->c, (struct table_finding){.role = TABLE_ROLE_LIST,
						 .fault = TABLE_FAULT_BROKEN,
						 .page = l->end_at,
						 .copy = KIMAGE_NEVER});
	for (i = 0; i < l->n_indirections; i++) {
		check_mapping(k, TABLE_ROLE_INDIRECTION, l->indirections[i].page, KIMAGE_NEVER,
			      NEED_READ);
		check_not_written(k, TABLE_ROLE_INDIRECTION, l->indirections[i].page,
				  l->indirections[i].until);
	}
	for (i = 0; i < l->n_copies; i++) {
		check_mapping(k, TABLE_ROLE_SOURCE, l->copies[i].source, i, NEED_READ);
		check_not_written(k, TABLE_ROLE_SOURCE, l->copies[i].source, i);
		check_mapping(k, TABLE_ROLE_DESTINATION, l->copies[i].destination, i,
			      NEED_READ | NEED_WRITE);
	}
}

static void on_table(uint64_t table, int level, void *arg)
{
	struct checker *k = arg;

	check_not_written(k, TABLE_ROLE_TABLE, table & ~(k->page_bytes - 1), KIMAGE_NEVER);
}

static void check_unreadable(struct checker *k, const struct arm64_census *census, uint64_t root)
{
	if (census->unreadable)
		add(k->c, (struct table_finding){.role = TABLE_ROLE_TABLE,
						 .fault = TABLE_FAULT_OUTSIDE,
						 .page = root,
						 .copy = KIMAGE_NEVER});
}

static void check_tables(struct checker *k)
{
	struct table_check *c = k->c;

	arm64_visit(&c->upper, on_table, k, &c->upper_census);
	arm64_visit(&c->lower, on_table, k, &c->lower_census);
	check_unreadable(k, &c->upper_census, c->upper.root);
	check_unreadable(k, &c->lower_census, c->lower.root);
}

/* While the table is switched the CPU walks this one: nothing may be mapped in it. */
static void check_zero_page(struct checker *k)
{
	struct table_finding f = {.role = TABLE_ROLE_ZERO,
				  .fault = TABLE_FAULT_OUTSIDE,
				  .page = k->in->image->zero_page,
				  .copy = KIMAGE_NEVER};
	void *scratch __free(mem) = xmalloc(k->page_bytes);
	const uint8_t *p;
	size_t i;

	if (k->in->layout->kimage.zero_page < 0)
		return;
	p = phys_memory_get(k->in->memory, f.page, k->page_bytes, scratch);
	for (i = 0; p && i < k->page_bytes && !p[i]; i++)
		;
	if (p && i == k->page_bytes)
		return;
	if (p)
		f.fault = TABLE_FAULT_CONTENT;
	add(k->c, f);
}

static void check_control(struct checker *k)
{
	const struct kexec_image *i = k->in->image;

	check_mapping(k, TABLE_ROLE_RELOCATION, i->kern_reloc, KIMAGE_NEVER, NEED_READ | NEED_EXEC);
	check_not_written(k, TABLE_ROLE_RELOCATION, i->kern_reloc, KIMAGE_NEVER);
	check_zero_page(k);
	if (!i->el2_vectors)
		return;
	/* Used with the MMU of EL2 off, after all copies. */
	check_not_written(k, TABLE_ROLE_VECTORS, i->el2_vectors, KIMAGE_NEVER);
	if (!phys_memory_holds(k->in->memory, i->el2_vectors, EL2_VECTORS_BYTES) ||
	    i->el2_vectors % EL2_VECTORS_BYTES)
		add(k->c, (struct table_finding){.role = TABLE_ROLE_VECTORS,
						 .fault = TABLE_FAULT_OUTSIDE,
						 .page = i->el2_vectors,
						 .copy = KIMAGE_NEVER});
}

static void count_control_pages(struct checker *k)
{
	struct table_check *c = k->c;
	struct arm64_tables live;
	struct err e __free_err = ERR_INIT;

	if (arm64_tables_live(&live, k->in->memory, k->in->regime, &e) ||
	    kexec_image_control_pages(k->in->memory, k->in->layout, k->in->image, &live,
				      &c->control_pages, &e))
		c->why_not_counted = xstrdup(err_msg(&e));
}

uint64_t table_check_reached(const struct table_check *c, const struct kexec_image *i)
{
	/* The code's page, one for swapping while it was loaded. */
	return c->upper_census.n_tables + c->lower_census.n_tables + 2 + (i->el2_vectors != 0);
}

static int find_tables(struct checker *k, struct err *e)
{
	const struct table_check_input *in = k->in;
	const struct kexec_image *i = in->image;
	struct arm64_tables live;
	uint64_t root = i->ttbr1;
	int rc = arm64_tables_live(&live, in->memory, in->regime, e);

	if (rc)
		return rc;
	k->page_bytes = 1ull << live.page_shift;
	/*
	 * A kernel built for 52 bits on a CPU without them enters its table in the
	 * middle (offset_ttbr1 in Linux), now and then.
	 */
	root |= live.root & (k->page_bytes - 1);
	rc = arm64_tables_init(&k->c->upper, in->memory, in->regime, true, root, 64 - live.va_bits,
			       e);
	if (rc)
		return rc;
	return arm64_tables_init(&k->c->lower, in->memory, in->regime, false, i->ttbr0,
				 (unsigned int)i->t0sz, e);
}

int table_check(const struct table_check_input *in, struct table_check *ret, struct err *e)
{
	struct checker k = {in, ret, 0};
	int rc;

	*ret = (struct table_check){.verdict = TABLES_NONE};
	if (kexec_image_in_place(in->image))
		return 0;
	rc = find_tables(&k, e);
	if (rc)
		return rc;
	kimage_list_read(in->memory, in->image->address + (uint64_t)in->layout->kimage.head,
			 ret->upper.page_shift, &ret->list);
	check_control(&k);
	check_list(&k);
	check_tables(&k);
	count_control_pages(&k);
	table_content_check(in, ret, add);
	if (ret->n_findings)
		ret->verdict = TABLES_BAD;
	else if (ret->control_pages * LEAK_DEN > table_check_reached(ret, in->image) * LEAK_NUM)
		ret->verdict = TABLES_LEAKED;
	else
		ret->verdict = TABLES_GOOD;
	return 0;
}

void table_check_fini(struct table_check *c)
{
	kimage_list_fini(&c->list);
	free(c->why_not_counted);
	*c = (struct table_check){0};
}
