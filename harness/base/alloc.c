// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/alloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

static void *check(void *p)
{
	static const char msg[] = "kjump: out of memory\n";

	if (p)
		return p;
	if (write(STDERR_FILENO, msg, sizeof(msg) - 1) < 0)
		_exit(4);
	abort();
}

void *xmalloc(size_t size)
{
	return check(malloc(size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return check(calloc(n ? n : 1, size ? size : 1));
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	return check(reallocarray(p, n ? n : 1, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return check(strdup(s));
}

char *xstrdup_null(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

char *xstrndup(const char *s, size_t n)
{
	return check(strndup(s, n));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return check(n < 0 ? NULL : s);
}

void *array_grow(void *arr, size_t n, size_t size)
{
	/* The capacity is the next power of two, so it need not be stored. */
	if (n == 0 || (n & (n - 1)) == 0) {
		if (n > SIZE_MAX / 2)
			check(NULL);
		arr = xreallocarray(arr, n ? n * 2 : 1, size);
	}
	memset((char *)arr + n * size, 0, size);
	return arr;
}

void strings_free(char **list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free(list[i]);
	free(list);
}
