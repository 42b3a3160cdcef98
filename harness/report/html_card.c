// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * html_card.c - one attempt: how it ended and why one can believe it.
 */
#include "report/html.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "report/markup.h"

#define CHECK_BYTES 2000 /* of what was expected or seen */

/* "<td>1.234</td>"; an empty cell if it was not seen. */
static void add_seconds(int64_t ms, struct buf *out)
{
	if (ms < 0)
		buf_adds(out, "<td></td>");
	else
		buf_addf(out, "<td class=\"number\">%.3f</td>", (double)ms / 1000);
}

static int64_t last_ms(const struct attempt_row *row)
{
	int64_t last = 1;
	int i;

	for (i = 0; i < N_STAGES; i++) {
		if (row->stage_ms[i] > last)
			last = row->stage_ms[i];
	}
	return last;
}

static void add_stages(const struct attempt_row *row, struct buf *out)
{
	int64_t last = last_ms(row);
	int i;

	buf_adds(out, "<table class=\"stages\">\n<tr><th>stage</th><th>s since start</th>"
		      "<th>since jump</th><th></th></tr>\n");
	for (i = 0; i < N_STAGES; i++) {
		int64_t ms = row->stage_ms[i];
		bool jumped = row->jump_ms >= 0 && ms >= row->jump_ms;

		if (ms < 0)
			continue;
		buf_addf(out, "<tr><td>%s</td>", stage_name((enum stage)i));
		add_seconds(ms, out);
		add_seconds(jumped ? ms - row->jump_ms : -1, out);
		buf_addf(out,
			 "<td class=\"track\"><span style=\"width:%.1f%%\"></span></td></tr>\n",
			 100.0 * (double)ms / (double)last);
	}
	buf_adds(out, "</table>\n");
}

/* "<p>NAME: LINE</p>" for each line of @text. */
static void add_lines(const char *name, const char *text, struct buf *out)
{
	const char *p = text, *end;

	for (; p && *p; p = *end ? end + 1 : end) {
		char *line __free(str) = NULL;

		end = strchrnul(p, '\n');
		line = xstrndup(p, (size_t)(end - p));
		buf_addf(out, "<p>%s", name);
		markup_text(out, line);
		buf_adds(out, "</p>\n");
	}
}

/* The place that links lead to is inside: a browser opens what is closed around it. */
static void add_place(const struct attempt_row *row, struct buf *out)
{
	buf_adds(out, "<p id=\"");
	markup_text(out, row->job);
	buf_addf(out, ".%u\">", row->attempt);
}

static void add_verdict(const struct attempt_row *row, struct buf *out)
{
	add_place(row, out);
	buf_addf(out, "%s, last stage %s", outcome_name(row->outcome), stage_name(row->stage));
	if (row->proof != PROOF_NONE)
		buf_addf(out, ", %s", proof_name(row->proof));
	buf_adds(out, row->truncated ? ", its report is cut off" : "");
	buf_adds(out, row->expected ? "; as expected</p>\n" : "; not expected</p>\n");
	if (row->signature) {
		markup_element(out, "p", "signature", row->signature);
		buf_addch(out, '\n');
	}
	add_lines("", row->detail, out);
	add_lines("Degraded by: ", row->degradations, out);
	add_lines("What followed: ", row->consequences, out);
}

static void add_check(const struct exhibit_check *c, struct buf *out)
{
	buf_adds(out, "<tr>");
	markup_element(out, "td", NULL, c->name);
	markup_element(out, "td", c->ok ? "good" : "bad", c->ok ? "proof" : "disproof");
	buf_adds(out, "<td><code>");
	if (!c->ok && c->expected) {
		buf_adds(out, "expected ");
		markup_text_cut(out, c->expected, CHECK_BYTES);
		buf_adds(out, "<br>seen ");
	}
	markup_text_cut(out, c->seen ? c->seen : "nothing", CHECK_BYTES);
	buf_adds(out, "</code></td></tr>\n");
}

static void add_checks(const struct exhibit *x, struct buf *out)
{
	size_t i;

	if (!x->n_checks)
		return;
	buf_adds(out, "<h4>Proofs</h4>\n<table class=\"checks\">\n");
	for (i = 0; i < x->n_checks; i++)
		add_check(&x->checks[i], out);
	buf_adds(out, "</table>\n");
}

static void add_picture(const struct attempt_row *row, const struct exhibit_picture *p,
			struct buf *out)
{
	/* tabindex: a click enlarges it, without a script. */
	buf_adds(out, "<figure tabindex=\"0\">");
	if (p->png.len) {
		buf_adds(out, "<img alt=\"what the display showed\" src=\"data:image/png;base64,");
		base64_encode(out, p->png.data, p->png.len);
		buf_adds(out, "\">");
	} else {
		buf_adds(out, "<p class=\"absent\">not in this file: ");
		markup_text(out, p->file);
		buf_adds(out, "</p>");
	}
	buf_addf(out, "<figcaption>%.3f s", (double)p->ms / 1000);
	if (row->jump_ms >= 0 && p->ms >= row->jump_ms)
		buf_addf(out, ", %.3f s after the jump", (double)(p->ms - row->jump_ms) / 1000);
	if (p->milestones) {
		buf_adds(out, "<br><strong>");
		markup_text(out, p->milestones);
		buf_adds(out, "</strong>");
	}
	buf_adds(out, "</figcaption></figure>\n");
}

static void add_pictures(const struct attempt_row *row, const struct exhibit *x, struct buf *out)
{
	size_t i;

	if (!x->n_pictures)
		return;
	buf_adds(out, "<h4>Display</h4>\n<div class=\"strip\">\n");
	for (i = 0; i < x->n_pictures; i++)
		add_picture(row, &x->pictures[i], out);
	buf_adds(out, "</div>\n");
	if (x->n_kept > x->n_pictures)
		buf_addf(out, "<p>%zu more pictures are in the evidence.</p>\n",
			 x->n_kept - x->n_pictures);
}

static void add_summary(const struct attempt_row *row, struct buf *out)
{
	const char *tone = markup_class(row->done ? style_outcome_tone(row->outcome) : TONE_DIM);

	buf_adds(out, "<summary>");
	markup_element(out, "span", tone, row->done ? outcome_name(row->outcome) : "not run");
	buf_addch(out, ' ');
	markup_text(out, row->title);
	/* A shell that answered and proved nothing is no time to be proud of. */
	if (row->userspace_ms >= 0 && (!row_failed(row) || row->outcome == OUTCOME_DEGRADED))
		buf_addf(out, " <span class=\"time\">%.3f s</span>",
			 (double)row->userspace_ms / 1000);
	buf_adds(out, "</summary>\n");
}

void html_card(const struct attempt_row *row, const struct exhibit *x, const char *error,
	       struct buf *out)
{
	buf_addf(out, "<details class=\"card\"%s>\n", row_failed(row) ? " open" : "");
	add_summary(row, out);
	if (!row->done) {
		add_place(row, out);
		buf_adds(out, "It was planned and not run.</p>\n</details>\n");
		return;
	}
	add_verdict(row, out);
	add_stages(row, out);
	add_pictures(row, x, out);
	if (row->last_lines && *row->last_lines) {
		buf_adds(out, "<h4>Last lines of the console</h4>\n");
		markup_pre(out, row->last_lines);
	}
	add_checks(x, out);
	if (error) {
		buf_adds(out, "<p class=\"warn\">Its evidence could not be read: ");
		markup_text(out, error);
		buf_adds(out, "</p>\n");
	}
	buf_adds(out, "<p class=\"dim\">Evidence: runs/");
	markup_text(out, row->run);
	buf_addch(out, '/');
	markup_text(out, row->job);
	buf_addf(out, ".%u</p>\n</details>\n", row->attempt);
}
