// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-table-check.c - a good kexec is good in every format, and each edit that puts a
 * fault in is found; test-table-faults.c has all that can be wrong.
 */
#include "test/test.h"

#include "probe/table_edit.h"
#include "test/probe/tables_guest.h"

static void a_good_one_is_good(void **state)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(guest_formats); i++) {
		struct tables_guest g;
		struct table_check c;

		tables_guest_init(&g, &guest_formats[i]);
		check(&g, &c);
		if (c.verdict != TABLES_GOOD)
			print(&g, &c);
		assert_int_equal(c.verdict, TABLES_GOOD);
		assert_int_equal(c.list.n_copies, GUEST_KERNEL + 1);
		assert_int_equal(c.contents_compared, GUEST_KERNEL);
		assert_true(c.relocation_compared);
		assert_int_equal(c.upper_census.leaves, GUEST_PAGES);
		assert_int_equal(c.lower_census.leaves, 1);
		assert_null(c.why_not_counted);
		assert_int_equal(c.control_pages, 1 + 2 * (GUEST_CONTROL - 1));
		table_check_fini(&c);
		tables_guest_fini(&g);
	}
}

static void pages_that_no_table_reaches_are_leaked(void **state)
{
	struct tables_guest g;
	struct table_check c;
	uint64_t node;

	tables_guest_init(&g, &guest_formats[0]);
	node = guest_get(&g, GUEST_KIMAGE + 704) + g.phys_offset;
	guest_set(&g, node - 8 + 40, 8); /* 256 pages in one block */
	check(&g, &c);
	assert_int_equal(c.n_findings, 0);
	assert_int_equal(c.verdict, TABLES_LEAKED);
	table_check_fini(&c);
	/* A list that cannot be followed is said, and no fault of the tables. */
	guest_set(&g, GUEST_KIMAGE + 704, 0);
	check(&g, &c);
	assert_int_equal(c.verdict, TABLES_GOOD);
	assert_non_null(c.why_not_counted);
	table_check_fini(&c);
	tables_guest_fini(&g);
}

static int read_through(uint64_t address, void *ret, size_t len, void *arg)
{
	const struct tables_guest *g = arg;

	memcpy(ret, g->bytes + (address - GUEST_RAM), len);
	return 0;
}

static int read_nothing(uint64_t address, void *ret, size_t len, void *arg)
{
	return -EAGAIN;
}

static void memory_behind_a_function(void **state)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(guest_formats); i++) {
		struct tables_guest g;
		struct table_check c;

		tables_guest_init(&g, &guest_formats[i]);
		g.memory.bytes = NULL;
		g.memory.read = read_through;
		g.memory.arg = &g;
		check(&g, &c);
		assert_int_equal(c.verdict, TABLES_GOOD);
		assert_int_equal(c.contents_compared, GUEST_KERNEL);
		assert_int_equal(c.upper_census.leaves, GUEST_PAGES);
		table_check_fini(&c);
		/* What cannot be read is never good. */
		g.memory.read = read_nothing;
		check(&g, &c);
		assert_int_equal(c.verdict, TABLES_BAD);
		assert_int_equal(c.contents_compared, 0);
		table_check_fini(&c);
		tables_guest_fini(&g);
	}
}

static void nothing_is_copied(void **state)
{
	struct tables_guest g;
	struct table_check c;

	tables_guest_init(&g, &guest_formats[0]);
	guest_set(&g, GUEST_KIMAGE, 4);
	guest_reread(&g);
	check(&g, &c);
	assert_int_equal(c.verdict, TABLES_NONE);
	table_check_fini(&c);
	tables_guest_fini(&g);
}

/* Whether the finding that an edit promises is among them. */
static bool has(const struct table_check *c, const struct table_edit *edit)
{
	size_t i;

	for (i = 0; i < c->n_findings && i < TABLE_FINDINGS_MAX; i++) {
		if (c->findings[i].role == edit->role && c->findings[i].page == edit->page)
			return true;
	}
	return false;
}

static void edit_and_find(struct tables_guest *g, enum inject fault, uint64_t seed)
{
	struct err e __free_err = ERR_INIT;
	struct table_check c;
	struct table_edit edit;
	uint8_t *at;

	check(g, &c);
	assert_int_equal(c.verdict, TABLES_GOOD);
	if (table_edit(&g->in, &c, fault, seed, &edit, &e))
		fail_msg("%s", err_msg(&e));
	table_check_fini(&c);
	at = g->bytes + (edit.address - GUEST_RAM);
	assert_memory_equal(at, edit.old, edit.len);
	memcpy(at, edit.new, edit.len);
	check(g, &c);
	if (!has(&c, &edit)) {
		print(g, &c);
		fail_msg("%s (%llu) was not found", inject_names[fault], (unsigned long long)seed);
	}
	table_check_fini(&c);
	memcpy(at, edit.old, edit.len);
}

static void each_edit_is_found(void **state)
{
	uint64_t seed;
	size_t i;
	int fault;

	for (i = 0; i < ARRAY_SIZE(guest_formats); i++) {
		struct tables_guest g;

		tables_guest_init(&g, &guest_formats[i]);
		for (fault = INJECT_UNMAP_SOURCE; fault <= INJECT_CORRUPT_SOURCE; fault++) {
			for (seed = 0; seed < 3; seed++)
				edit_and_find(&g, (enum inject)fault, seed * 7919);
		}
		tables_guest_fini(&g);
	}
}

static void what_is_no_edit_is_said(void **state)
{
	struct err e __free_err = ERR_INIT;
	struct tables_guest g;
	struct table_check c;
	struct table_edit edit;

	tables_guest_init(&g, &guest_formats[0]);
	check(&g, &c);
	assert_int_equal(table_edit(&g.in, &c, INJECT_STOP_CPU, 0, &edit, &e), -ENOTSUP);
	assert_int_equal(table_edit(&g.in, &c, INJECT_NONE, 0, &edit, &e), -ENOTSUP);
	table_check_fini(&c);
	tables_guest_fini(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_one_is_good),
		cmocka_unit_test(pages_that_no_table_reaches_are_leaked),
		cmocka_unit_test(memory_behind_a_function),
		cmocka_unit_test(nothing_is_copied),
		cmocka_unit_test(each_edit_is_found),
		cmocka_unit_test(what_is_no_edit_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
