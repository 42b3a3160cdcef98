/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * alloc.h - allocation that does not fail.
 *
 * Everything that a guest or a network can make grow is bounded where it is
 * read, so running out of memory means that the host itself is out of it; no
 * report could be written then. These end the process with one line on stderr.
 * Callers own what is returned and release it with free().
 */
#ifndef KJUMP_BASE_ALLOC_H
#define KJUMP_BASE_ALLOC_H

#include <stddef.h>

#include "base/cleanup.h"

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
/* Like xstrdup(), but NULL stays NULL. */
char *xstrdup_null(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __printf(1, 2);

/* An array of @n strings, *taken*: each of them and itself. */
void strings_free(char **list, size_t n);

/* Zeroed object of the type that @p points to. */
#define xnew(p) ((p) = xcalloc(1, sizeof(*(p))))

/*
 * Makes room for one more element at the end of a growing array and zeroes it;
 * evaluates to its address. @arr is a pointer, @n its length (incremented).
 */
#define array_push(arr, n)                                      \
	({                                                      \
		(arr) = array_grow((arr), (n), sizeof(*(arr))); \
		&(arr)[(n)++];                                  \
	})

/* Used by array_push() only. */
void *array_grow(void *arr, size_t n, size_t size);

#endif
