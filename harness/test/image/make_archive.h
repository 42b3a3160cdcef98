/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make_archive.h - small packages for tests, good and evil (libarchive).
 */
#ifndef KJUMP_TEST_IMAGE_MAKE_ARCHIVE_H
#define KJUMP_TEST_IMAGE_MAKE_ARCHIVE_H

#include "test/test.h"

#include <archive.h>
#include <archive_entry.h>

#include "base/alloc.h"
#include "base/buf.h"

struct tar_item {
	const char *name;
	mode_t type;	     /* 0: a regular file */
	mode_t mode;	     /* 0: 0644 */
	const char *content; /* or the target of a symbolic link */
	size_t len;	     /* 0: strlen(content) */
	const char *hardlink;
};

static inline void add_item(struct archive *a, const struct tar_item *item)
{
	struct archive_entry *entry = archive_entry_new();
	mode_t type = item->type ? item->type : AE_IFREG;
	size_t len = 0;

	if (item->content && type == AE_IFREG)
		len = item->len ? item->len : strlen(item->content);
	archive_entry_set_pathname(entry, item->name);
	archive_entry_set_filetype(entry, type);
	archive_entry_set_perm(entry, item->mode ? item->mode : 0644);
	archive_entry_set_size(entry, (la_int64_t)len);
	archive_entry_set_mtime(entry, 1, 0);
	if (type == AE_IFLNK)
		archive_entry_set_symlink(entry, item->content);
	if (item->hardlink)
		archive_entry_set_hardlink(entry, item->hardlink);
	assert_int_equal(archive_write_header(a, entry), ARCHIVE_OK);
	if (len)
		assert_int_equal(archive_write_data(a, item->content, len), len);
	archive_entry_free(entry);
}

#define MAX_MADE (4 << 20)

/* @compress: "none", "gzip", "xz", "zstd". */
static inline void make_tar(struct buf *out, const struct tar_item *items, size_t n,
			    const char *compress)
{
	struct archive *a = archive_write_new();
	size_t used = 0, i;

	buf_reserve(out, MAX_MADE);
	archive_write_set_format_gnutar(a);
	if (strcmp(compress, "none"))
		assert_int_equal(archive_write_add_filter_by_name(a, compress), ARCHIVE_OK);
	assert_int_equal(archive_write_open_memory(a, out->data, MAX_MADE, &used), ARCHIVE_OK);
	for (i = 0; i < n; i++)
		add_item(a, &items[i]);
	assert_int_equal(archive_write_close(a), ARCHIVE_OK);
	archive_write_free(a);
	out->len = used;
}

/* An ar archive of @members. */
static inline void make_ar(struct buf *out, const struct tar_item *members, size_t n)
{
	struct archive *a = archive_write_new();
	size_t used = 0, i;

	buf_reserve(out, MAX_MADE);
	archive_write_set_format_ar_svr4(a);
	assert_int_equal(archive_write_open_memory(a, out->data, MAX_MADE, &used), ARCHIVE_OK);
	for (i = 0; i < n; i++)
		add_item(a, &members[i]);
	assert_int_equal(archive_write_close(a), ARCHIVE_OK);
	archive_write_free(a);
	out->len = used;
}

static inline void make_deb(struct buf *out, const struct tar_item *items, size_t n,
			    const char *compress)
{
	struct buf control __free_buf = BUF_INIT, data __free_buf = BUF_INIT;
	const struct tar_item about = {.name = "./control", .content = "Package: tiny\n"};
	char *name __free(str) = NULL;

	make_tar(&control, &about, 1, "gzip");
	make_tar(&data, items, n, compress);
	name = xasprintf("data.tar%s", !strcmp(compress, "gzip")   ? ".gz"
				       : !strcmp(compress, "xz")   ? ".xz"
				       : !strcmp(compress, "zstd") ? ".zst"
								   : "");
	const struct tar_item members[] = {
		{.name = "debian-binary", .content = "2.0\n"},
		{.name = "control.tar.gz", .content = control.data, .len = control.len},
		{.name = name, .content = data.data, .len = data.len},
	};
	make_ar(out, members, ARRAY_SIZE(members));
}

#endif
