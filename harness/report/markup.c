// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/markup.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

static void add_bytes(struct buf *out, const char *text, size_t len)
{
	struct buf safe __free_buf = BUF_INIT;
	size_t i;

	text_escape(&safe, text, len);
	for (i = 0; i < safe.len; i++) {
		switch (safe.data[i]) {
		case '&':
			buf_adds(out, "&amp;");
			break;
		case '<':
			buf_adds(out, "&lt;");
			break;
		case '>':
			buf_adds(out, "&gt;");
			break;
		case '"':
			buf_adds(out, "&quot;");
			break;
		case '\'':
			buf_adds(out, "&#39;");
			break;
		default:
			buf_addch(out, safe.data[i]);
		}
	}
}

void markup_text(struct buf *out, const char *text)
{
	add_bytes(out, text, strlen(text));
}

void markup_text_cut(struct buf *out, const char *text, size_t bytes)
{
	size_t len = strlen(text);

	add_bytes(out, text, len < bytes ? len : bytes);
	if (len > bytes)
		buf_addf(out, " <i>(%zu more bytes)</i>", len - bytes);
}

void markup_element(struct buf *out, const char *tag, const char *class, const char *text)
{
	buf_addf(out, "<%s", tag);
	if (class)
		buf_addf(out, " class=\"%s\"", class);
	buf_addch(out, '>');
	markup_text(out, text);
	buf_addf(out, "</%s>", tag);
}

void markup_pre(struct buf *out, const char *text)
{
	const char *p = text, *end;

	buf_adds(out, "<pre>");
	for (; *p; p = *end ? end + 1 : end) {
		end = strchrnul(p, '\n');
		add_bytes(out, p, (size_t)(end - p));
		buf_addch(out, '\n');
	}
	buf_adds(out, "</pre>\n");
}

const char *markup_class(enum tone tone)
{
	switch (tone) {
	case TONE_PLAIN:
	case TONE_TITLE:
		return "plain";
	case TONE_GOOD:
		return "good";
	case TONE_WARN:
		return "warn";
	case TONE_BAD:
		return "bad";
	case TONE_DIM:
		return "dim";
	}
	return "plain";
}
