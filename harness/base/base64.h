/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base64.h - bytes as text (RFC 4648, by nettle).
 */
#ifndef KJUMP_BASE_BASE64_H
#define KJUMP_BASE_BASE64_H

#include <stddef.h>

#include "base/buf.h"

/* Appends the encoding of @data, on one line. */
void base64_encode(struct buf *out, const void *data, size_t len);

/* Appends what @text encodes; -EBADMSG, and nothing appended, if it is not base64. */
int base64_decode(struct buf *out, const char *text, size_t len);

#endif
