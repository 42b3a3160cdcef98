// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/html.h"

#include <string.h>

#include "base/embed.h"
#include "report/blocks.h"
#include "report/markup.h"
#include "report/text.h"

EMBED(html_css, "harness/report/html.css");

static void add_head(const struct run_rows *r, struct buf *out)
{
	buf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		      "style-src 'unsafe-inline'; img-src data:\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
	markup_text(out, json_get_str(r->facts, "case"));
	buf_adds(out, ", run ");
	markup_text(out, json_get_str(r->facts, "id"));
	buf_adds(out, "</title>\n<style>\n");
	buf_adds(out, html_css);
	buf_adds(out, "</style>\n</head>\n");
}

static void add_title(const struct run_rows *r, struct buf *out)
{
	const struct style plain = {.width = 80};
	struct buf totals __free_buf = BUF_INIT;

	text_totals(r, &plain, &totals);
	buf_adds(out, "<header>\n<h1>");
	markup_text(out, json_get_str(r->facts, "case"));
	buf_adds(out, "</h1>\n<p class=\"totals\">");
	if (totals.len)
		buf_truncate(&totals, totals.len - 1);
	markup_text(out, totals.data);
	buf_adds(out, "</p>\n");
	html_facts(r, out);
	buf_adds(out, "</header>\n");
}

/* @left: bytes of pictures that the page may still take. */
static void add_card(const struct attempt_row *row, const struct exhibit_source *source,
		     size_t *left, struct buf *out)
{
	struct exhibit x __cleanup(exhibit_fini) = {0};
	struct err e __free_err = ERR_INIT;
	size_t bytes = HTML_PICTURE_BYTES_ATTEMPT, i;
	int rc;

	if (bytes > *left)
		bytes = *left;
	rc = row->done ? source->open(row, bytes, &x, source->arg, &e) : 0;
	for (i = 0; i < x.n_pictures; i++)
		*left -= x.pictures[i].png.len;
	html_card(row, &x, rc ? err_msg(&e) : NULL, out);
}

/* Those that surprised come first: a person looks at them, and has their pictures. */
static void add_cards(const struct run_rows *r, const struct exhibit_source *source,
		      struct buf *out)
{
	size_t left = HTML_PICTURE_BYTES, i;
	int turn;

	buf_adds(out, "<section>\n<h2>Attempts</h2>\n");
	for (turn = 0; turn < 2; turn++) {
		for (i = 0; i < r->n; i++) {
			if ((turn == 0) == row_failed(&r->rows[i]))
				add_card(&r->rows[i], source, &left, out);
		}
	}
	buf_adds(out, "</section>\n");
}

void html_run(const struct run_rows *r, const struct exhibit_source *source, struct buf *out)
{
	add_head(r, out);
	buf_adds(out, "<body>\n");
	add_title(r, out);
	if (run_is_matrix(r))
		html_matrix(r, out);
	else
		html_jump_table(r, out);
	html_failures(r, out);
	add_cards(r, source, out);
	buf_adds(out, "</body>\n</html>\n");
}
