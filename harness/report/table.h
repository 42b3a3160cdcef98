/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - columns of text, each as wide as its widest cell.
 */
#ifndef KJUMP_REPORT_TABLE_H
#define KJUMP_REPORT_TABLE_H

#include "report/style.h"

struct table;

struct table *table_new(unsigned int n_columns);
void table_free(struct table *t);
DEFINE_FREE(table, struct table *, table_free(_v));

/* The next cell, row by row. @text is copied. */
void table_cell(struct table *t, enum tone tone, const char *text);

size_t table_n_rows(const struct table *t);
unsigned int table_width(const struct table *t);

/*
 * Appends row @row without a newline; filled up to table_width() if @pad.
 * A row that the table does not have is blank.
 */
void table_add_row(const struct table *t, size_t row, const struct style *s, bool pad,
		   struct buf *out);

/* Appends all rows as lines, indented by @indent. */
void table_add(const struct table *t, const struct style *s, unsigned int indent, struct buf *out);

#endif
