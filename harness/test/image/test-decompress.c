// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/image/sandbox.h"

#include "image/decompress.h"
#include "test/image/make_archive.h"

static void compress_to(const char *path, const char *how, const char *data, size_t len)
{
	struct archive *a = archive_write_new();

	archive_write_set_format_raw(a);
	if (how)
		assert_int_equal(archive_write_add_filter_by_name(a, how), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
	add_item(a, &(struct tar_item){.name = "x", .content = data, .len = len});
	assert_int_equal(archive_write_close(a), ARCHIVE_OK);
	archive_write_free(a);
}

static void whatever_it_is(void **state)
{
	static const char *const how[] = {NULL, "gzip", "xz", "zstd"};
	char *path __free(str) = file_join(*state, "file");
	char data[200000];
	size_t i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (char)(i * i >> 7);
	for (i = 0; i < ARRAY_SIZE(how); i++) {
		struct buf got __free_buf = BUF_INIT;
		struct err e __free_err = ERR_INIT;

		compress_to(path, how[i], data, sizeof(data));
		buf_adds(&got, "kept");
		assert_ok(decompress_file(path, sizeof(data), &got, &e));
		assert_int_equal(got.len, 4 + sizeof(data));
		assert_memory_equal(got.data + 4, data, sizeof(data));
		assert_int_equal(decompress_file(path, sizeof(data) - 1, &got, &e), -EFBIG);
	}
}

static void empty_damaged_missing(void **state)
{
	char *path __free(str) = file_join(*state, "file");
	char data[5000];
	struct buf got __free_buf = BUF_INIT, whole __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	size_t i;

	sandbox_puts(*state, "file", "");
	assert_ok(decompress_file(path, 10, &got, &e));
	assert_int_equal(got.len, 0);
	for (i = 0; i < sizeof(data); i++)
		data[i] = (char)(i * i >> 3);
	compress_to(path, "xz", data, sizeof(data));
	assert_int_equal(file_read(path, 1 << 20, &whole, &e), 0);
	sandbox_put(*state, "file", whole.data, whole.len / 2);
	assert_int_equal(decompress_file(path, 1 << 20, &got, &e), -EBADMSG);
	assert_contains(err_msg(&e), path);
	assert_int_equal(decompress_file("/nonexistent", 10, &got, &e), -EBADMSG);
	assert_contains(err_msg(&e), "/nonexistent");
}

#define T(f) cmocka_unit_test_setup_teardown(f, sandbox_setup, sandbox_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {T(whatever_it_is), T(empty_damaged_missing)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
