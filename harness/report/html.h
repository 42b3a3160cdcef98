/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html.h - a run as one page for a browser.
 *
 * One file that needs nothing else: no script, no font, no picture that is not in
 * it, so that it can be mailed and opened anywhere. A policy in its head forbids
 * the browser whatever the page itself does not need. Pictures are bounded: those
 * of attempts that surprised come first, and what does not fit is named.
 */
#ifndef KJUMP_REPORT_HTML_H
#define KJUMP_REPORT_HTML_H

#include "report/exhibit.h"
#include "report/rows.h"

/* Of all pictures; as text they take a third more. What mail still carries. */
#define HTML_PICTURE_BYTES	   (6U << 20)
#define HTML_PICTURE_BYTES_ATTEMPT (1U << 20)

/* Appends the page. An attempt whose evidence cannot be read says so in it. */
void html_run(const struct run_rows *r, const struct exhibit_source *source, struct buf *out);

/* html_tables.c: its parts that say what was run, and how it went. */
void html_facts(const struct run_rows *r, struct buf *out);
void html_matrix(const struct run_rows *r, struct buf *out);
void html_jump_table(const struct run_rows *r, struct buf *out);
void html_failures(const struct run_rows *r, struct buf *out);

/* html_card.c: one attempt. */
void html_card(const struct attempt_row *row, const struct exhibit *x, const char *error,
	       struct buf *out);

#endif
