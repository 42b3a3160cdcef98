/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench.h - what benches that boot kernels share: a case of their own, prepared.
 */
#ifndef KJUMP_TEST_BENCH_BENCH_H
#define KJUMP_TEST_BENCH_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cmd/paths.h"
#include "run/prepare.h"

struct bench {
	struct paths *paths;
	struct plan *plan;
	struct image_ctx *images;
	struct prepared *prepared;
	char *dir; /* of temporary files */
};

static inline void bench_die(const char *what, const struct err *e)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, err_msg(e));
	exit(1);
}

/* @text: a case file; every one of its jobs is prepared. */
static inline void bench_init(struct bench *b, const char *text)
{
	char template[] = "/tmp/kjump-bench-XXXXXX";
	char *case_path __free(str) = NULL;
	struct diag diag __free_diag = DIAG_INIT;
	struct err e __free_err = ERR_INIT;
	struct plan_paths where;
	struct image_opts opts = {0};
	struct prepare_opts prep = {0};
	size_t i;

	if (!mkdtemp(template) || paths_find(&b->paths, &e))
		bench_die("set-up", &e);
	b->dir = xstrdup(template);
	case_path = file_join(b->dir, "bench.yaml");
	where = (struct plan_paths){b->paths->kernels, b->paths->profiles, b->paths->boards};
	if (file_write(case_path, text, strlen(text), &e))
		bench_die("set-up", &e);
	if (plan_load(case_path, &where, &diag, &b->plan)) {
		diag_print(&diag, stderr);
		exit(1);
	}
	opts.images_dir = b->paths->images;
	opts.dt_dir = b->paths->dt;
	opts.userland_suite = b->plan->kernels->userland_suite;
	if (image_ctx_new(&opts, &b->images, &e))
		bench_die("set-up", &e);
	prep.plan = b->plan;
	prep.images = b->images;
	b->prepared = prepare(&prep);
	for (i = 0; i < b->plan->n_jobs; i++) {
		const char *error = prepared_error(b->prepared, &b->plan->jobs[i]);

		if (error) {
			err_set(&e, EIO, "%s", error);
			bench_die("set-up", &e);
		}
	}
}

static inline void bench_fini(struct bench *b)
{
	file_remove_tree(b->dir, NULL);
	prepared_free(b->prepared);
	image_ctx_free(b->images);
	plan_free(b->plan);
	paths_free(b->paths);
	free(b->dir);
}

static inline int bench_by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Sorts @v; @share from 0 to 1. */
static inline double bench_quantile(double *v, size_t n, double share)
{
	size_t i;

	qsort(v, n, sizeof(*v), bench_by_value);
	if (!n)
		return 0;
	if (share == 0.5 && !(n & 1))
		return (v[n / 2 - 1] + v[n / 2]) / 2;
	i = (size_t)(share * (double)n);
	return v[i < n ? i : n - 1];
}

#endif
