// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/log.h"

#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static struct {
	enum log_level level;
	bool level_set;
	void (*hook)(enum log_level level, const char *line, void *arg);
	void *arg;
} sink;

void log_set_level(enum log_level level)
{
	sink.level = level;
	sink.level_set = true;
}

bool log_enabled(enum log_level level)
{
	if (!sink.level_set)
		log_set_level(getenv("KJUMP_DEBUG") ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
	return level <= sink.level;
}

void log_set_hook(void (*hook)(enum log_level level, const char *line, void *arg), void *arg)
{
	sink.hook = hook;
	sink.arg = arg;
}

/*
 * A line may quote what a guest, a tool or a file said, and ends on a terminal.
 * What it lists one a line stays so; *returned*.
 */
static char *safe(const char *text)
{
	struct buf out = BUF_INIT;
	const char *end;

	for (;; text = end + 1) {
		end = strchrnul(text, '\n');
		text_escape(&out, text, (size_t)(end - text));
		if (!*end)
			return buf_steal(&out);
		buf_addch(&out, '\n');
	}
}

void log_line(enum log_level level, const char *fmt, ...)
{
	static const char *const prefix[] = {"error: ", "warning: ", "", "debug: "};
	char *raw __free(str) = NULL, *line __free(str) = NULL;
	va_list ap;
	int n;

	if (!log_enabled(level))
		return;
	va_start(ap, fmt);
	n = vasprintf(&raw, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	line = safe(raw);
	if (sink.hook)
		sink.hook(level, line, sink.arg);
	else
		fprintf(stderr, "kjump: %s%s\n", prefix[level], line);
}
