// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "image/arm64.h"

static void header(struct buf *b)
{
	char bytes[64] = "MZ";

	memcpy(bytes + 0x38, "ARM\x64", 4);
	buf_add(b, bytes, sizeof(bytes));
}

static void checks_the_magic(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *why;
	} no[] = {
		{"\x1f\x8b\x08", 3, "gzip"}, {"\177ELF\2\1\1", 7, "ELF"}, {"MZ\0\0zimg", 8, "EFI"},
		{"", 0, "something else"},   {"MZ", 2, "something else"},
	};
	struct buf image __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	size_t i;

	header(&image);
	assert_int_equal(arm64_check_image(image.data, image.len, &e), 0);
	assert_int_equal(arm64_check_image(image.data, image.len - 1, &e), -EBADMSG);
	for (i = 0; i < ARRAY_SIZE(no); i++) {
		assert_int_equal(arm64_check_image(no[i].bytes, no[i].len, &e), -EBADMSG);
		assert_non_null(strstr(err_msg(&e), no[i].why));
	}
}

static int release(const char *text, size_t len, char **ret, struct err *e)
{
	struct buf image __free_buf = BUF_INIT;

	header(&image);
	buf_add(&image, text, len);
	return arm64_release(image.data, image.len, ret, e);
}

static void finds_the_banner(void **state)
{
	static const char text[] = "Linux version %s (%s)\0noise\0Linux version 7.2.6+deb13-cloud-"
				   "arm64 (debian-kernel@x) (gcc) #1\0Linux version 9.9 (";
	char *r __free(str) = NULL;

	assert_int_equal(release(text, sizeof(text), &r, NULL), 0);
	assert_string_equal(r, "7.2.6+deb13-cloud-arm64");
}

static void no_banner(void **state)
{
	static const char *const texts[] = {
		"",
		"Linux version ",
		"Linux version 6.1",
		"Linux version %s (",
		"Linux version 6/1 ",
	};
	char *r __free(str) = NULL, *too_long __free(str) = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(release(texts[i], strlen(texts[i]), &r, NULL), -EBADMSG);
	too_long = xasprintf("Linux version 6.%070d (", 0);
	assert_int_equal(release(too_long, strlen(too_long), &r, NULL), -EBADMSG);
	assert_null(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checks_the_magic),
		cmocka_unit_test(finds_the_banner),
		cmocka_unit_test(no_banner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
