// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "probe/kallsyms.h"
#include "test/probe/kallsyms_image.h"

static void reads_each_arrangement(void **state)
{
	enum arrangement a;
	unsigned int i;
	char name[256];

	for (a = 0; a < N_ARRANGEMENTS; a++) {
		struct kallsyms *k __free(kallsyms) = NULL;
		struct buf image __free_buf = BUF_INIT;
		struct err e __free_err = ERR_INIT;

		made_image(&image, a);
		if (kallsyms_read(image.data, image.len, &k, &e))
			fail_msg("arrangement %d: %s", a, err_msg(&e));
		assert_int_equal(k->n, MADE_SYMBOLS);
		for (i = 0; i < MADE_SYMBOLS; i++) {
			made_name(i, name, sizeof(name));
			assert_string_equal(k->symbols[i].name, name + 1);
			assert_int_equal(k->symbols[i].type, name[0]);
			assert_int_equal(k->symbols[i].offset, made_offset(i));
		}
	}
}

static void finds_by_name_and_address(void **state)
{
	struct kallsyms *k __free(kallsyms) = NULL;
	struct buf image __free_buf = BUF_INIT;

	made_image(&image, OFFSETS_TO_SELF);
	assert_int_equal(kallsyms_read(image.data, image.len, &k, NULL), 0);
	assert_int_equal(kallsyms_find(k, "sym_17")->offset, made_offset(17));
	assert_null(kallsyms_find(k, "sym_"));
	assert_string_equal(kallsyms_at(k, made_offset(17))->name, "sym_17");
	assert_string_equal(kallsyms_at(k, made_offset(17) + 15)->name, "sym_17");
	assert_string_equal(kallsyms_at(k, made_offset(17) - 1)->name, "sym_16");
	assert_string_equal(kallsyms_at(k, INT64_MAX)->name, "sym_699");
	assert_null(kallsyms_at(k, MADE_BASE - 1));
	assert_int_equal(k->text_end, made_offset(698)); /* 699 is data */
}

static void several_at_one_address(void **state)
{
	struct kallsyms_symbol s[] = {{0, "_text", 'T'},
				      {16, "$x", 't'},
				      {16, "start", 't'},
				      {16, "__mark", 'D'},
				      {32, "_end", 'D'}};
	const struct kallsyms k = {.symbols = s, .n = sizeof(s) / sizeof(s[0])};

	assert_string_equal(kallsyms_at(&k, 20)->name, "start");
	assert_string_equal(kallsyms_at(&k, 5)->name, "_text");
	assert_string_equal(kallsyms_at(&k, 99)->name, "_end");
}

/* Whatever byte of the tables is wrong: the anchor that they are checked with stays true. */
static void believes_no_damage(void **state)
{
	struct buf good __free_buf = BUF_INIT;
	size_t at, n_refused = 0, n = 0;

	made_image(&good, OFFSETS_BEHIND);
	for (at = 128; at < good.len; at += 37, n++) {
		struct kallsyms *k __free(kallsyms) = NULL;
		struct buf bad __free_buf = BUF_INIT;
		struct err e __free_err = ERR_INIT;

		buf_add(&bad, good.data, good.len);
		bad.data[at] ^= 0x55;
		if (kallsyms_read(bad.data, bad.len, &k, &e)) {
			assert_non_null(e.msg);
			n_refused++;
			continue;
		}
		assert_int_equal(k->n, MADE_SYMBOLS);
		assert_int_equal(kallsyms_find(k, "primary_entry")->offset,
				 made_offset(MADE_ANCHOR));
	}
	assert_true(n_refused > 0 && n_refused < n); /* a letter may be wrong, a table not */
}

static void says_what_is_missing(void **state)
{
	struct kallsyms *k __free(kallsyms) = NULL;
	struct buf image __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	size_t len;

	assert_int_equal(kallsyms_read("MZ", 2, &k, &e), -EBADMSG);
	made_image(&image, OFFSETS_FIRST);
	for (len = 0; len < image.len - 160; len += 101)
		assert_int_equal(kallsyms_read(image.data, len, &k, NULL), -EBADMSG);
	image.data[7] = (char)0x94; /* the header calls, it does not branch */
	assert_int_equal(kallsyms_read(image.data, image.len, &k, &e), -EBADMSG);
	assert_string_equal(err_msg(&e), "the header does not branch to primary_entry");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_each_arrangement),
		cmocka_unit_test(finds_by_name_and_address),
		cmocka_unit_test(several_at_one_address),
		cmocka_unit_test(believes_no_damage),
		cmocka_unit_test(says_what_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
