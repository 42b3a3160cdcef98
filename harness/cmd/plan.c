// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plan.c - `kjump plan`: what a case would run, in order, and what it costs.
 */
#include <stdio.h>

#include "base/log.h"
#include "cmd/options.h"
#include "cmd/paths.h"
#include "plan/case.h"

static const char usage_text[] = "usage: kjump plan CASE [--json] [--kernels FILE]\n"
				 "\n"
				 "Lists the jobs of a case in the order in which they would run.\n";

/*
 * Seconds on the reference host: a boot of a cloud kernel to a shell takes
 * about 5 s and a jump about as long, plus 0.15 s per GiB for struct pages at
 * each of them. Plain kernels and slower hosts take up to twice that.
 */
static double estimate_s(const struct job *j)
{
	double boot = 5.0 + 0.15 * (double)(j->machine->ram_bytes >> 30);

	return j->kind == JUMP_PIVOT ? boot + 1.0 : 2 * boot;
}

struct cost {
	double total_s, longest_s; /* of all attempts one after the other; of one attempt */
	size_t attempts;
};

static struct cost cost_of(const struct plan *p)
{
	struct cost c = {0};
	size_t i;

	for (i = 0; i < p->n_jobs; i++) {
		const struct job *j = &p->jobs[i];

		c.total_s += estimate_s(j) * j->repeat;
		c.attempts += j->repeat;
		if (estimate_s(j) > c.longest_s)
			c.longest_s = estimate_s(j);
	}
	return c;
}

static double elapsed_s(const struct cost *c, long at_once)
{
	double s = c->total_s / (double)at_once;

	return s > c->longest_s ? s : c->longest_s;
}

static void print_json(const struct plan *p)
{
	struct json *root __free(json) = json_new_object();
	struct json *jobs = json_new_array(), *warnings = json_new_array();
	struct buf out __free_buf = BUF_INIT;
	size_t i;

	json_set_str(root, "case", p->name);
	json_set_int(root, "jobs_without_selection", (int64_t)p->n_full);
	json_set(root, "estimate_s", json_new_double(cost_of(p).total_s));
	for (i = 0; i < p->n_jobs; i++) {
		struct json *j = job_json(&p->jobs[i]);

		json_set(j, "estimate_s", json_new_double(estimate_s(&p->jobs[i])));
		json_push(jobs, j);
	}
	for (i = 0; i < p->n_warnings; i++)
		json_push(warnings, json_new_string(p->warnings[i]));
	json_set(root, "jobs", jobs);
	json_set(root, "warnings", warnings);
	json_print(root, true, &out);
	puts(out.data);
}

static void print_text(const struct plan *p)
{
	struct cost cost = cost_of(p);
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	size_t i;

	for (i = 0; i < p->n_jobs; i++) {
		printf("%s  %s", p->jobs[i].id, p->jobs[i].title);
		if (p->jobs[i].repeat > 1)
			printf("  x%u", p->jobs[i].repeat);
		putchar('\n');
	}
	printf("\n%zu job%s", p->n_jobs, p->n_jobs == 1 ? "" : "s");
	if (cost.attempts > p->n_jobs)
		printf(", %zu attempts", cost.attempts);
	if (p->select == SELECT_PAIRWISE)
		printf(" (pairwise: %zu fewer than the %zu of a full cross)", p->n_full - p->n_jobs,
		       p->n_full);
	printf("; about %.0f s of machine time, %.0f s with %ld at once\n", cost.total_s,
	       elapsed_s(&cost, cores), cores);
	for (i = 0; i < p->n_warnings; i++)
		log_warn("%s", p->warnings[i]);
}

int cmd_plan(int argc, char **argv)
{
	struct paths *paths __free(paths) = NULL;
	struct plan *p __free(plan) = NULL;
	struct diag diag __free_diag = DIAG_INIT;
	struct err e __free_err = ERR_INIT;
	struct plan_paths where = {0};
	bool json = false;
	const struct option_spec specs[] = {
		{"json", NULL, &json},
		{"kernels", &where.kernels, NULL},
		{NULL, NULL, NULL},
	};
	enum exit_status status;
	const char *path;

	if (!options_read(argc, argv, specs, usage_text, &path, 1, &status))
		return status;
	if (!path) {
		fputs(usage_text, stderr);
		return EXIT_USAGE;
	}
	if (paths_find(&paths, &e)) {
		log_error("%s", err_msg(&e));
		return EXIT_USAGE;
	}
	if (!where.kernels)
		where.kernels = paths->kernels;
	where.profiles = paths->profiles;
	where.boards = paths->boards;
	if (plan_load(path, &where, &diag, &p)) {
		diag_print(&diag, stderr);
		return EXIT_USAGE;
	}
	if (json)
		print_json(p);
	else
		print_text(p);
	return EXIT_EXPECTED;
}
