// SPDX-License-Identifier: GPL-2.0-or-later
#include "run/shell_text.h"

#include <string.h>

#define ESC	    0x1b
#define BELL	    0x07

/* Longer ones have lost their end; what follows must not vanish in them. */
#define CONTROL_MAX 32
#define STRING_MAX  256
#define MESSAGE_MAX 4096

enum head_match { HEAD_NO, HEAD_MAYBE, HEAD_YES };

static size_t digits(const char *s, size_t i, size_t n)
{
	while (i < n && s[i] >= '0' && s[i] <= '9')
		i++;
	return i;
}

/* Is "<6>[   12.345678]" or its beginning in @s? The "<6>" may be absent. */
static enum head_match match_head(const char *s, size_t n)
{
	size_t i = 0, start;

	if (s[0] == '<') {
		i = digits(s, 1, n);
		if (i == n)
			return HEAD_MAYBE;
		if (i == 1 || s[i] != '>')
			return HEAD_NO;
		if (++i == n)
			return HEAD_MAYBE;
	}
	if (s[i++] != '[')
		return HEAD_NO;
	while (i < n && s[i] == ' ')
		i++;
	start = i;
	i = digits(s, i, n);
	if (i == n)
		return HEAD_MAYBE;
	if (i == start || s[i] != '.')
		return HEAD_NO;
	start = ++i;
	i = digits(s, i, n);
	if (i - start > 6)
		return HEAD_NO;
	if (i == n)
		return HEAD_MAYBE;
	return i - start == 6 && s[i] == ']' ? HEAD_YES : HEAD_NO;
}

static void feed_byte(struct shell_text *t, unsigned char c, struct buf *out);

static void start_head(struct shell_text *t, unsigned char c)
{
	t->resume = t->state;
	t->state = TEXT_HEAD;
	t->head[0] = (char)c;
	t->n_head = 1;
}

/* It was no kernel message: its first byte is text, the rest is looked at anew. */
static void give_head_back(struct shell_text *t, struct buf *out)
{
	char rest[sizeof(t->head)];
	size_t n = t->n_head - 1, i;

	memcpy(rest, t->head + 1, n);
	if (t->resume == TEXT_PLAIN)
		buf_addch(out, t->head[0]);
	t->state = TEXT_PLAIN; /* a '[' that broke into a CSI sequence ended it */
	for (i = 0; i < n; i++)
		feed_byte(t, (unsigned char)rest[i], out);
}

static void feed_head(struct shell_text *t, unsigned char c, struct buf *out)
{
	enum head_match match;

	t->head[t->n_head++] = (char)c;
	match = match_head(t->head, t->n_head);
	if (match == HEAD_YES) {
		t->state = TEXT_MESSAGE;
		t->n_skipped = 0;
	} else if (match == HEAD_NO || t->n_head == sizeof(t->head)) {
		give_head_back(t, out);
	}
}

static void feed_escape(struct shell_text *t, unsigned char c)
{
	t->n_skipped = 0;
	if (c == '[')
		t->state = TEXT_CONTROL;
	else if (c == ']')
		t->state = TEXT_STRING;
	else if (c < 0x20 || c > 0x2f)
		t->state = TEXT_PLAIN;
}

static void feed_control(struct shell_text *t, unsigned char c)
{
	if (c == '[')
		start_head(t, c);
	else if (c < 0x20 || c > 0x3f || ++t->n_skipped > CONTROL_MAX)
		t->state = TEXT_PLAIN;
}

static void feed_string(struct shell_text *t, unsigned char c)
{
	if (c == ESC)
		t->state = TEXT_STRING_END;
	else if (c == BELL || c == '\n' || ++t->n_skipped > STRING_MAX)
		t->state = TEXT_PLAIN;
}

static void feed_plain(struct shell_text *t, unsigned char c, struct buf *out)
{
	if (c == ESC)
		t->state = TEXT_ESCAPE;
	else if (c == '[' || c == '<')
		start_head(t, c);
	else if (c == '\n' || (c >= 0x20 && c < 0x7f))
		buf_addch(out, (char)c);
}

static void feed_byte(struct shell_text *t, unsigned char c, struct buf *out)
{
	switch (t->state) {
	case TEXT_PLAIN:
		feed_plain(t, c, out);
		break;
	case TEXT_ESCAPE:
		feed_escape(t, c);
		break;
	case TEXT_CONTROL:
		feed_control(t, c);
		break;
	case TEXT_STRING:
		feed_string(t, c);
		break;
	case TEXT_STRING_END:
		t->state = c == '\\' ? TEXT_PLAIN : TEXT_STRING;
		break;
	case TEXT_HEAD:
		feed_head(t, c, out);
		break;
	case TEXT_MESSAGE:
		if (c == '\n' || ++t->n_skipped > MESSAGE_MAX)
			t->state = t->resume;
		break;
	}
}

void shell_text_feed(struct shell_text *t, const void *data, size_t len, struct buf *out)
{
	const unsigned char *p = data;
	size_t i;

	for (i = 0; i < len; i++)
		feed_byte(t, p[i], out);
}
