// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/table.h"

#include "base/alloc.h"

#define GAP 2

struct cell {
	enum tone tone;
	char *text;
};

struct table {
	unsigned int n_columns;
	unsigned int *widths;
	struct cell *cells;
	size_t n;
};

struct table *table_new(unsigned int n_columns)
{
	struct table *t;

	xnew(t);
	t->n_columns = n_columns;
	t->widths = xcalloc(n_columns, sizeof(*t->widths));
	return t;
}

void table_free(struct table *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->n; i++)
		free(t->cells[i].text);
	free(t->cells);
	free(t->widths);
	free(t);
}

void table_cell(struct table *t, enum tone tone, const char *text)
{
	unsigned int *width = &t->widths[t->n % t->n_columns], columns = style_columns(text);
	struct cell *c = array_push(t->cells, t->n);

	c->tone = tone;
	c->text = xstrdup(text);
	if (columns > *width)
		*width = columns;
}

size_t table_n_rows(const struct table *t)
{
	return t->n / t->n_columns;
}

unsigned int table_width(const struct table *t)
{
	unsigned int i, width = GAP * (t->n_columns - 1);

	for (i = 0; i < t->n_columns; i++)
		width += t->widths[i];
	return width;
}

void table_add_row(const struct table *t, size_t row, const struct style *s, bool pad,
		   struct buf *out)
{
	const struct cell *cells = t->cells + row * t->n_columns;
	unsigned int i, owed = 0; /* blanks before the next text */

	if (row >= table_n_rows(t)) {
		style_pad(out, pad ? table_width(t) : 0);
		return;
	}
	for (i = 0; i < t->n_columns; i++) {
		if (*cells[i].text) {
			style_pad(out, owed);
			style_add(out, s, cells[i].tone, cells[i].text);
			owed = 0;
		}
		owed += t->widths[i] - style_columns(cells[i].text) + GAP;
	}
	style_pad(out, pad ? owed - GAP : 0);
}

void table_add(const struct table *t, const struct style *s, unsigned int indent, struct buf *out)
{
	size_t row;

	for (row = 0; row < table_n_rows(t); row++) {
		style_pad(out, indent);
		table_add_row(t, row, s, false, out);
		buf_addch(out, '\n');
	}
}
