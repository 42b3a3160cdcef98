// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-table-faults.c - each fault that a loaded kexec can have is found once, at its
 * page, in every format; what only looks like one is not.
 */
#include "test/test.h"

#include "test/probe/tables_guest.h"

/* The descriptor that maps @pa in the transitional table. */
static uint64_t descriptor_of(struct tables_guest *g, uint64_t pa, bool identity)
{
	struct table_check c;
	struct arm64_leaf l;

	check(g, &c);
	arm64_walk(identity ? &c.lower : &c.upper, identity ? pa : guest_linear(g, pa), &l);
	assert_int_equal(l.result, ARM64_MAPPED);
	assert_true(l.pa == pa);
	table_check_fini(&c);
	return l.descriptor_address;
}

static void change(struct tables_guest *g, uint64_t pa, uint64_t clear, uint64_t set)
{
	uint64_t at = descriptor_of(g, pa, pa == g->image.kern_reloc);

	guest_set(g, at, (guest_get(g, at) & ~clear) | set);
}

static uint64_t destination(const struct tables_guest *g)
{
	return guest_page(g, GUEST_DESTINATION + 6);
}

/* Each returns the page that must be found. */
static uint64_t unmaps_a_source(struct tables_guest *g)
{
	change(g, g->first_source, ~0ull, 0);
	return g->first_source;
}

static uint64_t unmaps_a_destination(struct tables_guest *g)
{
	change(g, destination(g), 1, 0);
	return destination(g);
}

static uint64_t unmaps_the_list(struct tables_guest *g)
{
	change(g, g->first_list_page, ~0ull, 0);
	return g->first_list_page;
}

static uint64_t unmaps_the_code(struct tables_guest *g)
{
	change(g, g->image.kern_reloc, ~0ull, 0);
	return g->image.kern_reloc;
}

static uint64_t reserved_descriptor(struct tables_guest *g)
{
	change(g, destination(g), 2, 0);
	return destination(g);
}

static uint64_t protects_a_destination(struct tables_guest *g)
{
	g->regime.tcr |= GUEST_TCR_HA_HD;
	change(g, destination(g), 0, GUEST_READ_ONLY);
	return destination(g);
}

static uint64_t dirty_bit_without_hardware(struct tables_guest *g)
{
	change(g, destination(g), 0, GUEST_READ_ONLY | GUEST_DIRTY_BIT);
	return destination(g);
}

static uint64_t maps_elsewhere(struct tables_guest *g)
{
	change(g, destination(g), 0, g->page_bytes);
	return destination(g);
}

static uint64_t maps_as_device(struct tables_guest *g)
{
	change(g, g->first_source, 0, 1 << 2);
	return g->first_source;
}

static uint64_t old_page(struct tables_guest *g)
{
	change(g, g->first_source, 1 << 10, 0);
	return g->first_source;
}

static uint64_t code_that_never_runs(struct tables_guest *g)
{
	change(g, g->image.kern_reloc, 0, GUEST_NO_EXEC);
	return g->image.kern_reloc;
}

static uint64_t no_exec_above_the_code(struct tables_guest *g)
{
	unsigned int stride = g->format->page_shift - 3;
	uint64_t at = 48 - g->format->page_shift, index;

	/* The root's entry; its level has what the others leave. */
	at = g->format->page_shift + (at - 1) / stride * stride;
	index = g->image.kern_reloc >> at;
	at = g->image.ttbr0 + index * 8;
	guest_set(g, at, guest_get(g, at) | 1ull << 59);
	return g->image.kern_reloc;
}

static uint64_t other_code(struct tables_guest *g)
{
	guest_set(g, g->image.kern_reloc + 8, 0x14000000);
	return g->image.kern_reloc;
}

/* Without the Image only the first instruction can be judged. */
static uint64_t unknown_code_spins(struct tables_guest *g)
{
	g->in.relocation = NULL;
	guest_set(g, g->image.kern_reloc, 0x14000000);
	return g->image.kern_reloc;
}

static uint64_t other_kernel(struct tables_guest *g)
{
	guest_set(g, g->first_source + 512, 0);
	return g->first_source;
}

/* Where what copy number @copy moves lies now. */
static uint64_t source_of(struct tables_guest *g, size_t copy)
{
	struct table_check c;
	uint64_t source;

	check(g, &c);
	source = c.list.copies[copy].source;
	table_check_fini(&c);
	return source;
}

static uint64_t more_than_was_loaded(struct tables_guest *g)
{
	uint64_t last = source_of(g, GUEST_KERNEL - 1);

	guest_set(g, last + g->page_bytes - 8, 1);
	return last;
}

static uint64_t kernel_spins(struct tables_guest *g)
{
	uint64_t source = source_of(g, 0);

	g->in.n_contents = 0;
	guest_set(g, source, 0x14000000);
	return source;
}

static uint64_t purgatory_is_undefined(struct tables_guest *g)
{
	uint64_t source = source_of(g, GUEST_KERNEL);

	guest_set(g, source, 0x1234);
	return source;
}

static uint64_t zero_page_is_none(struct tables_guest *g)
{
	guest_set(g, g->image.zero_page + 64, 3);
	return g->image.zero_page;
}

static uint64_t vectors_in_the_sea(struct tables_guest *g)
{
	guest_set(g, GUEST_KIMAGE + 792, 0x80000000000);
	return 0x80000000000;
}

/* The entry of the list that is number @n on its first page: n 0 is a destination. */
static uint64_t entry_at(struct tables_guest *g, unsigned int n)
{
	return g->first_list_page + n * 8;
}

/* Copy 4 is of what copy 2 wrote to; nothing else is where it was not. */
static uint64_t overwrites_a_source(struct tables_guest *g)
{
	uint64_t page = guest_page(g, GUEST_DESTINATION + 2);

	guest_set(g, entry_at(g, 5), page | 8);
	memcpy(g->bytes + (page - GUEST_RAM), g->kernel + 4 * g->page_bytes, g->page_bytes);
	return page;
}

static uint64_t overwrites_the_code(struct tables_guest *g)
{
	uint64_t page = guest_page(g, GUEST_PURGATORY), old = g->image.kern_reloc;

	memcpy(g->bytes + (page - GUEST_RAM), g->bytes + (old - GUEST_RAM), g->page_bytes);
	guest_map(g, g->image.ttbr0, 48, page, page | GUEST_NORMAL);
	guest_set(g, GUEST_KIMAGE + 784, page);
	return page;
}

static uint64_t overwrites_a_table(struct tables_guest *g)
{
	uint64_t page = guest_page(g, GUEST_PURGATORY), old = g->image.ttbr1;

	memcpy(g->bytes + (page - GUEST_RAM), g->bytes + (old - GUEST_RAM), g->page_bytes);
	guest_set(g, GUEST_KIMAGE + 808, page);
	return page;
}

static uint64_t list_without_end(struct tables_guest *g)
{
	uint64_t at = entry_at(g, GUEST_KERNEL + 3); /* the end, after two destinations */

	guest_set(g, at, g->first_list_page | 2);
	return at;
}

static uint64_t list_into_nothing(struct tables_guest *g)
{
	uint64_t at = entry_at(g, GUEST_KERNEL + 3);

	guest_set(g, at, 0);
	return at;
}

static uint64_t source_outside(struct tables_guest *g)
{
	uint64_t page = GUEST_RAM + (4ull << 30);

	g->in.n_contents = 0;
	guest_set(g, entry_at(g, 5), page | 8);
	return page;
}

static uint64_t segment_with_a_hole(struct tables_guest *g)
{
	guest_set(g, GUEST_KIMAGE + 64 + 32 + 24, 2 * g->page_bytes);
	return guest_page(g, GUEST_PURGATORY + 1);
}

static const struct {
	const char *name;
	uint64_t (*make)(struct tables_guest *g);
	enum table_role role;
	enum table_fault fault;
	const char *title; /* NULL: not compared */
} faults[] = {
	{"unmapped source", unmaps_a_source, TABLE_ROLE_SOURCE, TABLE_FAULT_UNMAPPED,
	 "source page not mapped in the transitional table (level 3)"},
	{"unmapped destination", unmaps_a_destination, TABLE_ROLE_DESTINATION, TABLE_FAULT_UNMAPPED,
	 "destination page not mapped in the transitional table (level 3)"},
	{"unmapped indirection", unmaps_the_list, TABLE_ROLE_INDIRECTION, TABLE_FAULT_UNMAPPED,
	 "indirection page not mapped in the transitional table (level 3)"},
	{"unmapped code", unmaps_the_code, TABLE_ROLE_RELOCATION, TABLE_FAULT_UNMAPPED,
	 "relocation code not mapped in the identity map (level 3)"},
	{"reserved descriptor", reserved_descriptor, TABLE_ROLE_DESTINATION, TABLE_FAULT_UNMAPPED,
	 NULL},
	{"read-only destination", protects_a_destination, TABLE_ROLE_DESTINATION,
	 TABLE_FAULT_READ_ONLY, "destination page read-only in the transitional table (level 3)"},
	{"DBM without HD", dirty_bit_without_hardware, TABLE_ROLE_DESTINATION,
	 TABLE_FAULT_READ_ONLY, NULL},
	{"mapped elsewhere", maps_elsewhere, TABLE_ROLE_DESTINATION, TABLE_FAULT_ELSEWHERE, NULL},
	{"device", maps_as_device, TABLE_ROLE_SOURCE, TABLE_FAULT_DEVICE, NULL},
	{"no access flag", old_page, TABLE_ROLE_SOURCE, TABLE_FAULT_UNREADABLE, NULL},
	{"PXN", code_that_never_runs, TABLE_ROLE_RELOCATION, TABLE_FAULT_NO_EXEC, NULL},
	{"PXNTable", no_exec_above_the_code, TABLE_ROLE_RELOCATION, TABLE_FAULT_NO_EXEC, NULL},
	{"other code", other_code, TABLE_ROLE_RELOCATION, TABLE_FAULT_CONTENT,
	 "relocation code not what was loaded"},
	{"code that spins", unknown_code_spins, TABLE_ROLE_RELOCATION, TABLE_FAULT_SPINS, NULL},
	{"other kernel", other_kernel, TABLE_ROLE_SOURCE, TABLE_FAULT_CONTENT, NULL},
	{"no zeroes", more_than_was_loaded, TABLE_ROLE_SOURCE, TABLE_FAULT_CONTENT, NULL},
	{"kernel spins", kernel_spins, TABLE_ROLE_ENTRY, TABLE_FAULT_SPINS,
	 "new kernel's entry a branch to itself"},
	{"purgatory undefined", purgatory_is_undefined, TABLE_ROLE_PURGATORY, TABLE_FAULT_UNDEFINED,
	 "purgatory's entry an undefined instruction"},
	{"zero page", zero_page_is_none, TABLE_ROLE_ZERO, TABLE_FAULT_CONTENT,
	 "zero page not empty"},
	{"vectors", vectors_in_the_sea, TABLE_ROLE_VECTORS, TABLE_FAULT_OUTSIDE, NULL},
	{"overwritten source", overwrites_a_source, TABLE_ROLE_SOURCE, TABLE_FAULT_OVERWRITTEN,
	 NULL},
	{"overwritten code", overwrites_the_code, TABLE_ROLE_RELOCATION, TABLE_FAULT_OVERWRITTEN,
	 NULL},
	{"overwritten table", overwrites_a_table, TABLE_ROLE_TABLE, TABLE_FAULT_OVERWRITTEN, NULL},
	{"endless list", list_without_end, TABLE_ROLE_LIST, TABLE_FAULT_BROKEN,
	 "list of copies comes back to an indirection page"},
	{"entry without meaning", list_into_nothing, TABLE_ROLE_LIST, TABLE_FAULT_BROKEN, NULL},
	{"source outside", source_outside, TABLE_ROLE_SOURCE, TABLE_FAULT_OUTSIDE, NULL},
	{"hole in a segment", segment_with_a_hole, TABLE_ROLE_SEGMENT, TABLE_FAULT_INCOMPLETE,
	 NULL},
};

static void find(const struct guest_format *format, size_t number)
{
	struct tables_guest g;
	struct table_check c;
	char *title __free(str) = NULL;
	uint64_t page;

	tables_guest_init(&g, format);
	page = faults[number].make(&g);
	guest_reread(&g);
	check(&g, &c);
	title = table_check_title(&c);
	if (c.n_findings != 1 || c.findings[0].role != faults[number].role ||
	    c.findings[0].fault != faults[number].fault || c.findings[0].page != page) {
		print(&g, &c);
		fail_msg("%s: not found (once, at %#llx)", faults[number].name,
			 (unsigned long long)page);
	}
	assert_int_equal(c.verdict, TABLES_BAD);
	if (faults[number].title)
		assert_string_equal(title, faults[number].title);
	table_check_fini(&c);
	tables_guest_fini(&g);
}

static void each_fault_is_found_once(void **state)
{
	size_t i, f;

	for (i = 0; i < ARRAY_SIZE(guest_formats); i++) {
		for (f = 0; f < ARRAY_SIZE(faults); f++)
			find(&guest_formats[i], f);
	}
}

static void hardware_makes_a_clean_page_writable(void **state)
{
	struct tables_guest g;
	struct table_check c;

	tables_guest_init(&g, &guest_formats[0]);
	g.regime.tcr |= GUEST_TCR_HA_HD;
	change(&g, destination(&g), 0, GUEST_READ_ONLY | GUEST_DIRTY_BIT);
	check(&g, &c);
	assert_int_equal(c.verdict, TABLES_GOOD);
	table_check_fini(&c);
	tables_guest_fini(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_fault_is_found_once),
		cmocka_unit_test(hardware_makes_a_clean_page_writable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
