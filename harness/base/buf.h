/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * buf.h - a growing byte buffer.
 *
 * Holds any bytes; data is always followed by a NUL that len does not count,
 * so it can be passed as a string where the content is known to be text. A
 * struct buf starts as BUF_INIT and owns its memory.
 */
#ifndef KJUMP_BASE_BUF_H
#define KJUMP_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

struct buf {
	char *data; /* never NULL: an empty buffer points at a shared "" */
	size_t len;
	size_t size; /* allocated bytes, 0 while data is shared */
};

extern char buf_empty[1];

#define BUF_INIT                \
	{                       \
		buf_empty, 0, 0 \
	}

void buf_init(struct buf *b);
void buf_fini(struct buf *b);
/* Forgets the content, keeps the memory. */
void buf_reset(struct buf *b);
/* Makes sure that @extra more bytes fit without another allocation. */
void buf_reserve(struct buf *b, size_t extra);
void buf_add(struct buf *b, const void *data, size_t len);
void buf_addch(struct buf *b, char c);
void buf_adds(struct buf *b, const char *s);
void buf_addf(struct buf *b, const char *fmt, ...) __printf(2, 3);
/* Removes @n bytes from the front; n may be at most len. */
void buf_consume(struct buf *b, size_t n);
/* Shortens to @len bytes. */
void buf_truncate(struct buf *b, size_t len);
/* Returns the content as a malloced string, *returned*; @b becomes empty. */
char *buf_steal(struct buf *b);

#define __free_buf __cleanup(buf_fini)

#endif
