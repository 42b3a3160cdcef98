// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-tables.c - the table check on kexecs that real kernels have loaded: a healthy
 * one is good, and each fault that is put in is found at its page.
 */
#include "test/boot/tables_target.h"
#include "test/boot/kernels.h"

static const struct kernel_spec oldest = KERNEL_OLDEST;
static const struct kernel_spec latest = KERNEL_LATEST;

static const struct kernel_spec large_pages = KERNEL_16K;

/* Named as promised, or for its mapping, where the edit was made. */
static bool has(const struct table_check *c, const struct table_edit *edit)
{
	size_t i;

	for (i = 0; i < c->n_findings && i < TABLE_FINDINGS_MAX; i++) {
		const struct table_finding *f = &c->findings[i];

		if ((f->role == edit->role && f->page == edit->page) ||
		    (f->va && f->leaf.descriptor_address == edit->address))
			return true;
	}
	return false;
}

static void print(const struct tables_target *t, const struct table_check *c)
{
	struct buf out __free_buf = BUF_INIT;

	table_check_report(c, &t->kexec, &out);
	printf("%s\n", out.data);
}

/* Puts the fault in, has it found, and takes it out again. */
static void edit_and_find(struct tables_target *t, enum inject fault)
{
	struct table_check c;
	struct table_edit edit;
	struct err e __free_err = ERR_INIT;
	uint8_t *at;

	assert_ok(table_check(&t->in, &c, &e));
	assert_int_equal(c.n_findings, 0);
	assert_ok(table_edit(&t->in, &c, fault, 4711, &edit, &e));
	table_check_fini(&c);
	at = t->writable + (edit.address - TARGET_RAM);
	assert_memory_equal(at, edit.old, edit.len);
	memcpy(at, edit.new, edit.len);
	assert_ok(table_check(&t->in, &c, &e));
	if (c.verdict != TABLES_BAD || !has(&c, &edit)) {
		print(t, &c);
		fail_msg("%s was not found", inject_names[fault]);
	}
	table_check_fini(&c);
	memcpy(at, edit.old, edit.len);
}

/* Where the kernel's own symbols tell, both ways lead to the same structure. */
static void compare_with_symbol(struct tables_target *t)
{
	struct arm64_tables live;
	struct kexec_image found;
	struct err e __free_err = ERR_INIT;
	uint64_t offset;

	if (!kernel_map_symbol(t->map, "kexec_image", &offset)) {
		printf("kexec_image is not among this kernel's symbols\n");
		return;
	}
	assert_ok(arm64_tables_live(&live, &t->memory, &t->regime, &e));
	assert_ok(kexec_image_from_symbol(&t->memory, &t->map->kexec, &live,
					  kernel_map_base(t->map, target_vbar(t)) + offset, &found,
					  &e));
	assert_int_equal(found.address, t->kexec.address);
}

static void run(const struct target_spec *s, enum table_verdict expected)
{
	struct tables_target t;
	struct table_check c;
	struct err e __free_err = ERR_INIT;
	int fault;

	target_init(&t, s);
	assert_ok(table_check(&t.in, &c, &e));
	printf("%s, %s%s\n", s->kernel->name, s->cpu, s->machine);
	print(&t, &c);
	assert_int_equal(c.verdict, expected);
	/* A kernel may keep from its symbols where that code lies. */
	assert_int_equal(c.relocation_compared, t.map->relocate_code != NULL);
	assert_true(c.contents_compared >= (t.image.len + t.initrd.len) / c.list.page_bytes);
	assert_null(c.why_not_counted);
	table_check_fini(&c);
	compare_with_symbol(&t);
	for (fault = INJECT_UNMAP_SOURCE; fault <= INJECT_CORRUPT_SOURCE; fault++)
		edit_and_find(&t, (enum inject)fault);
	target_fini(&t);
}

#define RAM_2G .ram = "2G", .ram_bytes = 2ull << 30

static void latest_without_lpa2(void **state)
{
	const struct target_spec s = {&latest, "max,lpa2=off", "", RAM_2G};

	run(&s, TABLES_LEAKED);
}

static void latest_with_lpa2(void **state)
{
	const struct target_spec s = {&latest, "max,lpa2=on", "", RAM_2G};

	run(&s, TABLES_GOOD);
}

static void latest_with_a_stub_at_el2(void **state)
{
	const struct target_spec s = {&latest, "cortex-a72", ",virtualization=on", RAM_2G};

	run(&s, TABLES_LEAKED);
}

static void latest_at_el2(void **state)
{
	const struct target_spec s = {&latest, "max,lpa2=off", ",virtualization=on", RAM_2G};

	run(&s, TABLES_LEAKED);
}

static void the_oldest(void **state)
{
	const struct target_spec s = {&oldest, "max,lpa2=off", "", RAM_2G};

	run(&s, TABLES_GOOD);
}

static void pages_of_16k(void **state)
{
	const struct target_spec s = {&large_pages, "max,lpa2=off", "", RAM_2G};

	run(&s, TABLES_GOOD);
}

static void pages_of_16k_with_lpa2(void **state)
{
	const struct target_spec s = {&large_pages, "max,lpa2=on", "", RAM_2G};

	run(&s, TABLES_GOOD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latest_without_lpa2),
		cmocka_unit_test(latest_with_lpa2),
		cmocka_unit_test(latest_with_a_stub_at_el2),
		cmocka_unit_test(latest_at_el2),
		cmocka_unit_test(the_oldest),
		cmocka_unit_test(pages_of_16k),
		cmocka_unit_test(pages_of_16k_with_lpa2),
	};

	setvbuf(stdout, NULL, _IOLBF, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
