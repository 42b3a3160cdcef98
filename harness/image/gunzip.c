// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/gunzip.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>

DEFINE_FREE(archive, struct archive *, if (_v) archive_read_free(_v));

static int bad(struct archive *a, struct err *e)
{
	const char *why = archive_error_string(a);

	return err_set(e, EBADMSG, "bad gzip data: %s", why ? why : "it is empty");
}

int image_gunzip(const void *data, size_t len, size_t max_bytes, struct buf *out, struct err *e)
{
	struct archive *a __free(archive) = archive_read_new();
	size_t start = out->len;
	struct archive_entry *entry;
	char block[16384];
	la_ssize_t n;

	archive_read_support_format_raw(a);
	archive_read_support_filter_gzip(a);
	if (archive_read_open_memory(a, data, len) != ARCHIVE_OK ||
	    archive_read_next_header(a, &entry) != ARCHIVE_OK)
		return bad(a, e);
	if (archive_filter_code(a, 0) != ARCHIVE_FILTER_GZIP)
		return err_set(e, EBADMSG, "bad gzip data: no gzip header");
	while ((n = archive_read_data(a, block, sizeof(block))) > 0) {
		if (out->len - start + (size_t)n > max_bytes)
			return err_set(e, EFBIG, "it decompresses to more than %zu bytes",
				       max_bytes);
		buf_add(out, block, (size_t)n);
	}
	return n < 0 ? bad(a, e) : 0;
}
