/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - small questions about text.
 *
 * Sizes are bytes with binary suffixes (K M G T), as QEMU writes them.
 */
#ifndef KJUMP_BASE_TEXT_H
#define KJUMP_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* "2G", "512M", "4096": bytes. -EINVAL for anything else, -ERANGE on overflow. */
int text_parse_size(const char *s, uint64_t *ret_bytes);

/* Decimal, whole string, no sign. -EINVAL or -ERANGE. */
int text_parse_u64(const char *s, uint64_t *ret);

/* The shortest of "2G", "512M", "4096" that is exact. @size of at least 24. */
void text_format_size(uint64_t bytes, char *buf, size_t size);

/*
 * Appends @len bytes of a console so that they are safe on a terminal and in
 * JSON: printable ASCII and valid UTF-8 letters as they are, tab as a blank,
 * everything else (controls, C1, bidi and other format characters, invalid
 * UTF-8) as \xNN. Newlines are not kept: one call is one line.
 */
void text_escape(struct buf *out, const void *bytes, size_t len);

/*
 * Characters that print nothing themselves but change how others are shown:
 * controls, C1, bidi and other format characters.
 */
bool text_is_format(uint32_t code);

/* The formatted text, escaped, for it may quote anything; *returned*. */
char *text_vsafe(const char *fmt, va_list ap);

/* Length of the valid UTF-8 sequence at @s (at most @len bytes), 0 if invalid. */
size_t text_utf8(const char *s, size_t len, uint32_t *ret_code);

/* Of @n candidates the one most like @word, or NULL if none is near. Borrowed. */
const char *text_nearest(const char *word, const char *const *candidates, size_t n);

/* Shell quoting of one argument, for showing and for typing: 'it'\''s'. */
void text_shell_quote(struct buf *out, const char *arg);

/* True if @text matches the fnmatch pattern @pattern, or if @pattern is NULL. */
bool text_match(const char *pattern, const char *text);

#endif
