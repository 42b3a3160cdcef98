// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * failures.c - what did not simply reach userspace, and why.
 */
#include "report/text.h"

#include <limits.h>
#include <string.h>

#include "base/alloc.h"

#define JOBS_SHOWN  8 /* of a group */
#define LINES_SHOWN 8 /* last lines of a console */

/* What they failed alike of, and how many did. */
static void add_heading(const struct attempt_row *row, size_t n, const struct style *s,
			struct buf *out)
{
	struct buf text __free_buf = BUF_INIT;

	row_heading(row, &text);
	style_add(out, s, style_outcome_tone(row->outcome), text.data);
	if (n > 1)
		buf_addf(out, " (%zu attempts)", n);
	buf_addch(out, '\n');
}

/* Lines of a console are cut at @columns; sentences are not. */
static void add_lines(const char *text, const char *before, const struct style *s, enum tone tone,
		      unsigned int columns, struct buf *out)
{
	const char *p = text, *end;

	for (; *p; p = *end ? end + 1 : end) {
		char *line __free(str) = NULL;

		end = strchrnul(p, '\n');
		line = xstrndup(p, (size_t)(end - p));
		buf_adds(out, before);
		style_add_cut(out, s, tone, line, columns);
		buf_addch(out, '\n');
	}
}

/* Where the last @n lines of @text begin. */
static const char *last_lines(const char *text, unsigned int n)
{
	const char *p = text + strlen(text);

	if (p > text && p[-1] == '\n')
		p--;
	while (p > text && (p[-1] != '\n' || --n))
		p--;
	return p;
}

static void add_where(const struct attempt_row *row, struct buf *out)
{
	buf_addf(out, "    at %s", stage_name(row->stage));
	if (row->proof != PROOF_NONE)
		buf_addf(out, ", %s", proof_name(row->proof));
	if (row->truncated)
		buf_adds(out, ", its report is cut off");
	buf_addch(out, '\n');
}

static void add_particulars(const struct attempt_row *row, const struct style *s, struct buf *out)
{
	/* A degraded one ended where it should. */
	if (row->outcome != OUTCOME_DEGRADED)
		add_where(row, out);
	if (row->detail)
		add_lines(row->detail, "    ", s, TONE_PLAIN, UINT_MAX, out);
	if (row->signature && row->degradations)
		add_lines(row->degradations, "    also: ", s, TONE_PLAIN, UINT_MAX, out);
	if (row->consequences)
		add_lines(row->consequences, "    then: ", s, TONE_PLAIN, UINT_MAX, out);
	if (row->last_lines)
		add_lines(last_lines(row->last_lines, LINES_SHOWN), "    | ", s, TONE_DIM,
			  s->width - 6, out);
}

static void add_group(const struct run_rows *r, size_t first, bool *shown, const struct style *s,
		      struct buf *out)
{
	struct buf titles __free_buf = BUF_INIT;
	const struct attempt_row *row;
	size_t i, n = 0;

	for (i = first; i < r->n; i++) {
		row = &r->rows[i];
		if (!row_failed(row) || !rows_alike(row, &r->rows[first]))
			continue;
		shown[i] = true;
		if (n++ >= JOBS_SHOWN)
			continue;
		buf_addf(&titles, "  %s.%u ", row->job, row->attempt);
		style_add(&titles, s, TONE_PLAIN, row->title);
		buf_addch(&titles, '\n');
	}
	add_heading(&r->rows[first], n, s, out);
	buf_add(out, titles.data, titles.len);
	if (n > JOBS_SHOWN)
		buf_addf(out, "  and %zu more\n", n - JOBS_SHOWN);
	add_particulars(&r->rows[first], s, out);
}

void text_failures(const struct run_rows *r, const struct style *s, struct buf *out)
{
	bool *shown = xcalloc(r->n + 1, sizeof(*shown)), any = false;
	size_t i;

	for (i = 0; i < r->n; i++) {
		if (shown[i] || !row_failed(&r->rows[i]))
			continue;
		buf_adds(out, any ? "\n" : "");
		add_group(r, i, shown, s, out);
		any = true;
	}
	free(shown);
}
