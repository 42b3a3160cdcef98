/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * case.h - a case file and the jobs it crosses to.
 *
 * A struct plan owns everything its jobs point to.
 */
#ifndef KJUMP_PLAN_CASE_H
#define KJUMP_PLAN_CASE_H

#include "base/json.h"
#include "plan/job.h"

enum select { SELECT_ALL, SELECT_PAIRWISE };

/* Where the files that a case names are found; borrowed strings. */
struct plan_paths {
	const char *kernels;  /* images/kernels.yaml */
	const char *profiles; /* images/profiles */
	const char *boards;   /* board */
};

struct plan {
	char *name;
	char *path;   /* of the case file */
	char *digest; /* SHA-256 of all that was read, hex */
	enum select select;
	struct job *jobs; /* in the order in which they are to run */
	size_t n_jobs;
	size_t n_full; /* jobs before selection: what pairwise saved */

	struct machine_spec *machines;
	size_t n_machines;
	struct board **boards; /* those with hardware */
	size_t n_boards;
	struct profile **profiles;
	size_t n_profiles;
	struct kernel_list *kernels;
	char **warnings; /* "file:line:col: text", not fatal */
	size_t n_warnings;
};

/* All mistakes of all files in one go in @diag; -EINVAL if there are any. */
int plan_load(const char *case_path, const struct plan_paths *paths, struct diag *diag,
	      struct plan **ret);
void plan_free(struct plan *p);
DEFINE_FREE(plan, struct plan *, plan_free(_v));

/* Keeps jobs whose id or title matches @pattern, and shard @index (1..@count). */
void plan_filter(struct plan *p, const char *pattern, unsigned int index, unsigned int count);

/* Machine, kernels, profiles, kind of one job, as in the command contract. */
struct json *job_json(const struct job *j);

#endif
