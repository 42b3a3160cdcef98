// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * store_runs.c - what is read back: runs as a whole.
 */
#include "store/store_sqlite.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"

static int no_run(const char *prefix, bool newest, struct err *e)
{
	if (newest)
		return err_set(e, ENOENT, "there is no run yet");
	return err_set(e, ENOENT, "no run's id starts with '%s'", prefix);
}

int store_find_run(struct store *s, const char *prefix, char **ret, struct err *e)
{
	bool newest = !prefix || !strcmp(prefix, "last");
	struct sql_stmt *stmt __free(sql_stmt) = NULL;
	struct buf found __free_buf = BUF_INIT;
	int64_t n = 0;
	int rc;

	*ret = NULL;
	if (newest)
		rc = sql_query(s->db, &stmt, e,
			       "SELECT id FROM run ORDER BY started DESC, n DESC LIMIT 1", "");
	else
		rc = sql_query(s->db, &stmt, e,
			       "SELECT id FROM run WHERE substr(id, 1, length(?1)) = ?1"
			       " ORDER BY id = ?1 DESC, started DESC, n DESC",
			       "s", prefix);
	while (!rc && (rc = sql_next(stmt, e)) > 0) {
		buf_addf(&found, "%s%s", n++ ? " " : "", sql_text(stmt, 0));
		/* The whole id comes first and is meant, whatever else it begins. */
		if (n == 1 && prefix && !strcmp(found.data, prefix))
			break;
		rc = 0;
	}
	if (rc < 0)
		return rc;
	if (!n)
		return no_run(prefix, newest, e);
	if (n > 1)
		return err_set(e, ENOTUNIQ, "'%s' may be any of: %s", prefix, found.data);
	*ret = buf_steal(&found);
	return 0;
}

static void set_double(struct json *o, const char *key, double v)
{
	json_set(o, key, json_new_double(v));
}

static int add_kernels(struct store *s, int64_t run, struct json *facts, struct err *e)
{
	struct sql_stmt *stmt __free(sql_stmt) = NULL;
	struct json *kernels = json_new_array();
	int rc;

	json_set(facts, "kernels", kernels);
	rc = sql_query(s->db, &stmt, e,
		       "SELECT name, release, provenance, digest FROM kernel WHERE run = ?1"
		       " ORDER BY name",
		       "i", run);
	while (!rc && (rc = sql_next(stmt, e)) > 0) {
		struct json *k = json_new_object();

		json_set_str(k, "name", sql_text(stmt, 0));
		json_set_str(k, "release", sql_text(stmt, 1));
		json_set_str(k, "provenance", sql_text(stmt, 2));
		json_set_str(k, "digest", sql_text(stmt, 3));
		json_push(kernels, k);
		rc = 0;
	}
	return rc;
}

int store_run_json(struct store *s, const char *run, struct json **ret, struct err *e)
{
	struct sql_stmt *stmt __free(sql_stmt) = NULL;
	struct json *facts __free(json) = NULL;
	int64_t key;
	int rc = store_run_key(s, run, &key, e);

	*ret = NULL;
	if (!rc)
		rc = sql_query(s->db, &stmt, e,
			       "SELECT id, case_name, case_path, case_digest, started, finished,"
			       " strftime('%s', finished) - strftime('%s', started), host,"
			       " kjump_version, qemu_version, time_factor, jobs_at_once"
			       " FROM run WHERE n = ?1",
			       "i", key);
	if (!rc)
		rc = sql_next(stmt, e);
	if (rc < 0)
		return rc;
	facts = json_new_object();
	json_set_str(facts, "id", sql_text(stmt, 0));
	json_set_str(facts, "case", sql_text(stmt, 1));
	json_set_str(facts, "case_path", sql_text(stmt, 2));
	json_set_str(facts, "case_digest", sql_text(stmt, 3));
	json_set_str(facts, "started", sql_text(stmt, 4));
	json_set_str(facts, "finished", sql_text(stmt, 5));
	if (sql_text(stmt, 6))
		json_set_int(facts, "duration_s", sql_int(stmt, 6, 0));
	json_set_str(facts, "host", sql_text(stmt, 7));
	json_set_str(facts, "kjump_version", sql_text(stmt, 8));
	json_set_str(facts, "qemu_version", sql_text(stmt, 9));
	set_double(facts, "time_factor", sql_double(stmt, 10));
	json_set_int(facts, "jobs_at_once", sql_int(stmt, 11, 0));
	rc = add_kernels(s, key, facts, e);
	if (!rc)
		*ret = steal_ptr(facts);
	return rc;
}

static int add_outcomes(struct sql_stmt *stmt, int64_t run, struct json *facts, struct err *e)
{
	struct json *outcomes = json_new_object();
	int64_t done = 0, surprises = 0;
	int rc;

	sql_again(stmt, 1, run);
	while ((rc = sql_next(stmt, e)) > 0) {
		json_set_int(outcomes, sql_text(stmt, 0), sql_int(stmt, 1, 0));
		done += sql_int(stmt, 1, 0);
		surprises += sql_int(stmt, 2, 0);
	}
	json_set_int(facts, "done", done);
	json_set_int(facts, "surprises", surprises);
	json_set(facts, "outcomes", outcomes);
	return rc;
}

int store_list_runs(struct store *s, struct json **ret, struct err *e)
{
	struct sql_stmt *runs __free(sql_stmt) = NULL;
	struct sql_stmt *outcomes __free(sql_stmt) = NULL;
	struct json *list __free(json) = json_new_array();
	int rc;

	*ret = NULL;
	rc = sql_query(s->db, &runs, e,
		       "SELECT n, id, case_name, started, finished,"
		       " (SELECT sum(repeat) FROM job WHERE job.run = run.n)"
		       " FROM run ORDER BY started DESC, n DESC",
		       "");
	if (!rc)
		rc = sql_query(s->db, &outcomes, e,
			       "SELECT outcome, count(*), count(*) FILTER (WHERE NOT expected AND"
			       " outcome <> 'infra-error') FROM job JOIN attempt ON"
			       " attempt.job = job.n WHERE job.run = ?1 GROUP BY outcome"
			       " ORDER BY count(*) DESC, outcome",
			       "i", (int64_t)0);
	while (!rc && (rc = sql_next(runs, e)) > 0) {
		struct json *o = json_new_object();

		json_push(list, o);
		json_set_str(o, "id", sql_text(runs, 1));
		json_set_str(o, "case", sql_text(runs, 2));
		json_set_str(o, "started", sql_text(runs, 3));
		json_set_str(o, "finished", sql_text(runs, 4));
		json_set_int(o, "planned", sql_int(runs, 5, 0));
		json_set_bool(o, "running", store_run_claimed(s, sql_int(runs, 0, 0)));
		rc = add_outcomes(outcomes, sql_int(runs, 0, 0), o, e);
	}
	if (!rc)
		*ret = steal_ptr(list);
	return rc;
}
