// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * store_rows.c - what is read back: attempts, one by one.
 */
#include "store/store_sqlite.h"

#include <errno.h>
#include <inttypes.h>

#include "base/text.h"

/* Every attempt that the plan asked for, and what is known of it. */
static const char attempts_sql[] =
	"WITH RECURSIVE wanted (job, number, repeat) AS ("
	" SELECT n, 1, repeat FROM job WHERE run = ?1 AND repeat > 0"
	" UNION ALL SELECT job, number + 1, repeat FROM wanted WHERE number < repeat)"
	" SELECT a.n, j.id, j.title, wanted.number, j.from_profile, j.to_profile, j.kind, j.dt,"
	" j.kexec_checks, j.from_kernel, j.to_kernel, j.machine, j.board, j.cpu, j.lpa2,"
	" j.ram_bytes, j.el2, j.dark, a.expected, a.outcome, a.stage, a.proof, a.signature, "
	"a.detail,"
	" a.consequences, a.degradations, a.last_lines, a.truncated, a.rules_version,"
	" a.evidence_dir, a.load_ms, a.jump_ms, a.first_pixel_ms, a.userspace_ms"
	" FROM wanted JOIN job j ON j.n = wanted.job"
	" LEFT JOIN attempt a ON a.job = wanted.job AND a.number = wanted.number"
	" ORDER BY j.seq, wanted.number";

enum column {
	COL_KEY,
	COL_JOB,
	COL_TITLE,
	COL_NUMBER,
	COL_FROM,
	COL_TO,
	COL_KIND,
	COL_DT,
	COL_KEXEC_CHECKS,
	COL_FROM_KERNEL,
	COL_TO_KERNEL,
	COL_MACHINE,
	COL_BOARD,
	COL_CPU,
	COL_LPA2,
	COL_RAM,
	COL_EL2,
	COL_DARK,
	COL_EXPECTED,
	COL_OUTCOME,
	COL_STAGE,
	COL_PROOF,
	COL_SIGNATURE,
	COL_DETAIL,
	COL_CONSEQUENCES,
	COL_DEGRADATIONS,
	COL_LAST_LINES,
	COL_TRUNCATED,
	COL_RULES,
	COL_EVIDENCE,
	COL_LOAD_MS,
	COL_JUMP_MS,
	COL_FIRST_PIXEL_MS,
	COL_USERSPACE_MS,
};

struct reader {
	struct sql_stmt *attempts, *stages, *milestones;
	const char *run;
};

static void read_plan(struct sql_stmt *st, struct attempt_row *row)
{
	row->job = sql_text(st, COL_JOB);
	row->title = sql_text(st, COL_TITLE);
	row->attempt = (unsigned int)sql_int(st, COL_NUMBER, 0);
	row->from = sql_text(st, COL_FROM);
	row->to = sql_text(st, COL_TO);
	row->kind = sql_text(st, COL_KIND);
	row->dt = sql_text(st, COL_DT);
	row->kexec_checks = sql_int(st, COL_KEXEC_CHECKS, 0) != 0;
	row->from_kernel = sql_text(st, COL_FROM_KERNEL);
	row->to_kernel = sql_text(st, COL_TO_KERNEL);
	row->machine = sql_text(st, COL_MACHINE);
	row->board = sql_text(st, COL_BOARD);
	row->cpu = sql_text(st, COL_CPU);
	row->lpa2 = sql_text(st, COL_LPA2);
	row->ram_bytes = (uint64_t)sql_int(st, COL_RAM, 0);
	row->el2 = sql_int(st, COL_EL2, 0) != 0;
	row->dark = sql_int(st, COL_DARK, 0) != 0;
}

static int bad_name(const char *column, const char *value, struct err *e)
{
	return err_set(e, EBADMSG, "kjump.db holds the unknown %s '%s'", column, value);
}

static int read_verdict(struct sql_stmt *st, struct attempt_row *row, struct err *e)
{
	if (outcome_parse(sql_text(st, COL_OUTCOME), &row->outcome))
		return bad_name("outcome", sql_text(st, COL_OUTCOME), e);
	if (stage_parse(sql_text(st, COL_STAGE), &row->stage))
		return bad_name("stage", sql_text(st, COL_STAGE), e);
	if (proof_parse(sql_text(st, COL_PROOF), &row->proof))
		return bad_name("proof", sql_text(st, COL_PROOF), e);
	row->done = true;
	row->expected = sql_int(st, COL_EXPECTED, 0) != 0;
	row->truncated = sql_int(st, COL_TRUNCATED, 0) != 0;
	row->signature = sql_text(st, COL_SIGNATURE);
	row->detail = sql_text(st, COL_DETAIL);
	row->consequences = sql_text(st, COL_CONSEQUENCES);
	row->degradations = sql_text(st, COL_DEGRADATIONS);
	row->last_lines = sql_text(st, COL_LAST_LINES);
	row->rules_version = sql_text(st, COL_RULES);
	row->evidence_dir = sql_text(st, COL_EVIDENCE);
	row->load_ms = sql_int(st, COL_LOAD_MS, -1);
	row->jump_ms = sql_int(st, COL_JUMP_MS, -1);
	row->first_pixel_ms = sql_int(st, COL_FIRST_PIXEL_MS, -1);
	row->userspace_ms = sql_int(st, COL_USERSPACE_MS, -1);
	return 0;
}

static int read_stages(struct sql_stmt *st, int64_t attempt, struct attempt_row *row, struct err *e)
{
	enum stage stage;
	int rc;

	sql_again(st, 1, attempt);
	while ((rc = sql_next(st, e)) > 0) {
		if (stage_parse(sql_text(st, 0), &stage))
			return bad_name("stage", sql_text(st, 0), e);
		row->stage_ms[stage] = sql_int(st, 1, -1);
	}
	return rc;
}

static int read_milestones(struct sql_stmt *st, int64_t attempt, struct attempt_row *row,
			   struct err *e)
{
	enum milestone m;
	int rc;

	sql_again(st, 1, attempt);
	while ((rc = sql_next(st, e)) > 0) {
		const char *picture = sql_text(st, 3);

		if (milestone_parse(sql_text(st, 0), &m))
			return bad_name("milestone", sql_text(st, 0), e);
		row->milestones[m].us = sql_int(st, 1, -1);
		row->milestones[m].uncertainty_us = sql_int(st, 2, 0);
		snprintf(row->milestones[m].picture, sizeof(row->milestones[m].picture), "%s",
			 picture ? picture : "");
	}
	return rc;
}

static int read_row(const struct reader *r, struct attempt_row *row, struct err *e)
{
	int64_t key = sql_int(r->attempts, COL_KEY, 0);
	int i, rc;

	*row = (struct attempt_row){
		.run = r->run,
		.first_pixel_ms = -1,
		.userspace_ms = -1,
		.load_ms = -1,
		.jump_ms = -1,
	};
	for (i = 0; i < N_STAGES; i++)
		row->stage_ms[i] = -1;
	for (i = 0; i < N_MILESTONES; i++)
		row->milestones[i].us = -1;
	read_plan(r->attempts, row);
	if (!key)
		return 0;
	rc = read_verdict(r->attempts, row, e);
	if (!rc)
		rc = read_stages(r->stages, key, row, e);
	return rc ? rc : read_milestones(r->milestones, key, row, e);
}

static int each_row(const struct reader *r, const char *pattern,
		    int (*each)(const struct attempt_row *row, void *arg), void *arg, struct err *e)
{
	struct attempt_row row;
	int rc;

	while ((rc = sql_next(r->attempts, e)) > 0) {
		rc = read_row(r, &row, e);
		if (!rc && (text_match(pattern, row.job) || text_match(pattern, row.title)))
			rc = each(&row, arg);
		if (rc)
			return rc;
	}
	return rc;
}

int store_each_attempt(struct store *s, const char *run, const char *job_pattern,
		       int (*each)(const struct attempt_row *row, void *arg), void *arg,
		       struct err *e)
{
	struct sql_stmt *attempts __free(sql_stmt) = NULL;
	struct sql_stmt *stages __free(sql_stmt) = NULL;
	struct sql_stmt *milestones __free(sql_stmt) = NULL;
	struct reader r = {.run = run};
	int64_t key;
	int rc = store_run_key(s, run, &key, e);

	if (!rc)
		rc = sql_query(s->db, &attempts, e, attempts_sql, "i", key);
	if (!rc)
		rc = sql_query(s->db, &stages, e, "SELECT stage, ms FROM stage WHERE attempt = ?1",
			       "i", (int64_t)0);
	if (!rc)
		rc = sql_query(s->db, &milestones, e,
			       "SELECT name, us, uncertainty_us, picture FROM milestone"
			       " WHERE attempt = ?1",
			       "i", (int64_t)0);
	if (rc)
		return rc;
	r.attempts = attempts;
	r.stages = stages;
	r.milestones = milestones;
	return each_row(&r, job_pattern, each, arg, e);
}
