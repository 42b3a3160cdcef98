// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/schema.h"

#include <errno.h>
#include <inttypes.h>

#include "base/embed.h"

#define SCHEMA_VERSION 3

EMBED(schema_sql, "harness/store/schema.sql");
EMBED(migration_1_sql, "harness/store/migrations/1-to-2.sql");
EMBED(migration_2_sql, "harness/store/migrations/2-to-3.sql");

/* From version N to the next one, at place N; from 0 (empty) straight to the current one. */
static const char *const steps[SCHEMA_VERSION] = {schema_sql, migration_1_sql, migration_2_sql};

static int read_int(struct sql *db, const char *text, int64_t *ret, struct err *e)
{
	struct sql_stmt *stmt __free(sql_stmt) = NULL;
	int rc = sql_query(db, &stmt, e, text, "");

	if (!rc)
		rc = sql_next(stmt, e);
	if (rc < 0)
		return rc;
	*ret = rc ? sql_int(stmt, 0, 0) : 0;
	return 0;
}

/* Version 0 must be an empty file, or it is somebody else's database. */
static int check_empty(struct sql *db, struct err *e)
{
	int64_t tables;
	int rc = read_int(db, "SELECT count(*) FROM sqlite_master", &tables, e);

	if (rc || !tables)
		return rc;
	return err_set(e, EBADMSG, "kjump.db is not a database of kjump");
}

static int migrate(struct sql *db, struct err *e)
{
	char set_version[64];
	int64_t version;
	int rc = read_int(db, "PRAGMA user_version", &version, e);

	if (!rc && !version)
		rc = check_empty(db, e);
	while (!rc && version < SCHEMA_VERSION) {
		rc = sql_script(db, steps[version], e);
		version = version ? version + 1 : SCHEMA_VERSION;
	}
	if (rc)
		return rc;
	snprintf(set_version, sizeof(set_version), "PRAGMA user_version = %d", SCHEMA_VERSION);
	return sql_script(db, set_version, e);
}

int schema_bring_up(struct sql *db, struct err *e)
{
	int64_t version;
	int rc = read_int(db, "PRAGMA user_version", &version, e);

	if (rc || version == SCHEMA_VERSION)
		return rc;
	if (version < 0 || version > SCHEMA_VERSION)
		return err_set(e, EPROTONOSUPPORT,
			       "kjump.db was written by another kjump (schema %" PRId64
			       ", this one knows up to %d)",
			       version, SCHEMA_VERSION);
	/* Another process may be at it too: the version is read again inside. */
	rc = sql_begin(db, e);
	return rc ? rc : sql_end(db, migrate(db, e), e);
}
