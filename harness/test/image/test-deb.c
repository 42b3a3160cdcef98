// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/image/sandbox.h"

#include "image/deb.h"
#include "test/image/make_archive.h"

static const struct deb_limits small = {1 << 20, 100};

static char *everything(const char *path, void *arg)
{
	return xstrdup(path);
}

static int unpack(const char *dir, const struct buf *deb, struct err *e)
{
	return deb_unpack_memory(deb->data, deb->len, "tiny", dir, &small, everything, NULL, e);
}

static int unpack_items(const char *dir, const struct tar_item *items, size_t n, struct err *e)
{
	struct buf deb __free_buf = BUF_INIT;

	make_deb(&deb, items, n, "xz");
	return unpack(dir, &deb, e);
}

static void every_compression(void **state)
{
	static const char *const how[] = {"none", "gzip", "xz", "zstd"};
	const struct tar_item items[] = {
		{.name = "./", .type = AE_IFDIR, .mode = 0755},
		{.name = "./usr/bin/", .type = AE_IFDIR, .mode = 0700},
		{.name = "./usr/bin/tool", .mode = 04711, .content = "program"},
		{.name = "./usr/share/text", .mode = 0600, .content = "text"},
		{.name = "./usr/lib/liba.so", .type = AE_IFLNK, .content = "liba.so.1"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(how); i++) {
		char *dir __free(str) = file_join(*state, how[i]);
		char *tool __free(str) = file_join(dir, "usr/bin/tool");
		struct buf deb __free_buf = BUF_INIT;
		struct err e __free_err = ERR_INIT;
		struct stat st;

		assert_int_equal(mkdir(dir, 0755), 0);
		make_deb(&deb, items, ARRAY_SIZE(items), how[i]);
		assert_ok(unpack(dir, &deb, &e));
		assert_file_is(dir, "usr/bin/tool", "program");
		assert_file_is(dir, "usr/share/text", "text");
		assert_true(sandbox_has(dir, "usr/lib/liba.so"));
		assert_int_equal(stat(tool, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0755); /* no set-uid bit */
	}
}

static char *only_lib(const char *path, void *arg)
{
	int *asked = arg;

	(*asked)++;
	return strcmp(path, "usr/lib/x") ? NULL : xstrdup("here/y");
}

static void places_what_is_wanted(void **state)
{
	/* From before the merged /usr. */
	const struct tar_item items[] = {{.name = "./lib/x", .content = "x"},
					 {.name = "./etc/passwd", .content = "no"}};
	struct buf deb __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	int asked = 0;

	make_deb(&deb, items, ARRAY_SIZE(items), "gzip");
	assert_ok(
		deb_unpack_memory(deb.data, deb.len, "tiny", *state, &small, only_lib, &asked, &e));
	assert_int_equal(asked, 2);
	assert_file_is(*state, "here/y", "x");
	assert_false(sandbox_has(*state, "etc"));
}

static void names_that_lead_out(void **state)
{
	static const char *const names[] = {"../out", "./../out", "a/../../out", "/tmp/out",
					    "a//b",   "a/./b",	  ".."};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const struct tar_item item = {.name = names[i], .content = "x"};
		struct err e __free_err = ERR_INIT;

		assert_int_equal(unpack_items(*state, &item, 1, &e), -EBADMSG);
		assert_contains(err_msg(&e), "leads out");
	}
	assert_false(sandbox_has(*state, "a"));
}

static void never_through_a_link(void **state)
{
	char *inside __free(str) = file_join(*state, "inside"), *outside __free(str) = NULL;
	const struct tar_item absolute[] = {
		{.name = "./door", .type = AE_IFLNK, .content = *state},
		{.name = "./door/outside", .content = "x"},
	};
	const struct tar_item relative[] = {
		{.name = "./usr/real/file", .content = "x"},
		{.name = "./usr/door", .type = AE_IFLNK, .content = "real"},
		{.name = "./usr/door/file2", .content = "x"},
	};
	struct err e __free_err = ERR_INIT;

	assert_int_equal(mkdir(inside, 0755), 0);
	/* The link is not made, so the name below it is a directory of our own. */
	assert_ok(unpack_items(inside, absolute, ARRAY_SIZE(absolute), &e));
	outside = file_join(*state, "outside");
	assert_false(file_exists(outside));
	assert_file_is(inside, "door/outside", "x");
	assert_int_not_equal(unpack_items(inside, relative, ARRAY_SIZE(relative), &e), 0);
	assert_false(sandbox_has(inside, "usr/real/file2"));
}

static void a_file_twice(void **state)
{
	const struct tar_item items[] = {{.name = "./a", .content = "1"},
					 {.name = "./a", .content = "2"}};
	struct err e __free_err = ERR_INIT;

	assert_int_equal(unpack_items(*state, items, 2, &e), -EEXIST);
	assert_file_is(*state, "a", "1");
}

static void only_files_and_links(void **state)
{
	const struct tar_item fifo = {.name = "./fifo", .type = AE_IFIFO};
	const struct tar_item hard[] = {{.name = "./a", .content = "1"},
					{.name = "./b", .hardlink = "./a"}};
	struct err e __free_err = ERR_INIT;

	assert_int_equal(unpack_items(*state, &fifo, 1, &e), -ENOTSUP);
	assert_false(sandbox_has(*state, "fifo"));
	assert_int_equal(unpack_items(*state, hard, 2, &e), -ENOTSUP);
}

static void bombs(void **state)
{
	size_t len = (1 << 20) + 1, i;
	char *zeros __free(str) = xcalloc(1, len);
	const struct tar_item big = {.name = "./big", .content = zeros, .len = len};
	struct tar_item many[101];
	char names[101][16];
	struct err e __free_err = ERR_INIT;

	assert_int_equal(unpack_items(*state, &big, 1, &e), -EFBIG);
	memset(many, 0, sizeof(many));
	for (i = 0; i < ARRAY_SIZE(many); i++) {
		snprintf(names[i], sizeof(names[i]), "./f%zu", i);
		many[i].name = names[i];
	}
	assert_int_equal(unpack_items(*state, many, 101, &e), -EFBIG);
	file_remove_tree(*state, NULL);
	assert_int_equal(mkdir(*state, 0700), 0);
	assert_ok(unpack_items(*state, many, 100, &e));
}

static void cut_off_anywhere(void **state)
{
	const struct tar_item item = {.name = "./usr/a", .content = "content of a file"};
	struct buf deb __free_buf = BUF_INIT;
	size_t len;

	make_deb(&deb, &item, 1, "gzip");
	/* The last 8 bytes may be ar's padding and gzip's trailer of zeros after the end. */
	for (len = 0; len + 512 < deb.len; len += 7) {
		char *dir __free(str) = xasprintf("%s/%zu", (char *)*state, len);
		struct buf cut __free_buf = BUF_INIT;
		struct err e __free_err = ERR_INIT;

		assert_int_equal(mkdir(dir, 0755), 0);
		buf_add(&cut, deb.data, len);
		if (!unpack(dir, &cut, &e))
			assert_file_is(dir, "usr/a", "content of a file");
	}
}

static void what_is_no_package(void **state)
{
	const struct tar_item wrong_version = {.name = "debian-binary", .content = "3.0\n"};
	const struct tar_item wrong_first = {.name = "other", .content = "2.0\n"};
	const struct tar_item no_data = {.name = "debian-binary", .content = "2.0\n"};
	const struct tar_item *const archives[] = {&wrong_version, &wrong_first, &no_data};
	static const char *const why[] = {"format 2", "format 2", "no data.tar"};
	const struct buf text = {(char *)"not an archive", 14, 0};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(archives); i++) {
		struct buf deb __free_buf = BUF_INIT;
		struct err e __free_err = ERR_INIT;

		make_ar(&deb, archives[i], 1);
		assert_int_equal(unpack(*state, &deb, &e), -EBADMSG);
		assert_contains(err_msg(&e), why[i]);
	}
	assert_int_equal(unpack(*state, &text, NULL), -EBADMSG);
}

static void from_a_file(void **state)
{
	const struct tar_item item = {.name = "./usr/a", .content = "x"};
	char *path __free(str) = file_join(*state, "t.deb");
	struct buf deb __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;

	make_deb(&deb, &item, 1, "zstd");
	sandbox_put(*state, "t.deb", deb.data, deb.len);
	assert_ok(deb_unpack(path, *state, everything, NULL, &e));
	assert_file_is(*state, "usr/a", "x");
	assert_int_equal(deb_unpack("/nonexistent.deb", *state, everything, NULL, &e), -EBADMSG);
	assert_contains(err_msg(&e), "/nonexistent.deb");
}

#define T(f) cmocka_unit_test_setup_teardown(f, sandbox_setup, sandbox_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(every_compression),
		T(places_what_is_wanted),
		T(names_that_lead_out),
		T(never_through_a_link),
		T(a_file_twice),
		T(only_files_and_links),
		T(bombs),
		T(cut_off_anywhere),
		T(what_is_no_package),
		T(from_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
