/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_tokens.h - reads a page as strictly as a report writes it, and fails the
 * test for anything that a report has no business to write: an element or an
 * attribute that is not listed here, a tag that is left open, a control byte, a
 * '<' or '>' in text, an address that is not in the page itself.
 */
#ifndef KJUMP_TEST_REPORT_HTML_TOKENS_H
#define KJUMP_TEST_REPORT_HTML_TOKENS_H

#include "test/test.h"

#include "base/alloc.h"
#include "base/buf.h"

#define HTML_DEPTH 32

struct html_reader {
	const char *page, *p;
	char open[HTML_DEPTH][16];
	size_t depth;
	size_t n_elements, n_cards;
};

static inline bool html_is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(*list, name))
			return true;
	return false;
}

#define html_fail(r, what) \
	fail_msg("%s, at byte %zu: '%.80s'", what, (size_t)((r)->p - (r)->page), (r)->p)

static inline size_t html_name(struct html_reader *r, char *ret, size_t size)
{
	size_t n = strspn(r->p, "abcdefghijklmnopqrstuvwxyz0123456789-");

	if (!n || n >= size)
		html_fail(r, "no name");
	memcpy(ret, r->p, n);
	ret[n] = '\0';
	r->p += n;
	return n;
}

static inline void html_value(struct html_reader *r, const char *name)
{
	size_t n;

	if (strncmp(r->p, "=\"", 2))
		html_fail(r, "an attribute without quotes");
	r->p += 2;
	n = strcspn(r->p, "\"");
	if (memchr(r->p, '<', n) || memchr(r->p, '>', n))
		html_fail(r, "markup in an attribute");
	if (!strcmp(name, "src") && strncmp(r->p, "data:image/png;base64,", 22))
		html_fail(r, "something from elsewhere");
	if (!strcmp(name, "href")) {
		char *id = xasprintf(" id=\"%.*s\"", (int)n - 1, r->p + 1);

		if (*r->p != '#' || !strstr(r->page, id))
			html_fail(r, "a link that leads nowhere");
		free(id);
	}
	r->p += n + 1;
}

static inline void html_attributes(struct html_reader *r)
{
	static const char *const known[] = {"class", "id",	   "href",    "style",	 "src",
					    "alt",   "tabindex",   "open",    "charset", "name",
					    "lang",  "http-equiv", "content", NULL};
	char name[16];

	while (*r->p == ' ') {
		r->p++;
		html_name(r, name, sizeof(name));
		if (!html_is_one_of(name, known))
			html_fail(r, "a foreign attribute");
		if (strcmp(name, "open"))
			html_value(r, name);
	}
	if (*r->p++ != '>')
		html_fail(r, "a tag without an end");
}

static inline void html_open(struct html_reader *r)
{
	static const char *const known[] = {
		"html", "head",	      "meta", "title",	"style",   "body",    "header", "h1",
		"h2",	"h3",	      "h4",   "p",	"dl",	   "dt",      "dd",	"table",
		"tr",	"th",	      "td",   "code",	"details", "summary", "div",	"section",
		"a",	"ul",	      "li",   "strong", "i",	   "pre",     "span",	"figure",
		"img",	"figcaption", "br",   NULL};
	static const char *const empty[] = {"meta", "img", "br", NULL};
	char name[16];

	html_name(r, name, sizeof(name));
	if (!html_is_one_of(name, known))
		html_fail(r, "a foreign element");
	r->n_elements++;
	r->n_cards += !strncmp(r->p, " class=\"card\"", 13);
	html_attributes(r);
	if (html_is_one_of(name, empty))
		return;
	if (r->depth == HTML_DEPTH)
		html_fail(r, "too deep");
	strcpy(r->open[r->depth++], name);
	if (!strcmp(name, "style"))
		r->p = strstr(r->p, "</style>");
}

static inline void html_close(struct html_reader *r)
{
	char name[16];

	r->p++;
	html_name(r, name, sizeof(name));
	if (!r->depth || strcmp(r->open[--r->depth], name) || *r->p++ != '>')
		html_fail(r, "an end without its beginning");
}

/* The whole page; *ret says what was in it. */
static inline void html_read(const struct buf *page, struct html_reader *ret)
{
	static const char type[] = "<!DOCTYPE html>";
	struct html_reader *r = ret;
	size_t i;

	*r = (struct html_reader){.page = page->data, .p = page->data};
	for (i = 0; i < page->len; i++) {
		unsigned char c = (unsigned char)page->data[i];

		if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			fail_msg("control byte 0x%02x at %zu", c, i);
	}
	if (strncmp(r->p, type, strlen(type)))
		html_fail(r, "no document type");
	r->p += strlen(type);
	while (*r->p) {
		if (*r->p == '>')
			html_fail(r, "a stray >");
		if (*r->p++ != '<')
			continue;
		if (*r->p == '/')
			html_close(r);
		else
			html_open(r);
	}
	assert_int_equal(r->depth, 0);
}

#endif
