// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/decompress.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>

DEFINE_FREE(archive, struct archive *, if (_v) archive_read_free(_v));

static int bad(struct archive *a, const char *path, struct err *e)
{
	return err_set(e, EBADMSG, "cannot read '%s': %s", path, archive_error_string(a));
}

int decompress_file(const char *path, size_t max_bytes, struct buf *out, struct err *e)
{
	struct archive *a __free(archive) = archive_read_new();
	size_t start = out->len;
	struct archive_entry *entry;
	char block[65536];
	la_ssize_t n;
	int rc;

	archive_read_support_format_raw(a);
	archive_read_support_format_empty(a);
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_zstd(a);
	if (archive_read_open_filename(a, path, sizeof(block)) != ARCHIVE_OK)
		return bad(a, path, e);
	rc = archive_read_next_header(a, &entry);
	if (rc == ARCHIVE_EOF)
		return 0;
	if (rc != ARCHIVE_OK)
		return bad(a, path, e);
	while ((n = archive_read_data(a, block, sizeof(block))) > 0) {
		if (out->len - start + (size_t)n > max_bytes)
			return err_set(e, EFBIG, "'%s' is longer than %zu bytes", path, max_bytes);
		buf_add(out, block, (size_t)n);
	}
	return n < 0 ? bad(a, path, e) : 0;
}
