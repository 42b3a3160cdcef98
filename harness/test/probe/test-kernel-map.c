// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "probe/kernel_map.h"
#include "test/probe/kallsyms_image.h"

static void an_image_that_tells_nothing(void **state)
{
	struct kernel_map *m __free(kernel_map) = kernel_map_read("MZ", 2);
	uint64_t offset;
	char name[64];

	assert_null(m->symbols);
	assert_non_null(m->why_no_symbols);
	assert_non_null(m->why_no_types);
	assert_false(kexec_layout_has_tables(&m->kexec));
	assert_int_equal(m->kexec.page.lru, KEXEC_ABSENT);
	assert_int_equal(m->mmu_on, 0);
	assert_int_equal(m->branch, 0);
	assert_false(kernel_map_symbol(m, "vectors", &offset));
	assert_false(kernel_map_name(m, 0, 0x1000, name, sizeof(name)));
	assert_true(kernel_map_base(m, 0xffff800080010800) == 0);
}

static void names_what_is_inside(void **state)
{
	const uint64_t base = 0xffffb863a6000000, size = htole64(0x8000);
	struct kernel_map *m __free(kernel_map) = NULL;
	struct buf image __free_buf = BUF_INIT;
	char name[64];

	made_image(&image, OFFSETS_TO_SELF);
	memcpy(image.data + 16, &size, sizeof(size));
	m = kernel_map_read(image.data, image.len);
	assert_non_null(m->symbols);
	assert_int_equal(m->image_bytes, 0x8000);
	assert_true(kernel_map_name(m, base, base + made_offset(17) + 4, name, sizeof(name)));
	assert_string_equal(name, "sym_17+0x4");
	assert_false(kernel_map_name(m, base, base - 1, name, sizeof(name)));
	assert_false(kernel_map_name(m, base, base + 0x8000, name, sizeof(name)));
	assert_false(kernel_map_name(m, base, base + 0x10, name, sizeof(name))); /* below all */
}

static void vectors_tell_where_it_lies(void **state)
{
	const struct kernel_map m = {.vectors = 0x10800};

	assert_true(kernel_map_base(&m, 0xffffb863a6010800) == 0xffffb863a6000000);
	assert_true(kernel_map_base(&m, 0xffffb863a6010900) == 0);
	assert_true(kernel_map_base(&m, 0xffffb863a6011000) == 0);
	assert_true(kernel_map_base(&m, 0) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_image_that_tells_nothing),
		cmocka_unit_test(names_what_is_inside),
		cmocka_unit_test(vectors_tell_where_it_lies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
