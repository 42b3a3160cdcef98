// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "probe/kernel_map.h"
#include "probe/relocate_code.h"
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

#define HEAD	    0
#define TTBR1	    808
#define ZERO_PAGE   816
#define PHYS_OFFSET 824

static uint32_t load_from_x0(int offset, unsigned int to)
{
	return 0xf9400000 | (uint32_t)offset / 8 << 10 | to;
}

/* Loads of three members, of @last, a branch, and what may follow that. */
static void add_relocate_code(struct buf *image, int last)
{
	made_word(image, load_from_x0(ZERO_PAGE, 18));
	made_word(image, load_from_x0(TTBR1, 17));
	made_word(image, load_from_x0(HEAD, 16));
	made_word(image, load_from_x0(last, 22));
	made_word(image, 0xd61f0380); /* br x28 */
	made_word(image, 0xd503201f);
	made_word(image, 0);
}

static void finds_code_without_symbols(void **state)
{
	const struct kexec_layout l = {.kimage = {.size = 896,
						  .head = HEAD,
						  .ttbr1 = TTBR1,
						  .zero_page = ZERO_PAGE,
						  .phys_offset = PHYS_OFFSET},
				       .segment = {.size = 32}};
	struct kexec_layout without = l;
	struct buf image __free_buf = BUF_INIT;
	uint64_t offset;
	size_t bytes, len;

	made_word(&image, 0xd503201f);
	add_relocate_code(&image, PHYS_OFFSET + 8); /* not it */
	assert_false(relocate_code_find(image.data, image.len, &l, &offset, &bytes));
	add_relocate_code(&image, PHYS_OFFSET);
	assert_true(relocate_code_find(image.data, image.len, &l, &offset, &bytes));
	assert_int_equal(offset, 8 * 4);
	assert_int_equal(bytes, 6 * 4);
	/* A kernel without transitional tables has no such code. */
	without.kimage.zero_page = KEXEC_ABSENT;
	assert_false(relocate_code_find(image.data, image.len, &without, &offset, &bytes));
	/* One that does not end, and a second one. */
	for (len = 0; len < image.len; len++)
		assert_false(relocate_code_find(image.data, len, &l, &offset, &bytes));
	add_relocate_code(&image, PHYS_OFFSET);
	assert_false(relocate_code_find(image.data, image.len, &l, &offset, &bytes));
}

static void has_no_names_behind_its_code(void **state)
{
	struct kallsyms_symbol one[] = {
		{0x1000, "f", 'T'}, {0x2000, "_etext", 'D'}, {0x3000, "init", 't'}};
	struct kallsyms k = {.symbols = one, .n = 3, .text_end = 0x2000};
	const struct kernel_map m = {.symbols = &k, .image_bytes = 0x8000};
	char name[64];

	assert_true(kernel_map_name(&m, 0, 0x1fff, name, sizeof(name)));
	assert_string_equal(name, "f+0xfff");
	assert_false(kernel_map_name(&m, 0, 0x2004, name, sizeof(name)));
	assert_true(kernel_map_name(&m, 0, 0x3004, name, sizeof(name)));
	assert_string_equal(name, "init+0x4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_image_that_tells_nothing),
		cmocka_unit_test(names_what_is_inside),
		cmocka_unit_test(finds_code_without_symbols),
		cmocka_unit_test(has_no_names_behind_its_code),
		cmocka_unit_test(vectors_tell_where_it_lies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
