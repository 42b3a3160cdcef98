// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

char buf_empty[1];

void buf_init(struct buf *b)
{
	*b = (struct buf)BUF_INIT;
}

void buf_fini(struct buf *b)
{
	if (b->size)
		free(b->data);
	buf_init(b);
}

void buf_truncate(struct buf *b, size_t len)
{
	if (len >= b->len)
		return;
	b->len = len;
	b->data[len] = '\0';
}

void buf_reset(struct buf *b)
{
	buf_truncate(b, 0);
}

void buf_reserve(struct buf *b, size_t extra)
{
	size_t need = b->len + extra + 1;
	size_t size = b->size ? b->size : 64;

	if (need <= b->size)
		return;
	while (size < need)
		size = size > SIZE_MAX / 2 ? need : size * 2;
	b->data = xreallocarray(b->size ? b->data : NULL, size, 1);
	b->size = size;
	b->data[b->len] = '\0';
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	if (!len)
		return;
	buf_reserve(b, len);
	memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void buf_addch(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n <= 0)
		return;
	buf_reserve(b, n);
	va_start(ap, fmt);
	vsnprintf(b->data + b->len, n + 1, fmt, ap);
	va_end(ap);
	b->len += n;
}

void buf_consume(struct buf *b, size_t n)
{
	if (!n)
		return;
	if (n > b->len)
		n = b->len;
	memmove(b->data, b->data + n, b->len - n);
	buf_truncate(b, b->len - n);
}

char *buf_steal(struct buf *b)
{
	char *s;

	buf_reserve(b, 0);
	s = b->data;
	buf_init(b);
	return s;
}
