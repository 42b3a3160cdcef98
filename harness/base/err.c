// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/err.h"

#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"

static char *format(const char *fmt, va_list ap)
{
	char *s = NULL;

	if (vasprintf(&s, fmt, ap) < 0)
		s = xstrdup(fmt);
	return s;
}

static void replace(struct err *e, char *msg)
{
	free(e->msg);
	e->msg = msg;
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -code;
	va_start(ap, fmt);
	replace(e, format(fmt, ap));
	va_end(ap);
	return -code;
}

int err_errno(struct err *e, int code, const char *fmt, ...)
{
	char *text __free(str) = NULL;
	va_list ap;

	if (!e)
		return -code;
	va_start(ap, fmt);
	text = format(fmt, ap);
	va_end(ap);
	replace(e, xasprintf("%s: %s", text, strerror(code)));
	return -code;
}

int err_prefix(struct err *e, int rc, const char *fmt, ...)
{
	char *text __free(str) = NULL;
	va_list ap;

	if (!e)
		return rc;
	va_start(ap, fmt);
	text = format(fmt, ap);
	va_end(ap);
	replace(e, xasprintf("%s: %s", text, err_msg(e)));
	return rc;
}

const char *err_msg(const struct err *e)
{
	return e && e->msg ? e->msg : "unknown error";
}

void err_fini(struct err *e)
{
	replace(e, NULL);
}
