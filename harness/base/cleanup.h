/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cleanup.h - scope-exit cleanup for locals, and hand-over of ownership.
 *
 * A local marked __free(x) is released when it leaves scope; steal_ptr() and
 * steal_fd() take the value out of it when ownership moves on.
 */
#ifndef KJUMP_BASE_CLEANUP_H
#define KJUMP_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define __cleanup(func)	    __attribute__((cleanup(func)))
#define __printf(fmt, args) __attribute__((format(printf, fmt, args)))
#define __must_check	    __attribute__((warn_unused_result))

/* Defines cleanup_NAME() for use as __free(NAME) on a local of @type. */
#define DEFINE_FREE(name, type, free_expr)          \
	static inline void cleanup_##name(type *_p) \
	{                                           \
		type _v = *_p;                      \
		free_expr;                          \
	}                                           \
	struct cleanup_##name##_needs_semicolon

#define __free(name) __cleanup(cleanup_##name)

DEFINE_FREE(str, char *, free(_v));
DEFINE_FREE(mem, void *, free(_v));
DEFINE_FREE(names, const char **, free(_v));
DEFINE_FREE(file, FILE *, if (_v) fclose(_v));
DEFINE_FREE(fd, int, if (_v >= 0) close(_v));

/* Takes the pointer out of @p, which becomes NULL. */
#define steal_ptr(p)                       \
	({                                 \
		__typeof__(p) *_pp = &(p); \
		__typeof__(p) _v = *_pp;   \
		*_pp = NULL;               \
		_v;                        \
	})

/* Takes the descriptor out of @p, which becomes -1. */
static inline int steal_fd(int *p)
{
	int fd = *p;

	*p = -1;
	return fd;
}

#define ARRAY_SIZE(a)			(sizeof(a) / sizeof((a)[0]))

#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

#endif
