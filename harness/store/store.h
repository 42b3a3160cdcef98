/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h - the index of all runs: results/kjump.db.
 *
 * Raw evidence is the truth; this can be rebuilt from it. One transaction an
 * attempt, so a crash loses only attempts in flight. Several processes may use
 * one database.
 */
#ifndef KJUMP_STORE_STORE_H
#define KJUMP_STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "judge/verdict.h"
#include "plan/case.h"

struct store;

/*
 * Opens or creates @dir/kjump.db, migrating an older schema. Errors of this and
 * all below: -ENOSPC, -EBUSY (another process writes for too long), -EBADMSG
 * (the file is damaged or not ours), -EPROTONOSUPPORT (a newer kjump wrote it).
 */
int store_open(const char *dir, struct store **ret, struct err *e);
void store_close(struct store *s);
DEFINE_FREE(store, struct store *, store_close(_v));

/* Facts about a run that reports print. Borrowed strings. */
struct run_info {
	const char *id; /* "20261201-020304-k3f9" */
	const char *case_name, *case_path, *case_digest;
	const char *started; /* UTC */
	const char *host, *kjump_version, *qemu_version;
	double time_factor;
	unsigned int jobs_at_once;
};

/* Records the run and all its jobs (id, axes, repeat) in one transaction. -EINVAL: it exists. */
int store_begin_run(struct store *s, const struct run_info *info, const struct plan *plan,
		    struct err *e);

/* Kernel facts that are known only once it has been fetched. */
int store_set_kernel(struct store *s, const char *run, const char *kernel, const char *release,
		     const char *provenance, const char *digest, struct err *e);

/*
 * Makes this store the only one that may go on with @run, until it is closed or
 * its process ends, however it ends. -EBUSY, naming the owner, while another
 * one does. The claim is a lock on one byte of @dir/kjump.lock, so that it can
 * neither be left behind nor be inherited by another process of the same pid.
 */
int store_claim_run(struct store *s, const char *run, struct err *e);

int store_end_run(struct store *s, const char *run, const char *finished, struct err *e);

/*
 * Adds or, after re-judging, replaces the verdict of one attempt. -ENOENT if the
 * run has no such job.
 */
int store_put_attempt(struct store *s, const char *run, const char *job, unsigned int attempt,
		      bool expected, const struct verdict *v, const char *evidence_dir,
		      struct err *e);

struct milestone_row {
	int64_t us;		/* since the start; -1: not seen */
	int64_t uncertainty_us; /* it was at most so much earlier */
	char picture[64];	/* a file of the evidence, or "" */
};

/* A row as reports see it; all strings borrowed for the duration of the call. */
struct attempt_row {
	const char *run, *job, *title;
	unsigned int attempt;
	const char *from, *to, *kind, *dt;
	const char *from_kernel, *to_kernel;
	const char *machine, *board, *cpu, *lpa2;
	uint64_t ram_bytes;
	bool el2, kexec_checks;
	bool dark; /* its end must leave the display dark */
	bool done; /* false: planned, not run; then nothing below is set */
	bool expected, truncated;
	enum outcome outcome;
	enum stage stage;
	enum proof proof;
	const char *signature, *detail, *last_lines, *rules_version, *evidence_dir;
	int64_t first_pixel_ms, userspace_ms, load_ms; /* as in struct verdict; -1: not seen */
	int64_t jump_ms, stage_ms[N_STAGES];	       /* since the start; -1: not seen */
	struct milestone_row milestones[N_MILESTONES];
	const char *consequences, *degradations; /* one a line, or NULL */
};

/*
 * All attempts of @run (planned ones too, not done) in plan order, as of one
 * moment. @job_pattern: of job ids or titles, NULL for all. Stops when @each
 * returns non-zero and returns that; @each must not call the store.
 */
int store_each_attempt(struct store *s, const char *run, const char *job_pattern,
		       int (*each)(const struct attempt_row *row, void *arg), void *arg,
		       struct err *e);

/*
 * The run whose id starts with @prefix, or the newest one for "last" and NULL;
 * *returned*. -ENOENT; -ENOTUNIQ with the candidates if there are several.
 */
int store_find_run(struct store *s, const char *prefix, char **ret, struct err *e);

/*
 * Facts of a run as JSON: id, case, case_path, case_digest, started, finished,
 * duration_s, host, ..., kernels[{name, release, provenance, digest}]; *returned*.
 */
int store_run_json(struct store *s, const char *run, struct json **ret, struct err *e);

/*
 * Newest first, as a JSON array of short facts: id, case, started, finished,
 * planned, done, surprises, outcomes{name: attempts}, and running (a process has
 * claimed it); *returned*.
 */
int store_list_runs(struct store *s, struct json **ret, struct err *e);

#endif
