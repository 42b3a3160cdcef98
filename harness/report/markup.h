/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * markup.h - text in HTML.
 *
 * Everything that a report writes into a page passes through markup_text(), also
 * into attributes, which stand in double quotes: no byte that a guest or a file
 * had a say in becomes markup, or a control or format character.
 */
#ifndef KJUMP_REPORT_MARKUP_H
#define KJUMP_REPORT_MARKUP_H

#include "base/buf.h"
#include "report/style.h"

/* Appends one line of @text, escaped as text_escape() and then for HTML. */
void markup_text(struct buf *out, const char *text);
/* The same, cut after @bytes of it, which the page then says. */
void markup_text_cut(struct buf *out, const char *text, size_t bytes);

/* Appends <TAG class="CLASS">TEXT</TAG>; @class may be NULL. Both names are constants. */
void markup_element(struct buf *out, const char *tag, const char *class, const char *text);

/* Appends <pre>: each line of @text that newlines end. */
void markup_pre(struct buf *out, const char *text);

/* The class of a tone: a constant. */
const char *markup_class(enum tone tone);

#endif
