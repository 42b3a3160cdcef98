// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/text.h"

static void sizes(void **state)
{
	uint64_t v = 0;
	char s[24];

	assert_int_equal(text_parse_size("2G", &v), 0);
	assert_int_equal(v, 2ULL << 30);
	assert_int_equal(text_parse_size("4096", &v), 0);
	assert_int_equal(v, 4096);
	assert_int_equal(text_parse_size("12junk", &v), -EINVAL);
	assert_int_equal(text_parse_size("", &v), -EINVAL);
	assert_int_equal(text_parse_size("-1", &v), -EINVAL);
	assert_int_equal(text_parse_size("99999999999999999999", &v), -ERANGE);
	assert_int_equal(text_parse_size("99999999999T", &v), -ERANGE);
	text_format_size(512ULL << 30, s, sizeof(s));
	assert_string_equal(s, "512G");
	text_format_size(1536ULL << 20, s, sizeof(s));
	assert_string_equal(s, "1536M");
	text_format_size(4097, s, sizeof(s));
	assert_string_equal(s, "4097");
}

static void escaping(void **state)
{
	struct buf b __free_buf = BUF_INIT;

	text_escape(&b, "a\x1b[31m\0\xff\xc3\xa4\t\r\n", 13);
	assert_string_equal(b.data, "a\\x1b[31m\\x00\\xff\xc3\xa4 \\x0d\\x0a");
	buf_reset(&b);
	/* Overlong, surrogate, bidi override: never passed on. */
	text_escape(&b, "\xc0\xaf\xed\xa0\x80\xe2\x80\xae", 8);
	assert_string_equal(b.data, "\\xc0\\xaf\\xed\\xa0\\x80\\xe2\\x80\\xae");
}

static void nearest(void **state)
{
	static const char *const words[] = {"kexec", "pivot", "reboot", "cold"};

	assert_string_equal(text_nearest("kexce", words, 4), "kexec");
	assert_string_equal(text_nearest("reboot", words, 4), "reboot");
	assert_null(text_nearest("teleport", words, 4));
}

static void quoting(void **state)
{
	struct buf b __free_buf = BUF_INIT;

	text_shell_quote(&b, "it's $HOME");
	assert_string_equal(b.data, "'it'\\''s $HOME'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(escaping),
		cmocka_unit_test(nearest),
		cmocka_unit_test(quoting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
