/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sql.h - the edge to SQLite: statements with their values, errors as errno.
 *
 * Values are named by a string of types, one letter a value: "s" a const char *
 * (NULL gives SQL NULL), "i" an int64_t, "d" a double.
 *
 * Errors: -ENOSPC the disk is full, -EBUSY another process held the database
 * for longer than SQL_BUSY_MS, -EBADMSG the file is damaged or is no database,
 * -EROFS, -EACCES, -EINVAL a constraint was violated, -EIO anything else.
 */
#ifndef KJUMP_STORE_SQL_H
#define KJUMP_STORE_SQL_H

#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

#define SQL_BUSY_MS 20000

struct sql;	 /* a connection */
struct sql_stmt; /* a statement under way; borrows the connection */

/* Opens or creates the file @path: WAL, foreign keys checked. */
int sql_open(const char *path, struct sql **ret, struct err *e);
void sql_close(struct sql *db);
DEFINE_FREE(sql, struct sql *, sql_close(_v));

/* Any number of statements without values. */
int sql_script(struct sql *db, const char *text, struct err *e);

/* One statement to its end, whatever rows it gives. */
int sql_run(struct sql *db, struct err *e, const char *text, const char *types, ...);

/* Prepares @text; *ret is *returned*. Text values are copied. */
int sql_query(struct sql *db, struct sql_stmt **ret, struct err *e, const char *text,
	      const char *types, ...);
void sql_finish(struct sql_stmt *stmt);
DEFINE_FREE(sql_stmt, struct sql_stmt *, sql_finish(_v));

/* 1: there is a row, 0: the end, or an error. */
int sql_next(struct sql_stmt *stmt, struct err *e);
/* To run it once more with one other integer as its value @index (from 1). */
void sql_again(struct sql_stmt *stmt, int index, int64_t value);

/* Columns of the row, from 0. Text is borrowed until the next call of sql_next(). */
const char *sql_text(struct sql_stmt *stmt, int column); /* NULL for SQL NULL */
int64_t sql_int(struct sql_stmt *stmt, int column, int64_t fallback);
double sql_double(struct sql_stmt *stmt, int column);

/* A transaction that writes; no other process writes until it ends. */
int sql_begin(struct sql *db, struct err *e);
/* Commits if @rc is 0, else rolls back. Returns @rc, or why it cannot be committed. */
int sql_end(struct sql *db, int rc, struct err *e);

/* Rows that the last statement changed. */
int64_t sql_changes(struct sql *db);

#endif
