// SPDX-License-Identifier: GPL-2.0-or-later
/* Databases of other versions, and files that are none. */
#include "test/store/made_plan.h"

#include <sys/wait.h>

#include "store/sql.h"

#define OLD_SCHEMA "harness/test/store/schema-1.sql"

#define assert_ok(call)                              \
	do {                                         \
		if (call)                            \
			fail_msg("%s", err_msg(&e)); \
	} while (0)

static struct sql *open_sql(const char *dir)
{
	char *path __free(str) = file_join(dir, "kjump.db");
	struct err e __free_err = ERR_INIT;
	struct sql *db = NULL;

	assert_ok(sql_open(path, &db, &e));
	return db;
}

/* What version 1 left behind: one run, one job of two attempts, one of them done. */
static void make_old(const char *dir)
{
	static const char rows[] =
		"INSERT INTO run (id, case_name, case_path, case_digest, started, time_factor,"
		" jobs_at_once) VALUES ('old-run', 'c', 'p', 'd', '2026-01-01T00:00:00Z', 1.0, 2);"
		"INSERT INTO job VALUES (5, 1, 0, 'abc', 'a title', 'minimal', 'recovery', 'kexec',"
		" 'profile', 0, 'k', 'k', 'm', 'qemu-virt', 'max', 'on', 4096, 0, 2, 2);"
		"INSERT INTO attempt (n, job, number, expected, outcome, stage, proof, truncated)"
		" VALUES (9, 5, 1, 0, 'hang', 'entry', 'silent', 0);"
		"INSERT INTO stage VALUES (9, 'entry', 4100);"
		"PRAGMA user_version = 1;";
	struct buf schema __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	struct sql *db __free(sql) = open_sql(dir);

	assert_ok(file_read(OLD_SCHEMA, 1 << 16, &schema, &e));
	assert_ok(sql_script(db, schema.data, &e));
	assert_ok(sql_script(db, rows, &e));
}

/* All columns of all tables as text, *returned*. */
static char *columns_of(const char *dir)
{
	struct sql *db __free(sql) = open_sql(dir);
	struct sql_stmt *st __free(sql_stmt) = NULL;
	struct err e __free_err = ERR_INIT;
	struct buf text = BUF_INIT;

	assert_ok(sql_query(db, &st, &e,
			    "SELECT m.name || '.' || c.name || ' ' || c.type || c.\"notnull\" ||"
			    " c.pk FROM sqlite_master m JOIN pragma_table_info(m.name) c"
			    " ORDER BY m.name, c.cid",
			    ""));
	while (sql_next(st, &e) > 0)
		buf_addf(&text, "%s\n", sql_text(st, 0));
	return buf_steal(&text);
}

static int see_old(const struct attempt_row *row, void *arg)
{
	size_t *n = arg;

	if (++*n == 2) {
		assert_false(row->done);
		return 0;
	}
	assert_string_equal(row->job, "abc");
	assert_string_equal(row->to, "recovery");
	assert_int_equal(row->outcome, OUTCOME_HANG);
	assert_int_equal(row->stage_ms[STAGE_ENTRY], 4100);
	return 0;
}

static void old_database_is_migrated(void **state)
{
	char *fresh_dir __free(str) = file_join(*state, "fresh");
	char *fresh __free(str) = NULL, *migrated __free(str) = NULL;
	struct err e __free_err = ERR_INIT;
	struct store *s;
	size_t n = 0;

	assert_ok(file_mkdir(fresh_dir, 0755, &e));
	store_close(made_open(fresh_dir));
	make_old(*state);
	s = made_open(*state);
	assert_ok(store_each_attempt(s, "old-run", NULL, see_old, &n, &e));
	assert_int_equal(n, 2);
	assert_ok(store_claim_run(s, "old-run", &e));
	store_close(s);
	fresh = columns_of(fresh_dir);
	migrated = columns_of(*state);
	assert_true(strlen(fresh) > 100);
	assert_string_equal(migrated, fresh);
}

/* Processes that start at the same moment, each opening the same store. */
static void open_at_once(const char *dir, int processes)
{
	int gate[2], status, i, ok = 0;
	char c;

	assert_int_equal(pipe(gate), 0);
	for (i = 0; i < processes; i++) {
		if (fork() == 0) {
			struct err e = ERR_INIT;
			struct store *s = NULL;
			int rc;

			close(gate[1]);
			if (read(gate[0], &c, 1))
				_exit(2);
			rc = store_open(dir, &s, &e);
			if (rc)
				fprintf(stderr, "%s\n", err_msg(&e));
			_exit(rc != 0);
		}
	}
	close(gate[0]);
	close(gate[1]); /* go */
	for (i = 0; i < processes; i++) {
		wait(&status);
		ok += status == 0;
	}
	assert_int_equal(ok, processes);
}

static void several_migrate_at_once(void **state)
{
	struct err e __free_err = ERR_INIT;
	struct store *s;
	size_t n = 0;

	make_old(*state);
	open_at_once(*state, 6);
	s = made_open(*state);
	assert_ok(store_each_attempt(s, "old-run", NULL, see_old, &n, &e));
	store_close(s);
}

static void several_create_at_once(void **state)
{
	int round;

	for (round = 0; round < 10; round++) {
		char *dir __free(str) = xasprintf("%s/%d", (char *)*state, round);

		assert_int_equal(file_mkdir(dir, 0755, NULL), 0);
		open_at_once(dir, 4);
	}
}

static int try_open(const char *dir, struct err *e)
{
	struct store *s = NULL;
	int rc = store_open(dir, &s, e);

	store_close(s);
	return rc;
}

static void newer_database_is_refused(void **state)
{
	struct err e __free_err = ERR_INIT;
	struct sql *db;

	store_close(made_open(*state));
	db = open_sql(*state);
	assert_ok(sql_script(db, "PRAGMA user_version = 99", &e));
	sql_close(db);
	assert_int_equal(try_open(*state, &e), -EPROTONOSUPPORT);
	assert_non_null(strstr(err_msg(&e), "schema 99"));
}

static void foreign_database_is_left_alone(void **state)
{
	struct err e __free_err = ERR_INIT;
	char *columns __free(str) = NULL;
	struct sql *db = open_sql(*state);

	assert_ok(sql_script(db, "CREATE TABLE theirs (x TEXT)", &e));
	sql_close(db);
	assert_int_equal(try_open(*state, &e), -EBADMSG);
	columns = columns_of(*state);
	assert_string_equal(columns, "theirs.x TEXT00\n");
}

static void no_database_at_all(void **state)
{
	char *path __free(str) = file_join(*state, "kjump.db");
	struct err e __free_err = ERR_INIT;
	char junk[8192];

	memset(junk, 'x', sizeof(junk));
	assert_ok(file_write(path, junk, sizeof(junk), &e));
	assert_int_equal(try_open(*state, &e), -EBADMSG);
	assert_non_null(strstr(err_msg(&e), "is damaged"));
	assert_non_null(strstr(err_msg(&e), path));
}

/* Pages in the middle are overwritten: an error with a reason, never a crash. */
static void damaged_pages(void **state)
{
	char *path __free(str) = file_join(*state, "kjump.db");
	struct buf file __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	struct store *s;
	size_t n = 0;

	make_old(*state);
	store_close(made_open(*state));
	assert_ok(file_read(path, 1 << 24, &file, &e));
	assert_true(file.len > 8192);
	memset(file.data + 4096, 0xa5, file.len - 4096);
	assert_ok(file_write(path, file.data, file.len, &e));
	if (store_open(*state, &s, &e) == 0) {
		assert_int_equal(store_each_attempt(s, "old-run", NULL, see_old, &n, &e), -EBADMSG);
		store_close(s);
	}
	assert_non_null(strstr(err_msg(&e), "is damaged"));
}

static void absent_directory(void **state)
{
	char *dir __free(str) = file_join(*state, "absent");
	struct err e __free_err = ERR_INIT;

	assert_int_equal(try_open(dir, &e), -ENOENT);
	assert_non_null(strstr(err_msg(&e), "No such file or directory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(old_database_is_migrated),
		MADE_TEST(several_migrate_at_once),
		MADE_TEST(several_create_at_once),
		MADE_TEST(newer_database_is_refused),
		MADE_TEST(foreign_database_is_left_alone),
		MADE_TEST(no_database_at_all),
		MADE_TEST(damaged_pages),
		MADE_TEST(absent_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
