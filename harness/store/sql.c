// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/sql.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"

struct sql {
	sqlite3 *handle;
	char *path;
};

struct sql_stmt {
	struct sql *db;
	sqlite3_stmt *handle;
};

static int io_error(const struct sql *db, struct err *e)
{
	int code = sqlite3_system_errno(db->handle);

	return err_set(e, code ? code : EIO, "'%s': %s: %s", db->path, sqlite3_errmsg(db->handle),
		       strerror(code ? code : EIO));
}

/* The last error of the connection as errno and as a sentence. */
static int sql_error(const struct sql *db, struct err *e)
{
	const char *text = sqlite3_errmsg(db->handle);

	switch (sqlite3_errcode(db->handle)) {
	case SQLITE_FULL:
		return err_set(e, ENOSPC, "'%s': no space is left on the disk", db->path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(e, EBUSY, "'%s': another process has been writing it for %d s",
			       db->path, SQL_BUSY_MS / 1000);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return err_set(e, EBADMSG,
			       "'%s' is damaged (%s); move it away to begin a new one, the "
			       "evidence beside it is not affected",
			       db->path, text);
	case SQLITE_READONLY:
		return err_set(e, EROFS, "'%s' cannot be written", db->path);
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return err_set(e, EACCES, "'%s': %s", db->path, text);
	case SQLITE_CONSTRAINT:
		return err_set(e, EINVAL, "'%s': %s", db->path, text);
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		return io_error(db, e);
	}
	return err_set(e, EIO, "'%s': %s", db->path, text);
}

/*
 * The change to WAL needs the file for itself, and SQLite does not wait for it
 * as it waits for other locks.
 */
static int use_wal(struct sql *db, struct err *e)
{
	uint64_t deadline_ns = clock_ns() + SQL_BUSY_MS * NS_PER_MS;
	int rc;

	do {
		rc = sql_script(db, "PRAGMA journal_mode = WAL", e);
		if (rc == -EBUSY)
			usleep(5000);
	} while (rc == -EBUSY && clock_ns() < deadline_ns);
	return rc;
}

int sql_open(const char *path, struct sql **ret, struct err *e)
{
	struct sql *db __free(sql) = NULL;
	int rc;

	*ret = NULL;
	xnew(db);
	db->path = xstrdup(path);
	if (sqlite3_open_v2(path, &db->handle,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL))
		return sql_error(db, e);
	sqlite3_busy_timeout(db->handle, SQL_BUSY_MS);
	rc = use_wal(db, e);
	if (!rc)
		rc = sql_script(db, "PRAGMA foreign_keys = ON", e);
	if (rc)
		return rc;
	*ret = steal_ptr(db);
	return 0;
}

void sql_close(struct sql *db)
{
	if (!db)
		return;
	sqlite3_close(db->handle);
	free(db->path);
	free(db);
}

int sql_script(struct sql *db, const char *text, struct err *e)
{
	return sqlite3_exec(db->handle, text, NULL, NULL, NULL) ? sql_error(db, e) : 0;
}

static int bind(sqlite3_stmt *stmt, const char *types, va_list ap)
{
	int i, rc = SQLITE_OK;

	for (i = 0; types[i] && rc == SQLITE_OK; i++) {
		if (types[i] == 's')
			rc = sqlite3_bind_text(stmt, i + 1, va_arg(ap, const char *), -1,
					       SQLITE_TRANSIENT);
		else if (types[i] == 'i')
			rc = sqlite3_bind_int64(stmt, i + 1, va_arg(ap, int64_t));
		else
			rc = sqlite3_bind_double(stmt, i + 1, va_arg(ap, double));
	}
	return rc;
}

static int query(struct sql *db, struct sql_stmt **ret, struct err *e, const char *text,
		 const char *types, va_list ap)
{
	struct sql_stmt *stmt __free(sql_stmt) = NULL;

	*ret = NULL;
	xnew(stmt);
	stmt->db = db;
	if (sqlite3_prepare_v2(db->handle, text, -1, &stmt->handle, NULL) ||
	    bind(stmt->handle, types, ap))
		return sql_error(db, e);
	*ret = steal_ptr(stmt);
	return 0;
}

int sql_query(struct sql *db, struct sql_stmt **ret, struct err *e, const char *text,
	      const char *types, ...)
{
	va_list ap;
	int rc;

	va_start(ap, types);
	rc = query(db, ret, e, text, types, ap);
	va_end(ap);
	return rc;
}

int sql_run(struct sql *db, struct err *e, const char *text, const char *types, ...)
{
	struct sql_stmt *stmt __free(sql_stmt) = NULL;
	va_list ap;
	int rc;

	va_start(ap, types);
	rc = query(db, &stmt, e, text, types, ap);
	va_end(ap);
	if (rc)
		return rc;
	do {
		rc = sql_next(stmt, e);
	} while (rc > 0);
	return rc;
}

void sql_finish(struct sql_stmt *stmt)
{
	if (!stmt)
		return;
	sqlite3_finalize(stmt->handle);
	free(stmt);
}

int sql_next(struct sql_stmt *stmt, struct err *e)
{
	int rc = sqlite3_step(stmt->handle);

	if (rc == SQLITE_ROW)
		return 1;
	return rc == SQLITE_DONE ? 0 : sql_error(stmt->db, e);
}

void sql_again(struct sql_stmt *stmt, int index, int64_t value)
{
	sqlite3_reset(stmt->handle);
	sqlite3_bind_int64(stmt->handle, index, value);
}

const char *sql_text(struct sql_stmt *stmt, int column)
{
	return (const char *)sqlite3_column_text(stmt->handle, column);
}

int64_t sql_int(struct sql_stmt *stmt, int column, int64_t fallback)
{
	if (sqlite3_column_type(stmt->handle, column) == SQLITE_NULL)
		return fallback;
	return sqlite3_column_int64(stmt->handle, column);
}

double sql_double(struct sql_stmt *stmt, int column)
{
	return sqlite3_column_double(stmt->handle, column);
}

int sql_begin(struct sql *db, struct err *e)
{
	return sql_script(db, "BEGIN IMMEDIATE", e);
}

int sql_end(struct sql *db, int rc, struct err *e)
{
	if (!rc)
		rc = sql_script(db, "COMMIT", e);
	/* SQLite may have rolled back by itself, say when the disk is full. */
	if (rc && !sqlite3_get_autocommit(db->handle))
		sql_script(db, "ROLLBACK", NULL);
	return rc;
}

int64_t sql_changes(struct sql *db)
{
	return sqlite3_changes64(db->handle);
}
