// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/process.h"
#include "image/gunzip.h"

static void gzip(const char *shell_command, struct buf *out)
{
	const char *const argv[] = {"/bin/sh", "-c", shell_command, NULL};

	assert_int_equal(process_run(argv, 1 << 20, out, NULL, NULL), 0);
}

static void test_round_trip(void **state)
{
	struct buf gz __free_buf = BUF_INIT, out __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;

	gzip("printf 'a\\0b\\377' | gzip -c", &gz);
	buf_adds(&out, "before ");
	assert_int_equal(image_gunzip(gz.data, gz.len, 4, &out, &e), 0);
	assert_int_equal(out.len, 11);
	assert_memory_equal(out.data, "before a\0b\xff", 11);
	/* Two members behind each other are one stream. */
	buf_reset(&out);
	gzip("printf cd | gzip -c", &gz);
	assert_int_equal(image_gunzip(gz.data, gz.len, 100, &out, &e), 0);
	assert_memory_equal(out.data,
			    "a\0b\xff"
			    "cd",
			    6);
}

static void test_bounded(void **state)
{
	struct buf gz __free_buf = BUF_INIT, out __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;

	gzip("head -c 10000000 /dev/zero | gzip -c", &gz);
	assert_int_equal(image_gunzip(gz.data, gz.len, 4096, &out, &e), -EFBIG);
	assert_true(out.len <= 4096);
}

static void test_refuses(void **state)
{
	struct buf gz __free_buf = BUF_INIT, out __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	size_t n;

	assert_int_equal(image_gunzip("", 0, 100, &out, &e), -EBADMSG);
	assert_int_equal(image_gunzip("no gzip at all", 14, 100, &out, &e), -EBADMSG);
	gzip("seq 1 1000 | gzip -c", &gz);
	for (n = 0; n < gz.len; n += 7) {
		buf_reset(&out);
		assert_int_equal(image_gunzip(gz.data, n, 10000, &out, NULL), -EBADMSG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
