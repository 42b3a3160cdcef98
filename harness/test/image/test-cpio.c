// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/image/sandbox.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>

#include "image/cpio.h"
#include "image/image.h"

static void write_to(struct cpio *c, const char *path)
{
	int fd __free(fd) = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	struct err e __free_err = ERR_INIT;

	assert_true(fd >= 0);
	assert_ok(cpio_write(c, fd, &e));
}

static struct cpio *sample(bool reversed)
{
	struct cpio *c = cpio_new();

	if (!reversed)
		cpio_add_data(c, "etc/kjump/profile", 0644, "minimal\n", 8);
	cpio_add_char_device(c, "dev/console", 0600, 5, 1);
	cpio_add_link(c, "bin/sh", "busybox");
	cpio_add_dir(c, "tmp", 01777);
	cpio_add_data(c, "empty", 0600, NULL, 0);
	if (reversed)
		cpio_add_data(c, "etc/kjump/profile", 0644, "minimal\n", 8);
	return c;
}

static void the_same_bytes(void **state)
{
	struct cpio *a __free(cpio) = sample(false), *b __free(cpio) = sample(true);
	char *path_a __free(str) = file_join(*state, "a"), *path_b __free(str) = NULL;
	struct buf bytes_a __free_buf = BUF_INIT, bytes_b __free_buf = BUF_INIT;

	path_b = file_join(*state, "b");
	write_to(a, path_a);
	write_to(b, path_b);
	assert_int_equal(file_read(path_a, 1 << 20, &bytes_a, NULL), 0);
	assert_int_equal(file_read(path_b, 1 << 20, &bytes_b, NULL), 0);
	assert_int_equal(bytes_a.len, bytes_b.len);
	assert_memory_equal(bytes_a.data, bytes_b.data, bytes_a.len);
	assert_memory_equal(bytes_a.data, "070701", 6);
	assert_int_equal(bytes_a.len % 512, 0);
}

static void expect(struct archive *a, const char *name, mode_t mode, const char *content)
{
	struct archive_entry *entry;
	char got[64] = "";

	assert_int_equal(archive_read_next_header(a, &entry), ARCHIVE_OK);
	assert_string_equal(archive_entry_pathname(entry), name);
	assert_int_equal(archive_entry_mode(entry), mode);
	assert_int_equal(archive_entry_uid(entry), 0);
	assert_int_equal(archive_entry_gid(entry), 0);
	assert_int_equal(archive_entry_mtime(entry), 0);
	if (archive_entry_filetype(entry) == AE_IFLNK)
		assert_string_equal(archive_entry_symlink(entry), content);
	if (archive_entry_filetype(entry) == AE_IFCHR) {
		assert_int_equal(archive_entry_rdevmajor(entry), 5);
		assert_int_equal(archive_entry_rdevminor(entry), 1);
	}
	if (archive_entry_filetype(entry) == AE_IFREG) {
		assert_true(archive_read_data(a, got, sizeof(got) - 1) >= 0);
		assert_string_equal(got, content);
	}
}

static void sorted_with_parents(void **state)
{
	struct cpio *c __free(cpio) = sample(false);
	char *path __free(str) = file_join(*state, "a");
	struct archive *a = archive_read_new();
	struct archive_entry *entry;

	write_to(c, path);
	archive_read_support_format_cpio(a);
	assert_int_equal(archive_read_open_filename(a, path, 4096), ARCHIVE_OK);
	expect(a, "bin", S_IFDIR | 0755, NULL);
	expect(a, "bin/sh", S_IFLNK | 0777, "busybox");
	expect(a, "dev", S_IFDIR | 0755, NULL);
	expect(a, "dev/console", S_IFCHR | 0600, NULL);
	expect(a, "empty", S_IFREG | 0600, "");
	expect(a, "etc", S_IFDIR | 0755, NULL);
	expect(a, "etc/kjump", S_IFDIR | 0755, NULL);
	expect(a, "etc/kjump/profile", S_IFREG | 0644, "minimal\n");
	expect(a, "tmp", S_IFDIR | 01777, NULL);
	assert_int_equal(archive_read_next_header(a, &entry), ARCHIVE_EOF);
	archive_read_free(a);
}

static void names_refused(void **state)
{
	static const char *const names[] = {"", "/abs", "a/../b", "./a", "a/"};
	int fd __free(fd) = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct cpio *twice __free(cpio) = cpio_new();
	struct err e __free_err = ERR_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct cpio *c __free(cpio) = cpio_new();

		cpio_add_data(c, names[i], 0644, "x", 1);
		assert_int_equal(cpio_write(c, fd, &e), -EINVAL);
	}
	cpio_add_data(twice, "etc/a", 0644, "x", 1);
	cpio_add_link(twice, "etc/a", "b");
	assert_int_equal(cpio_write(twice, fd, &e), -EEXIST);
	assert_contains(err_msg(&e), "etc/a");
}

static void disk_full(void **state)
{
	int fd __free(fd) = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct cpio *c __free(cpio) = sample(false);
	struct err e __free_err = ERR_INIT;

	assert_int_equal(cpio_write(c, fd, &e), -ENOSPC);
}

/* What follows the base must begin at a multiple of four, as the kernel wants it. */
static void payload_behind_any_base(void **state)
{
	char *base __free(str) = file_join(*state, "base"), *out __free(str) = NULL;
	size_t len;

	out = file_join(*state, "out");
	for (len = 510; len < 515; len++) {
		const struct payload_file files[] = {
			{.name = "boot-b/linux", .path = base},
			{.name = "boot-b/dtb", .data = "tree", .len = 4},
		};
		char *bytes __free(str) = xcalloc(1, len);
		struct buf got __free_buf = BUF_INIT;
		struct err e __free_err = ERR_INIT;
		size_t at = (len + 511) / 512 * 512;

		memset(bytes, 'b', len);
		sandbox_put(*state, "base", bytes, len);
		assert_ok(image_with_payload(base, files, ARRAY_SIZE(files), out, &e));
		assert_int_equal(file_read(out, 1 << 20, &got, &e), 0);
		assert_memory_equal(got.data, bytes, len);
		assert_true(got.len > at);
		assert_memory_equal(got.data + at, "070701", 6);
		assert_non_null(memmem(got.data + at, got.len - at, "boot-b/linux", 12));
		assert_non_null(memmem(got.data + at, got.len - at, "TRAILER!!!", 10));
	}
}

static void payload_leaves_nothing_behind(void **state)
{
	const struct payload_file missing = {.name = "boot-b/linux", .path = "/nonexistent"};
	char *base __free(str) = file_join(*state, "base"), *out __free(str) = NULL;
	struct err e __free_err = ERR_INIT;

	sandbox_puts(*state, "base", "base");
	sandbox_puts(*state, "out", "as it was");
	out = file_join(*state, "out");
	assert_int_equal(image_with_payload(base, &missing, 1, out, &e), -ENOENT);
	assert_contains(err_msg(&e), "/nonexistent");
	assert_file_is(*state, "out", "as it was");
	assert_false(sandbox_has(*state, "out.part"));
}

#define T(f) cmocka_unit_test_setup_teardown(f, sandbox_setup, sandbox_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_same_bytes), T(sorted_with_parents),     T(names_refused),
		T(disk_full),	   T(payload_behind_any_base), T(payload_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
