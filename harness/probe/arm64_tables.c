// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/arm64_tables.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "base/alloc.h"

#define BITS(v, low, n)	 (((v) >> (low)) & ((1ull << (n)) - 1))

#define DESC_VALID	 1ull
#define DESC_TABLE	 2ull /* at level 3: a page */
#define DESC_AP_EL0	 (1ull << 6)
#define DESC_AP_RO	 (1ull << 7)
#define DESC_AF		 (1ull << 10)
#define DESC_DBM	 (1ull << 51)
#define DESC_CONTIGUOUS	 (1ull << 52)
#define DESC_PXN	 (1ull << 53)
#define DESC_PI_INDEX	 (1ull << 6 | 1ull << 51 | 1ull << 53 | 1ull << 54)
#define DESC_TABLE_PXN	 (1ull << 59)
#define DESC_TABLE_RO	 (1ull << 62)

#define TCR_HA		 (1ull << 39)
#define TCR_HD		 (1ull << 40)
#define TCR_HPD(upper)	 (1ull << ((upper) ? 42 : 41))
#define TCR_DS		 (1ull << 59)
#define TCR_IPS_52	 6
#define TCR2_PIE	 (1ull << 1)
#define TCR2_D128	 (1ull << 5)

#define HCR_TGE		 (1ull << 27)
#define HCR_E2H		 (1ull << 34)

#define TABLE_LEVEL_LAST 3

const char *const arm64_regime_registers[ARM64_N_REGISTERS] = {
	"ttbr0_el1", "ttbr1_el1", "tcr_el1", "mair_el1", "tcr2_el1", "pir_el1", "hcr_el2",
	"ttbr0_el2", "ttbr1_el2", "tcr_el2", "mair_el2", "tcr2_el2", "pir_el2",
};

const char *const arm64_walk_names[N_ARM64_WALKS] = {
	[ARM64_MAPPED] = "mapped",
	[ARM64_NOT_CANONICAL] = "outside the address range",
	[ARM64_NOT_MAPPED] = "not mapped",
	[ARM64_RESERVED] = "mapped by a reserved descriptor",
	[ARM64_UNREADABLE] = "behind a table outside of RAM",
};

int arm64_regime_read(const struct debug_regs *r, struct arm64_regime *ret)
{
	uint64_t hcr = 0;
	bool vhe;

	debug_regs_get(r, "hcr_el2", &hcr);
	vhe = (hcr & (HCR_E2H | HCR_TGE)) == (HCR_E2H | HCR_TGE);
	*ret = (struct arm64_regime){0};
	/* A CPU without them is no error. */
	debug_regs_get(r, vhe ? "tcr2_el2" : "tcr2_el1", &ret->tcr2);
	debug_regs_get(r, vhe ? "pir_el2" : "pir_el1", &ret->pir);
	debug_regs_get(r, vhe ? "ttbr0_el2" : "ttbr0_el1", &ret->ttbr0);
	if (!debug_regs_get(r, vhe ? "ttbr1_el2" : "ttbr1_el1", &ret->ttbr1) ||
	    !debug_regs_get(r, vhe ? "tcr_el2" : "tcr_el1", &ret->tcr) ||
	    !debug_regs_get(r, vhe ? "mair_el2" : "mair_el1", &ret->mair))
		return -ENODATA;
	return 0;
}

/* TCR.TG0 and TG1 have different codes; 0: reserved. */
static unsigned int granule(uint64_t tcr, bool upper)
{
	static const unsigned int lower_shift[] = {12, 16, 14, 0}, upper_shift[] = {0, 14, 12, 16};

	return upper ? upper_shift[BITS(tcr, 30, 2)] : lower_shift[BITS(tcr, 14, 2)];
}

int arm64_tables_init(struct arm64_tables *t, const struct phys_memory *memory,
		      const struct arm64_regime *r, bool upper, uint64_t root, unsigned int tsz,
		      struct err *e)
{
	unsigned int shift = granule(r->tcr, upper), stride = shift - 3, levels;
	bool ds = shift != 16 && (r->tcr & TCR_DS);

	if (!shift || (r->tcr2 & TCR2_D128))
		return err_set(e, ENOTSUP, "translation tables of an unknown format (TCR %#llx)",
			       (unsigned long long)r->tcr);
	if (tsz > 64 - shift - 1 || tsz < 12 || (tsz < 16 && !ds && shift != 16))
		return err_set(e, EINVAL, "no CPU has a region size of 64 - %u bits here", tsz);
	levels = (64 - tsz - shift + stride - 1) / stride;
	*t = (struct arm64_tables){
		.memory = memory,
		.root = root & ~7ull, /* as entries are */
		.page_shift = shift,
		.va_bits = 64 - tsz,
		.upper = upper,
		.wide = ds || (shift == 16 && BITS(r->tcr, 32, 3) == TCR_IPS_52),
		.ds = ds,
		.access = r->tcr & TCR_HA,
		.dirty = (r->tcr & TCR_HA) && (r->tcr & TCR_HD),
		.flat = (r->tcr & TCR_HPD(upper)) || (r->tcr2 & TCR2_PIE),
		.indirect = r->tcr2 & TCR2_PIE,
		.start = TABLE_LEVEL_LAST + 1 - (int)levels,
		.pir = r->pir,
		.mair = r->mair,
	};
	return 0;
}

int arm64_tables_live(struct arm64_tables *t, const struct phys_memory *memory,
		      const struct arm64_regime *r, struct err *e)
{
	int rc = arm64_tables_init(t, memory, r, true, 0, BITS(r->tcr, 16, 6), e);

	if (rc)
		return rc;
	t->root = r->ttbr1 & 0xfffffffffffeull;
	/* TTBR.BADDR[5:2] are address bits 51 to 48 then, and a table has at least 64 bytes. */
	if (t->wide)
		t->root = (t->root & ~63ull) | BITS(r->ttbr1, 2, 4) << 48;
	return 0;
}

static uint64_t output(const struct arm64_tables *t, uint64_t descriptor, unsigned int shift)
{
	uint64_t pa = BITS(descriptor, 0, t->ds ? 50 : 48);

	pa &= ~((1ull << shift) - 1);
	if (t->ds)
		pa |= BITS(descriptor, 8, 2) << 50;
	else if (t->wide)
		pa |= BITS(descriptor, 12, 4) << 48;
	return pa;
}

/* Bits of an address below those that index a table of @level. */
static unsigned int level_shift(const struct arm64_tables *t, int level)
{
	return t->page_shift + (unsigned int)(TABLE_LEVEL_LAST - level) * (t->page_shift - 3);
}

/* Entries of a table: the first may be smaller than a page. */
static unsigned int entries(const struct arm64_tables *t, int level)
{
	unsigned int bits = t->page_shift - 3;

	if (level == t->start && t->va_bits - level_shift(t, level) < bits)
		bits = t->va_bits - level_shift(t, level);
	return 1u << bits;
}

static bool has_blocks(const struct arm64_tables *t, int level)
{
	if (level == 2)
		return true;
	if (t->page_shift == 12)
		return level == 1 || (level == 0 && t->ds);
	return level == 1 && t->wide;
}

/* Read, write, execute of each value of a PIR field; reserved ones give nothing. */
static unsigned int indirect_permission(unsigned int field)
{
	static const uint8_t rwx[16] = {[1] = 4, [2] = 1, [3] = 5,  [5] = 6,  [6] = 6, [7] = 7,
					[8] = 4, [9] = 4, [10] = 5, [12] = 6, [14] = 7};

	return rwx[field];
}

static void resolve_indirect(const struct arm64_tables *t, struct arm64_leaf *l)
{
	uint64_t d = l->descriptor;
	unsigned int index = (unsigned int)(BITS(d, 6, 1) | BITS(d, 51, 1) << 1 |
					    BITS(d, 53, 1) << 2 | BITS(d, 54, 1) << 3);
	unsigned int rwx = indirect_permission((unsigned int)BITS(t->pir, index * 4, 4));
	bool not_dirty = d & DESC_AP_RO;

	l->readable = rwx & 4;
	l->writable = (rwx & 2) && (!not_dirty || t->dirty);
	l->clean = l->writable && not_dirty;
	l->executable = rwx & 1;
}

bool arm64_read_only(const struct arm64_tables *t, uint64_t descriptor, uint64_t *ret)
{
	uint64_t index;

	if (!t->indirect) {
		*ret = (descriptor | DESC_AP_RO) & ~DESC_DBM;
		return true;
	}
	for (index = 0; index < 16; index++) {
		if (indirect_permission((unsigned int)BITS(t->pir, index * 4, 4)) != 4)
			continue;
		*ret = (descriptor & ~DESC_PI_INDEX) | (index & 1) << 6 | (index >> 1 & 1) << 51 |
		       (index >> 2 & 1) << 53 | (index >> 3) << 54;
		return true;
	}
	return false;
}

static void resolve_direct(const struct arm64_tables *t, uint64_t above, struct arm64_leaf *l)
{
	uint64_t d = l->descriptor;

	l->readable = true;
	l->writable =
		!(above & DESC_TABLE_RO) && (!(d & DESC_AP_RO) || ((d & DESC_DBM) && t->dirty));
	l->clean = l->writable && (d & DESC_AP_RO);
	/* What EL0 may write the kernel never executes. */
	l->executable =
		!(d & DESC_PXN) && !(above & DESC_TABLE_PXN) && !((d & DESC_AP_EL0) && l->writable);
}

static void resolve(const struct arm64_tables *t, uint64_t above, uint64_t va, struct arm64_leaf *l)
{
	unsigned int shift = level_shift(t, l->level);

	l->size_bytes = 1ull << shift;
	l->pa = output(t, l->descriptor, shift) | (va & (l->size_bytes - 1));
	l->contiguous = l->descriptor & DESC_CONTIGUOUS;
	l->attributes = (uint8_t)BITS(t->mair, BITS(l->descriptor, 2, 3) * 8, 8);
	l->normal = l->attributes >> 4;
	if (t->indirect)
		resolve_indirect(t, l);
	else
		resolve_direct(t, t->flat ? 0 : above, l);
	if (!(l->descriptor & DESC_AF) && !t->access)
		l->readable = l->writable = l->executable = false;
}

static bool canonical(const struct arm64_tables *t, uint64_t va)
{
	return va >> t->va_bits == (t->upper ? ~0ull >> t->va_bits : 0);
}

static bool is_leaf(uint64_t descriptor, int level)
{
	return level == TABLE_LEVEL_LAST || !(descriptor & DESC_TABLE);
}

/* A leaf's descriptor that the architecture does not define at this level. */
static bool reserved(const struct arm64_tables *t, uint64_t descriptor, int level)
{
	return level == TABLE_LEVEL_LAST ? !(descriptor & DESC_TABLE) : !has_blocks(t, level);
}

/* One step of a walk in @l->level; *@table becomes the next. false: it ends here. */
static bool walk_level(const struct arm64_tables *t, uint64_t va, uint64_t *table,
		       struct arm64_leaf *l)
{
	uint64_t index = (va >> level_shift(t, l->level)) & (entries(t, l->level) - 1);

	l->descriptor_address = *table + index * 8;
	l->result = ARM64_UNREADABLE;
	if (phys_memory_u64(t->memory, l->descriptor_address, &l->descriptor))
		return false;
	l->result = ARM64_NOT_MAPPED;
	if (!(l->descriptor & DESC_VALID))
		return false;
	if (is_leaf(l->descriptor, l->level)) {
		l->result = reserved(t, l->descriptor, l->level) ? ARM64_RESERVED : ARM64_MAPPED;
		return false;
	}
	*table = output(t, l->descriptor, t->page_shift);
	return true;
}

void arm64_walk(const struct arm64_tables *t, uint64_t va, struct arm64_leaf *ret)
{
	uint64_t table = t->root, above = 0;

	*ret = (struct arm64_leaf){.result = ARM64_NOT_CANONICAL, .level = t->start};
	if (!canonical(t, va))
		return;
	while (walk_level(t, va, &table, ret)) {
		above |= ret->descriptor;
		*ret = (struct arm64_leaf){.level = ret->level + 1};
	}
	if (ret->result == ARM64_MAPPED)
		resolve(t, above, va, ret);
}

bool arm64_descriptor_at(const struct arm64_tables *t, uint64_t va, int level, uint64_t *ret)
{
	struct arm64_leaf l = {.level = t->start};
	uint64_t table = t->root;

	while (canonical(t, va) && l.level <= level) {
		bool more = walk_level(t, va, &table, &l);

		if (l.level == level && l.result != ARM64_UNREADABLE) {
			*ret = l.descriptor_address;
			return true;
		}
		if (!more)
			return false;
		l.level++;
	}
	return false;
}

struct visit {
	const struct arm64_tables *t;
	arm64_table_fn fn;
	void *arg;
	struct arm64_census *census;
	uint8_t *seen; /* a bit for each page of memory */
};

static bool first_time(struct visit *v, uint64_t table)
{
	uint64_t page = (table - v->t->memory->address) >> v->t->page_shift;
	uint8_t bit = (uint8_t)(1u << (page & 7));

	if (v->seen[page >> 3] & bit)
		return false;
	v->seen[page >> 3] |= bit;
	return true;
}

static void visit_table(struct visit *v, uint64_t table, int level);

static void visit_entry(struct visit *v, uint64_t d, int level)
{
	if (!(d & DESC_VALID))
		return;
	if (level < TABLE_LEVEL_LAST && (d & DESC_TABLE))
		visit_table(v, output(v->t, d, v->t->page_shift), level + 1);
	else if (level < TABLE_LEVEL_LAST)
		v->census->blocks++;
	else
		v->census->leaves++;
}

/* At most five deep. */
static void visit_table(struct visit *v, uint64_t table, int level)
{
	unsigned int i, n = entries(v->t, level);
	void *scratch __free(mem) = NULL;
	const uint64_t *d;

	if (!v->t->memory->bytes)
		scratch = xmalloc(n * sizeof(*d));
	d = phys_memory_get(v->t->memory, table, n * sizeof(*d), scratch);
	if (!d) {
		v->census->unreadable++;
		return;
	}
	if (!first_time(v, table)) {
		v->census->again++;
		return;
	}
	v->census->tables[level + 1]++;
	v->census->n_tables++;
	if (v->fn)
		v->fn(table, level, v->arg);
	for (i = 0; i < n; i++)
		visit_entry(v, le64toh(d[i]), level);
}

void arm64_visit(const struct arm64_tables *t, arm64_table_fn fn, void *arg,
		 struct arm64_census *ret)
{
	struct visit v = {.t = t, .fn = fn, .arg = arg, .census = ret};

	*ret = (struct arm64_census){0};
	v.seen = xcalloc((t->memory->size_bytes >> t->page_shift) / 8 + 1, 1);
	visit_table(&v, t->root, t->start);
	free(v.seen);
}
