/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - a run as text for a terminal or a file.
 *
 * Each part appends to a buffer and takes a width and colours, so that it can
 * be compared byte by byte in a test.
 */
#ifndef KJUMP_REPORT_TEXT_H
#define KJUMP_REPORT_TEXT_H

#include "report/rows.h"
#include "report/style.h"

/* Title, matrix or jump table, failures, totals: all of @run to @out. */
int report_text_run(struct store *s, const char *run, FILE *out, struct err *e);

/* The same for a run that is loaded. */
void text_run(const struct run_rows *r, const struct style *style, struct buf *out);

/* Blocks of from (down) by to (across), one a machine, kernel and kind of jump. */
void text_matrix(const struct run_rows *r, const struct style *style, struct buf *out);

/* One row a job, in plan order. */
void text_jump_table(const struct run_rows *r, const struct style *style, struct buf *out);

/* What did not simply reach userspace, grouped by signature. */
void text_failures(const struct run_rows *r, const struct style *style, struct buf *out);

/* "22 of 24 userspace-reached, 1 hang, 1 load-failed; 143 s" */
void text_totals(const struct run_rows *r, const struct style *style, struct buf *out);

/* Writes @text to @out; -errno if that fails. */
int text_write(FILE *out, const struct buf *text, struct err *e);

#endif
