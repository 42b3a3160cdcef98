// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-images.c - `kjump images symbols` on an Image that is made up, in a cache
 * of its own.
 */
#include "test/cmd/captured.h"

#include "cmd/cmd.h"
#include "image/image.h"
#include "plan/kernel.h"
#include "test/image/sandbox.h"
#include "test/probe/kallsyms_image.h"

#define MEMORY_BYTES 0x8000
#define BASE	     0xffffb863a6000000ull
#define SYMBOLS(...) \
	((const char *const[]){"images", "--kernels", "kernels.yaml", __VA_ARGS__, NULL})

/* An Image with symbols, the magic of its header and a banner. */
static void make_kernel(struct buf *image)
{
	const uint64_t size = htole64(MEMORY_BYTES);

	made_image(image, OFFSETS_BEHIND);
	memcpy(image->data + 16, &size, sizeof(size));
	memcpy(image->data + 0x38, "ARM\x64", 4);
	buf_adds(image, "Linux version 7.2.0-made (someone@somewhere) #1");
	buf_addch(image, 0);
}

/* What `kjump images fetch made` does, but for the programs of the initramfs. */
static void fetch(const char *dir)
{
	const struct image_opts opts = {.images_dir = "images", .userland_suite = "trixie"};
	char *kernels __free(str) = file_join(dir, "kernels.yaml");
	struct kernel_files *k __free(kernel_files) = NULL;
	struct image_ctx *c __free(image_ctx) = NULL;
	struct kernel_list *l __free(kernel_list) = NULL;
	struct diag diag __free_diag = DIAG_INIT;
	struct err e __free_err = ERR_INIT;

	assert_int_equal(kernel_list_load(kernels, &diag, &l), 0);
	assert_ok(image_ctx_new(&opts, &c, &e));
	assert_ok(image_kernel(c, kernel_list_find(l, "made"), &k, &e));
}

static int setup(void **state)
{
	static const char yaml[] = "userland: {suite: trixie}\n"
				   "kernels:\n"
				   "  made: {source: file, image: Image}\n"
				   "  absent: {source: file, image: Image, config: nowhere}\n";
	struct buf image __free_buf = BUF_INIT;

	if (sandbox_setup(state))
		return -1;
	make_kernel(&image);
	sandbox_put(*state, "Image", image.data, image.len);
	sandbox_puts(*state, "kernels.yaml", yaml);
	fetch(*state);
	return chdir(*state);
}

static void tells_what_an_image_has(void **state)
{
	struct buf out __free_buf = BUF_INIT;
	char *n __free(str) = xasprintf("%u, out of its kallsyms tables", MADE_SYMBOLS);

	assert_int_equal(captured(cmd_images, SYMBOLS("symbols", "made"), STDOUT_FILENO, &out),
			 EXIT_EXPECTED);
	assert_non_null(strstr(out.data, "7.2.0-made\n"));
	assert_non_null(strstr(out.data, n));
	/* It has neither vectors nor types, and says so. */
	assert_non_null(strstr(out.data, "exception vectors       not known\n"));
	assert_non_null(strstr(out.data, "no BTF is in this image"));
}

static void names_addresses(void **state)
{
	char *at __free(str) = xasprintf("0x%llx", BASE + made_offset(17) + 4),
		 *base __free(str) = xasprintf("0x%llx", BASE),
		 *expected __free(str) = xasprintf("0x%016llx   sym_17+0x4\n"
						   "0x%016llx t sym_98\n"
						   "0x%016llx D sym_99\n",
						   BASE + made_offset(17) + 4,
						   BASE + made_offset(98), BASE + made_offset(99));
	struct buf out __free_buf = BUF_INIT;

	assert_int_equal(captured(cmd_images,
				  SYMBOLS("symbols", "made", "--base", base, at, "sym_9[89]"),
				  STDOUT_FILENO, &out),
			 EXIT_EXPECTED);
	assert_string_equal(out.data, expected);
}

static void prints_one_document(void **state)
{
	struct json *doc __free(json) = NULL;
	struct buf out __free_buf = BUF_INIT;
	struct json *found;

	assert_int_equal(captured(cmd_images,
				  SYMBOLS("symbols", "--json", "made", "sym_17", "0x1114"),
				  STDOUT_FILENO, &out),
			 EXIT_EXPECTED);
	assert_json_is_safe(&out);
	assert_int_equal(json_parse(out.data, out.len, &doc, NULL), 0);
	assert_int_equal(json_get_int(doc, "symbols", -1), MADE_SYMBOLS);
	assert_int_equal(json_get_int(doc, "memory_bytes", -1), MEMORY_BYTES);
	assert_null(json_get_str(json_get(doc, "at"), "vectors"));
	assert_non_null(json_get_str(doc, "why_no_types"));
	assert_null(json_get_str(doc, "why_no_symbols"));
	found = json_get(doc, "found");
	assert_int_equal(json_len(found), 2);
	assert_string_equal(json_get_str(json_at(found, 0), "address"), "0x1110");
	assert_string_equal(json_get_str(json_at(found, 0), "name"), "sym_17");
	assert_string_equal(json_get_str(json_at(found, 1), "name"), "sym_17+0x4");
}

static void says_what_is_wrong(void **state)
{
	const struct {
		const char *argv[8];
		enum exit_status status;
		const char *message;
	} rows[] = {
		{{"symbols"}, EXIT_USAGE, "of which kernel?"},
		{{"symbols", "mode"}, EXIT_USAGE, "no kernel 'mode'; did you mean 'made'?"},
		{{"symbols", "absent"}, EXIT_INFRA, "absent: "},
		{{"symbols", "made", "primry_entry"}, EXIT_USAGE, "did you mean 'primary_entry'?"},
		{{"symbols", "made", "0x10"}, EXIT_USAGE, "nothing of this kernel is at 0x10"},
		{{"symbols", "made", "0x8000"}, EXIT_USAGE, "nothing of this kernel is at 0x8000"},
		{{"symbols", "made", "--base", "17"}, EXIT_USAGE, "'17' is not an address"},
		{{"symbols", "made", "--base", "0x11111111111111111"},
		 EXIT_USAGE,
		 "not an address"},
		{{"symbols", "made", "--vbar", "0x10800"}, EXIT_USAGE, "exception vectors"},
		{{"symbols", "made", "--vbar", "0x0", "--base", "0x0"}, EXIT_USAGE, "one of them"},
		{{"list", "--base", "0x0"}, EXIT_USAGE, "'list' takes no address"},
		{{"gc", "made"}, EXIT_USAGE, "'made' is one argument too many"},
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *argv[12] = {"images", "--kernels", "kernels.yaml"};
		struct buf out __free_buf = BUF_INIT;

		for (j = 0; rows[i].argv[j]; j++)
			argv[3 + j] = rows[i].argv[j];
		assert_int_equal(captured(cmd_images, argv, STDERR_FILENO, &out), rows[i].status);
		if (!strstr(out.data, rows[i].message))
			fail_msg("row %zu: '%s' is not in '%s'", i, rows[i].message, out.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_what_an_image_has),
		cmocka_unit_test(names_addresses),
		cmocka_unit_test(prints_one_document),
		cmocka_unit_test(says_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, setup, sandbox_teardown);
}
