// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/temp_dir.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/digest.h"

static void write_replaces_whole(void **state)
{
	char *path __free(str) = file_join(dir, "f");
	struct buf b __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;

	assert_int_equal(file_write(path, "long content", 12, &e), 0);
	assert_int_equal(file_write(path, "a\0b", 3, &e), 0);
	assert_int_equal(file_read(path, 100, &b, &e), 0);
	assert_int_equal(b.len, 3);
	assert_memory_equal(b.data, "a\0b", 3);
	assert_int_equal(file_read(path, 2, &b, &e), -EFBIG);
}

static void append_copies(void **state)
{
	char *from __free(str) = file_join(dir, "from"), *to __free(str) = file_join(dir, "to");
	struct buf b __free_buf = BUF_INIT;
	int fd __free(fd) = open(to, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(file_write(from, "tail", 4, NULL), 0);
	assert_int_equal(file_write_all(fd, "head-", 5), 0);
	assert_int_equal(file_append(fd, from, NULL), 0);
	assert_int_equal(file_append(fd, from, NULL), 0);
	assert_int_equal(file_read(to, 100, &b, NULL), 0);
	assert_string_equal(b.data, "head-tailtail");
}

/* Removing a tree must not walk out of it through a link. */
static void remove_spares_link_targets(void **state)
{
	char *outside __free(str) = file_join(dir, "outside"),
		      *tree __free(str) = file_join(dir, "t");
	char *inner __free(str) = file_join(tree, "a/b"),
		    *link __free(str) = file_join(tree, "a/l");

	assert_int_equal(file_write(outside, "x", 1, NULL), 0);
	assert_int_equal(file_mkdir(inner, 0700, NULL), 0);
	assert_int_equal(symlink(dir, link), 0);
	assert_int_equal(file_remove_tree(tree, NULL), 0);
	assert_false(file_exists(tree));
	assert_true(file_exists(outside));
	assert_int_equal(file_remove_tree(tree, NULL), 0);
}

static void digests(void **state)
{
	char *path __free(str) = file_join(dir, "d");
	char a[DIGEST_HEX_SIZE], b[DIGEST_HEX_SIZE];

	/* FIPS 180-4's own example. */
	digest_of("abc", 3, a);
	assert_string_equal(a, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_int_equal(file_write(path, "abc", 3, NULL), 0);
	assert_int_equal(digest_of_file(path, b, NULL), 0);
	assert_string_equal(a, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(write_replaces_whole),
		cmocka_unit_test(append_copies),
		cmocka_unit_test(remove_spares_link_targets),
		cmocka_unit_test(digests),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
