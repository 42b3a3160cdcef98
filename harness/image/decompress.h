/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decompress.h - the content of a file that may be gzip, xz or zstd (libarchive).
 */
#ifndef KJUMP_IMAGE_DECOMPRESS_H
#define KJUMP_IMAGE_DECOMPRESS_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Appends the content of @path, decompressed if its first bytes say that it is
 * compressed. -EFBIG past @max_bytes, -EBADMSG where it is damaged.
 */
int decompress_file(const char *path, size_t max_bytes, struct buf *out, struct err *e);

#endif
