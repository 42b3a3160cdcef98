// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-arm64-tables.c - descriptors whose bits matter, one by one; expected values are
 * those of the Arm Architecture Reference Manual.
 */
#include "test/test.h"

#include "base/alloc.h"
#include "probe/arm64_tables.h"

#define TOP	   (1ull << 51) /* memory that only a 52-bit address reaches */
#define PAGES	   8

#define TCR_DS	   (1ull << 59)
#define TCR_HPD0   (1ull << 41)
#define TCR_HA_HD  (3ull << 39)
#define TCR_IPS_52 (6ull << 32)
#define TCR2_PIE   2

#define AF	   (1ull << 10)

struct fixture {
	uint64_t *words;
	uint64_t address, page_bytes;
	struct phys_memory memory;
	struct arm64_regime regime;
	struct arm64_tables tables;
	struct arm64_leaf leaf;
};

static void make(struct fixture *f, uint64_t address, unsigned int page_shift, uint64_t tcr,
		 unsigned int tsz)
{
	static const uint64_t tg0[] = {[12] = 0, [14] = 2, [16] = 1};
	struct err e __free_err = ERR_INIT;

	f->address = address;
	f->page_bytes = 1ull << page_shift;
	f->words = xcalloc(PAGES, f->page_bytes);
	f->memory = (struct phys_memory){.address = address,
					 .size_bytes = PAGES * f->page_bytes,
					 .bytes = (uint8_t *)f->words,
					 .fd = -1};
	f->regime.tcr = tcr | tg0[page_shift] << 14;
	f->regime.mair = 0xff;
	if (arm64_tables_init(&f->tables, &f->memory, &f->regime, false, address, tsz, &e))
		fail_msg("%s", err_msg(&e));
}

static void set(struct fixture *f, unsigned int page, unsigned int index, uint64_t descriptor)
{
	f->words[page * f->page_bytes / 8 + index] = descriptor;
}

static void walk(struct fixture *f, uint64_t va)
{
	arm64_walk(&f->tables, va, &f->leaf);
}

/* Page @n of memory as an address in a descriptor, each with its own way to hold bit 51. */
static uint64_t wide_address(const struct fixture *f, unsigned int n)
{
	uint64_t low = (f->address + n * f->page_bytes) & ((1ull << 48) - 1);

	return low | (f->page_bytes == 65536 ? 1ull << 15 : 1ull << 9);
}

static void addresses_of_52_bits(void **state)
{
	static const struct {
		unsigned int shift;
		uint64_t tcr;
		int start;
	} rows[] = {{12, TCR_DS, -1}, {14, TCR_DS, 0}, {16, TCR_IPS_52, 1}};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fixture f = {0};
		struct arm64_census census;
		unsigned int page = 0;
		int level;

		make(&f, TOP, rows[i].shift, rows[i].tcr, 12);
		assert_int_equal(f.tables.start, rows[i].start);
		for (level = rows[i].start; level < 3; level++, page++)
			set(&f, page, 0, wide_address(&f, page + 1) | 3);
		set(&f, page, 1, wide_address(&f, 7) | AF | 3);
		walk(&f, f.page_bytes + 5);
		assert_int_equal(f.leaf.result, ARM64_MAPPED);
		assert_int_equal(f.leaf.level, 3);
		assert_true(f.leaf.pa == TOP + 7 * f.page_bytes + 5);
		arm64_visit(&f.tables, NULL, NULL, &census);
		assert_int_equal(census.n_tables, page + 1);
		assert_int_equal(census.leaves, 1);
		assert_int_equal(census.unreadable, 0);
		free(f.words);
	}
}

static void blocks_where_the_granule_has_them(void **state)
{
	static const struct {
		unsigned int shift, tsz;
		uint64_t tcr;
		int level;
		bool legal;
		uint64_t size_bytes;
	} rows[] = {
		{12, 16, 0, 0, false, 0},
		{12, 25, 0, 1, true, 1ull << 30},
		{12, 34, 0, 2, true, 1ull << 21},
		{12, 16, TCR_DS, 0, true, 1ull << 39},
		{14, 17, 0, 1, false, 0},
		{14, 28, 0, 2, true, 1ull << 25},
		{14, 17, TCR_DS, 1, true, 1ull << 36},
		{16, 16, 0, 1, false, 0},
		{16, 22, 0, 2, true, 1ull << 29},
		{16, 12, TCR_IPS_52, 1, true, 1ull << 42},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fixture f = {0};

		make(&f, 0, rows[i].shift, rows[i].tcr, rows[i].tsz);
		assert_int_equal(f.tables.start, rows[i].level);
		set(&f, 0, 0, AF | 1);
		walk(&f, 0x1234);
		assert_int_equal(f.leaf.result, rows[i].legal ? ARM64_MAPPED : ARM64_RESERVED);
		assert_int_equal(f.leaf.level, rows[i].level);
		if (rows[i].legal) {
			assert_true(f.leaf.size_bytes == rows[i].size_bytes);
			assert_true(f.leaf.pa == 0x1234);
		}
		free(f.words);
	}
}

/* Permissions of a page below a table: "rwx", '-' for what is not allowed. */
static void assert_permission(uint64_t tcr, uint64_t tcr2, uint64_t pir, uint64_t table,
			      uint64_t page, const char *expected)
{
	struct fixture f = {0};
	char got[4] = "---";

	f.regime.tcr2 = tcr2;
	f.regime.pir = pir;
	make(&f, 0, 12, tcr, 34 - 9); /* starts at level 1 */
	set(&f, 0, 0, f.page_bytes | 3);
	set(&f, 1, 0, 2 * f.page_bytes | 3 | table);
	set(&f, 2, 0, page | 3);
	walk(&f, 0);
	assert_int_equal(f.leaf.result, ARM64_MAPPED);
	if (f.leaf.readable)
		got[0] = 'r';
	if (f.leaf.writable)
		got[1] = 'w';
	if (f.leaf.executable)
		got[2] = 'x';
	assert_string_equal(got, expected);
	free(f.words);
}

static void direct_permissions(void **state)
{
	const uint64_t el0 = 1ull << 6, ro = 1ull << 7, dbm = 1ull << 51, pxn = 1ull << 53,
		       uxn = 1ull << 54;
	const uint64_t ap_table_ro = 1ull << 62, pxn_table = 1ull << 59, uxn_table = 1ull << 60;

	assert_permission(0, 0, 0, 0, AF, "rwx");
	assert_permission(0, 0, 0, 0, 0, "---");
	assert_permission(1ull << 39, 0, 0, 0, 0, "rwx"); /* HA sets the flag */
	assert_permission(0, 0, 0, 0, AF | ro, "r-x");
	assert_permission(0, 0, 0, 0, AF | el0, "rw-");
	assert_permission(0, 0, 0, 0, AF | el0 | ro, "r-x");
	assert_permission(0, 0, 0, 0, AF | pxn, "rw-");
	assert_permission(0, 0, 0, 0, AF | uxn, "rwx");
	assert_permission(0, 0, 0, 0, AF | ro | dbm, "r-x");
	assert_permission(TCR_HA_HD, 0, 0, 0, AF | ro | dbm, "rwx");
	assert_permission(1ull << 40, 0, 0, 0, AF | ro | dbm, "r-x"); /* HD alone is nothing */
	assert_permission(TCR_HA_HD, 0, 0, 0, AF | ro, "r-x");
	assert_permission(TCR_HA_HD, 0, 0, ap_table_ro, AF | ro | dbm, "r-x");
	assert_permission(0, 0, 0, ap_table_ro, AF, "r-x");
	assert_permission(0, 0, 0, pxn_table, AF, "rw-");
	assert_permission(0, 0, 0, uxn_table, AF, "rwx");
	assert_permission(TCR_HPD0, 0, 0, ap_table_ro | pxn_table, AF, "rwx");
}

static void indirect_permissions(void **state)
{
	/* Index 0 to 15 gives the permission of the same number. */
	const uint64_t pir = 0xfedcba9876543210;
	static const char *const expected[16] = {"---", "r--", "--x", "r-x", "---", "rw-",
						 "rw-", "rwx", "r--", "r--", "r-x", "---",
						 "rw-", "---", "rwx", "---"};
	const uint64_t not_dirty = 1ull << 7, ap_table_ro = 1ull << 62;
	unsigned int i;

	for (i = 0; i < 16; i++) {
		uint64_t page = AF | (uint64_t)(i & 1) << 6 | (uint64_t)(i >> 1 & 1) << 51 |
				(uint64_t)(i >> 2 & 1) << 53 | (uint64_t)(i >> 3) << 54;
		char clean[4];

		/* Tables have no say then. */
		assert_permission(0, TCR2_PIE, pir, ap_table_ro, page, expected[i]);
		assert_permission(TCR_HA_HD, TCR2_PIE, pir, 0, page | not_dirty, expected[i]);
		strcpy(clean, expected[i]);
		clean[1] = '-';
		assert_permission(0, TCR2_PIE, pir, 0, page | not_dirty, clean);
	}
}

static void what_is_made_read_only_is(void **state)
{
	struct arm64_tables t = {.dirty = true};
	uint64_t d;

	assert_true(arm64_read_only(&t, AF | 1ull << 51, &d));
	assert_permission(TCR_HA_HD, 0, 0, 0, d, "r-x");
	t.indirect = true;
	assert_false(arm64_read_only(&t, AF, &d));
	t.pir = 0x0000c8000050000c; /* index 10 reads */
	assert_true(arm64_read_only(&t, AF | 1ull << 53, &d));
	assert_permission(TCR_HA_HD, TCR2_PIE, t.pir, 0, d, "r--");
}

static void addresses_outside_are_not_canonical(void **state)
{
	struct fixture f = {0};

	make(&f, 0, 12, 0, 25);
	walk(&f, 1ull << 39);
	assert_int_equal(f.leaf.result, ARM64_NOT_CANONICAL);
	walk(&f, ~0ull);
	assert_int_equal(f.leaf.result, ARM64_NOT_CANONICAL);
	walk(&f, (1ull << 39) - 1);
	assert_int_equal(f.leaf.result, ARM64_NOT_MAPPED);
	free(f.words);
}

static void tables_that_go_in_circles_are_counted_once(void **state)
{
	struct fixture f = {0};
	struct arm64_census census;
	unsigned int i;

	make(&f, 0, 12, 0, 16);
	for (i = 0; i < 512; i++)
		set(&f, 0, i, 3); /* to itself */
	arm64_visit(&f.tables, NULL, NULL, &census);
	assert_int_equal(census.n_tables, 1);
	assert_int_equal(census.again, 512);
	set(&f, 0, 7, 1ull << 40 | 3);
	arm64_visit(&f.tables, NULL, NULL, &census);
	assert_int_equal(census.unreadable, 1);
	walk(&f, 7ull << 39);
	assert_int_equal(f.leaf.result, ARM64_UNREADABLE);
	free(f.words);
}

static void refuses_what_no_cpu_has(void **state)
{
	const struct phys_memory m = {.size_bytes = 4096, .fd = -1};
	struct arm64_regime r = {.tcr = 3ull << 14};
	struct arm64_tables t;

	assert_int_equal(arm64_tables_init(&t, &m, &r, false, 0, 16, NULL), -ENOTSUP);
	r = (struct arm64_regime){.tcr2 = 1 << 5};
	assert_int_equal(arm64_tables_init(&t, &m, &r, false, 0, 16, NULL), -ENOTSUP);
	r = (struct arm64_regime){0};
	assert_int_equal(arm64_tables_init(&t, &m, &r, false, 0, 12, NULL), -EINVAL);
	assert_int_equal(arm64_tables_init(&t, &m, &r, false, 0, 60, NULL), -EINVAL);
	assert_int_equal(arm64_tables_init(&t, &m, &r, true, 0, 16, NULL), -ENOTSUP);
}

static void registers_of_the_kernels_own_level(void **state)
{
	static const char *const names[] = {"ttbr1_el1", "tcr_el1", "mair_el1", "hcr_el2",
					    "ttbr1_el2", "tcr_el2", "mair_el2"};
	struct debug_regs r = {.names = names, .n = ARRAY_SIZE(names)};
	struct arm64_regime regime;
	unsigned int i;

	for (i = 0; i < r.n; i++) {
		r.value[i] = i;
		r.present[i] = true;
	}
	assert_int_equal(arm64_regime_read(&r, &regime), 0);
	assert_int_equal(regime.tcr, 1);
	r.value[3] = 1ull << 34 | 1ull << 27; /* E2H, TGE: VHE */
	assert_int_equal(arm64_regime_read(&r, &regime), 0);
	assert_int_equal(regime.tcr, 5);
	assert_int_equal(regime.ttbr1, 4);
	r.present[5] = false;
	assert_int_equal(arm64_regime_read(&r, &regime), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_of_52_bits),
		cmocka_unit_test(blocks_where_the_granule_has_them),
		cmocka_unit_test(direct_permissions),
		cmocka_unit_test(indirect_permissions),
		cmocka_unit_test(what_is_made_read_only_is),
		cmocka_unit_test(addresses_outside_are_not_canonical),
		cmocka_unit_test(tables_that_go_in_circles_are_counted_once),
		cmocka_unit_test(refuses_what_no_cpu_has),
		cmocka_unit_test(registers_of_the_kernels_own_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
