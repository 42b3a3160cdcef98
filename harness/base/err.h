/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * err.h - why something failed, for a person.
 *
 * Functions return 0 or a negative errno. Where a person needs the reason, a
 * struct err comes last; the function that fails sets it, each layer above may
 * prefix it ("board 'x': power: cannot open '/dev/ttyUSB2'"). A struct err
 * starts as ERR_INIT and owns its message. NULL is accepted everywhere and
 * means that the caller does not want the text.
 */
#ifndef KJUMP_BASE_ERR_H
#define KJUMP_BASE_ERR_H

#include "base/cleanup.h"

struct err {
	char *msg;
};

#define ERR_INIT     \
	{            \
		NULL \
	}

/* Replaces the message. @code is a positive errno; returns -@code. */
int err_set(struct err *e, int code, const char *fmt, ...) __printf(3, 4);

/* As err_set(), and appends ": " and the text of @code. */
int err_errno(struct err *e, int code, const char *fmt, ...) __printf(3, 4);

/* Puts "TEXT: " before the message. Returns @rc unchanged, for use in return. */
int err_prefix(struct err *e, int rc, const char *fmt, ...) __printf(3, 4);

/* The message, or a fixed text when none was set. Borrowed from @e. */
const char *err_msg(const struct err *e);

void err_fini(struct err *e);

#define __free_err __cleanup(err_fini)

#endif
