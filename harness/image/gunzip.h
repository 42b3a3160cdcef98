/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gunzip.h - gzip data from a guest (RFC 1952, by libarchive).
 */
#ifndef KJUMP_IMAGE_GUNZIP_H
#define KJUMP_IMAGE_GUNZIP_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Appends what @data decompresses to. -EFBIG past @max_bytes, -EBADMSG: it is no
 * gzip data or ends too early. libarchive does not compare the checksum.
 */
int image_gunzip(const void *data, size_t len, size_t max_bytes, struct buf *out, struct err *e);

#endif
