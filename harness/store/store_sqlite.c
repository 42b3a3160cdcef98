// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * store_sqlite.c - what is written: runs, their jobs, verdicts.
 */
#include "store/store_sqlite.h"

#include <errno.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "store/schema.h"

int store_open(const char *dir, struct store **ret, struct err *e)
{
	struct store *s __free(store) = NULL;
	char *path __free(str) = file_join(dir, "kjump.db");
	int rc;

	*ret = NULL;
	xnew(s);
	s->dir = xstrdup(dir);
	s->lock_fd = -1;
	rc = sql_open(path, &s->db, e);
	if (!rc)
		rc = schema_bring_up(s->db, e);
	if (rc)
		return err_prefix(e, rc, "results '%s'", dir);
	*ret = steal_ptr(s);
	return 0;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	sql_close(s->db);
	free(s->dir);
	free(s);
}

int store_run_key(struct store *s, const char *id, int64_t *ret, struct err *e)
{
	struct sql_stmt *stmt __free(sql_stmt) = NULL;
	int rc = sql_query(s->db, &stmt, e, "SELECT n FROM run WHERE id = ?1", "s", id);

	if (!rc)
		rc = sql_next(stmt, e);
	if (rc < 0)
		return rc;
	if (!rc)
		return err_set(e, ENOENT, "there is no run '%s'", id);
	*ret = sql_int(stmt, 0, 0);
	return 0;
}

static int insert_run(struct store *s, const struct run_info *info, struct err *e)
{
	return sql_run(s->db, e,
		       "INSERT INTO run (id, case_name, case_path, case_digest, started, host,"
		       " kjump_version, qemu_version, time_factor, jobs_at_once)"
		       " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
		       "ssssssssdi", info->id, info->case_name, info->case_path, info->case_digest,
		       info->started, info->host, info->kjump_version, info->qemu_version,
		       info->time_factor, (int64_t)info->jobs_at_once);
}

static int insert_kernel(struct store *s, int64_t run, const char *name, struct err *e)
{
	return sql_run(s->db, e, "INSERT OR IGNORE INTO kernel (run, name) VALUES (?1, ?2)", "is",
		       run, name);
}

static int insert_job(struct store *s, int64_t run, size_t seq, const struct job *j, struct err *e)
{
	const struct machine_spec *m = j->machine;
	char tree[48];
	int rc;

	job_tree(j, tree, sizeof(tree));
	rc = insert_kernel(s, run, j->from_kernel->name, e);
	if (!rc)
		rc = insert_kernel(s, run, j->to_kernel->name, e);
	if (rc)
		return rc;
	return sql_run(
		s->db, e,
		"INSERT INTO job (run, seq, id, title, from_profile, to_profile, kind, dt,"
		" kexec_checks, from_kernel, to_kernel, machine, board, cpu, lpa2,"
		" ram_bytes, el2, cpus, repeat, dark) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
		" ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)",
		"iissssssissssssiiiii", run, (int64_t)seq, j->id, j->title, j->from->id, j->to->id,
		jump_kind_name(j->kind), tree, (int64_t)j->kexec_checks, j->from_kernel->name,
		j->to_kernel->name, m->name, m->board, m->cpu, lpa2_name(m->lpa2),
		(int64_t)m->ram_bytes, (int64_t)m->el2, (int64_t)m->cpus, (int64_t)j->repeat,
		(int64_t)(j->to->display == DISPLAY_DARK));
}

static int insert_all(struct store *s, const struct run_info *info, const struct plan *plan,
		      struct err *e)
{
	int64_t run = 0;
	size_t i;
	int rc = insert_run(s, info, e);

	if (!rc)
		rc = store_run_key(s, info->id, &run, e);
	for (i = 0; !rc && i < plan->n_jobs; i++) {
		rc = insert_job(s, run, i, &plan->jobs[i], e);
		if (rc)
			err_prefix(e, rc, "job %s", plan->jobs[i].id);
	}
	return rc;
}

int store_begin_run(struct store *s, const struct run_info *info, const struct plan *plan,
		    struct err *e)
{
	int rc = sql_begin(s->db, e);

	if (!rc)
		rc = sql_end(s->db, insert_all(s, info, plan, e), e);
	return rc ? err_prefix(e, rc, "cannot record run %s", info->id) : 0;
}

int store_set_kernel(struct store *s, const char *run, const char *kernel, const char *release,
		     const char *provenance, const char *digest, struct err *e)
{
	int64_t key;
	int rc = store_run_key(s, run, &key, e);

	if (!rc)
		rc = sql_run(s->db, e,
			     "INSERT INTO kernel (run, name, release, provenance, digest)"
			     " VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (run, name) DO UPDATE SET"
			     " release = ?3, provenance = ?4, digest = ?5",
			     "issss", key, kernel, release, provenance, digest);
	return rc ? err_prefix(e, rc, "kernel '%s' of run %s", kernel, run) : 0;
}

int store_end_run(struct store *s, const char *run, const char *finished, struct err *e)
{
	int64_t key;
	int rc = store_run_key(s, run, &key, e);

	if (!rc)
		rc = sql_run(s->db, e, "UPDATE run SET finished = ?2 WHERE n = ?1", "is", key,
			     finished);
	return rc ? err_prefix(e, rc, "cannot end run %s", run) : 0;
}

/* One a line, *returned*; NULL if there are none. */
static char *join_lines(char *const *items, size_t n)
{
	struct buf b __free_buf = BUF_INIT;
	const char *p;
	size_t i;

	for (i = 0; i < n; i++) {
		if (i)
			buf_addch(&b, '\n');
		for (p = items[i]; *p; p++)
			buf_addch(&b, *p == '\n' ? ' ' : *p);
	}
	return n ? buf_steal(&b) : NULL;
}

/* Binds as a column that is NULL for a time that was not seen. */
static int64_t ms_or_unseen(uint64_t ns)
{
	return ns == TIME_UNSEEN ? -1 : (int64_t)(ns / NS_PER_MS);
}

static int upsert_attempt(struct store *s, int64_t job, unsigned int number, bool expected,
			  const struct verdict *v, const char *evidence_dir, struct err *e)
{
	char *consequences __free(str) = join_lines(v->consequences, v->n_consequences);
	char *degradations __free(str) = join_lines(v->degradations, v->n_degradations);

	return sql_run(s->db, e,
		       "INSERT INTO attempt (job, number, expected, outcome, stage, proof,"
		       " signature, detail, consequences, degradations, last_lines, truncated,"
		       " rules_version, evidence_dir, load_ms, jump_ms, first_pixel_ms,"
		       " userspace_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
		       " ?13, ?14, nullif(?15, -1), nullif(?16, -1), nullif(?17, -1),"
		       " nullif(?18, -1)) ON CONFLICT (job, number) DO UPDATE SET expected = ?3,"
		       " outcome = ?4, stage = ?5, proof = ?6, signature = ?7, detail = ?8,"
		       " consequences = ?9, degradations = ?10, last_lines = ?11, truncated = ?12,"
		       " rules_version = ?13, evidence_dir = ?14, load_ms = nullif(?15, -1),"
		       " jump_ms = nullif(?16, -1), first_pixel_ms = nullif(?17, -1),"
		       " userspace_ms = nullif(?18, -1)",
		       "iiissssssssissiiii", job, (int64_t)number, (int64_t)expected,
		       outcome_name(v->outcome), stage_name(v->stage), proof_name(v->proof),
		       v->signature, v->detail, consequences, degradations, v->last_lines,
		       (int64_t)v->truncated, v->rules_version, evidence_dir,
		       ms_or_unseen(v->load_ns), ms_or_unseen(v->jump_ns),
		       ms_or_unseen(v->first_pixel_ns), ms_or_unseen(v->userspace_ns));
}

static int replace_stages(struct store *s, int64_t job, unsigned int number,
			  const struct verdict *v, struct err *e)
{
	static const char key[] = "(SELECT n FROM attempt WHERE job = ?1 AND number = ?2)";
	char *clear __free(str) = xasprintf("DELETE FROM stage WHERE attempt = %s", key);
	char *insert __free(str) =
		xasprintf("INSERT INTO stage (attempt, stage, ms) VALUES (%s, ?3, ?4)", key);
	int i, rc = sql_run(s->db, e, clear, "ii", job, (int64_t)number);

	for (i = 0; !rc && i < N_STAGES; i++) {
		if (v->stage_ns[i] != TIME_UNSEEN)
			rc = sql_run(s->db, e, insert, "iisi", job, (int64_t)number,
				     stage_name((enum stage)i), ms_or_unseen(v->stage_ns[i]));
	}
	return rc;
}

static int replace_milestones(struct store *s, int64_t job, unsigned int number,
			      const struct verdict *v, struct err *e)
{
	static const char key[] = "(SELECT n FROM attempt WHERE job = ?1 AND number = ?2)";
	char *clear __free(str) = xasprintf("DELETE FROM milestone WHERE attempt = %s", key);
	char *insert __free(str) =
		xasprintf("INSERT INTO milestone (attempt, name, us, uncertainty_us, picture)"
			  " VALUES (%s, ?3, ?4, ?5, ?6)",
			  key);
	int i, rc = sql_run(s->db, e, clear, "ii", job, (int64_t)number);

	for (i = 0; !rc && i < N_MILESTONES; i++) {
		const struct verdict_milestone *m = &v->milestones[i];

		if (m->t_ns != TIME_UNSEEN)
			rc = sql_run(s->db, e, insert, "iisiis", job, (int64_t)number,
				     milestone_name((enum milestone)i), (int64_t)(m->t_ns / 1000),
				     (int64_t)(m->uncertainty_ns / 1000), m->picture);
	}
	return rc;
}

static int find_job(struct store *s, const char *run, const char *job, int64_t *ret, struct err *e)
{
	struct sql_stmt *stmt __free(sql_stmt) = NULL;
	int rc = sql_query(s->db, &stmt, e,
			   "SELECT job.n FROM job JOIN run ON run.n = job.run"
			   " WHERE run.id = ?1 AND job.id = ?2",
			   "ss", run, job);

	if (!rc)
		rc = sql_next(stmt, e);
	if (rc < 0)
		return rc;
	if (!rc)
		return err_set(e, ENOENT, "there is no such job");
	*ret = sql_int(stmt, 0, 0);
	return 0;
}

static int put_attempt(struct store *s, const char *run, const char *job, unsigned int number,
		       bool expected, const struct verdict *v, const char *evidence_dir,
		       struct err *e)
{
	int64_t key = 0;
	int rc = find_job(s, run, job, &key, e);

	if (!rc)
		rc = upsert_attempt(s, key, number, expected, v, evidence_dir, e);
	if (!rc)
		rc = replace_stages(s, key, number, v, e);
	if (!rc)
		rc = replace_milestones(s, key, number, v, e);
	return rc;
}

int store_put_attempt(struct store *s, const char *run, const char *job, unsigned int attempt,
		      bool expected, const struct verdict *v, const char *evidence_dir,
		      struct err *e)
{
	int rc = sql_begin(s->db, e);

	if (!rc)
		rc = sql_end(s->db, put_attempt(s, run, job, attempt, expected, v, evidence_dir, e),
			     e);
	return rc ? err_prefix(e, rc, "cannot keep attempt %u of job %s, run %s", attempt, job, run)
		  : 0;
}
