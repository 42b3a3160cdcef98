// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run.c - `kjump run`: read, prepare, run, show.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "cmd/boards.h"
#include "cmd/paths.h"
#include "cmd/run_opts.h"
#include "cmd/runner.h"
#include "cmd/version.h"
#include "machine/qemu_dry.h"
#include "machine/runtime.h"
#include "report/json.h"
#include "report/text.h"

struct run {
	struct run_opts opts;
	struct paths *paths;
	struct plan *plan;
	struct boards boards;
	struct rule_set *rules;
	struct known_set *known;
	struct store *store;
	struct image_ctx *images;
	struct prepared *prepared;
	struct live *live;
	char *id, *dir, *results, *scratch;
	double time_factor;
	unsigned int at_once;
};

static void run_fini(struct run *r)
{
	live_free(r->live);
	prepared_free(r->prepared);
	image_ctx_free(r->images);
	store_close(r->store);
	rule_set_free(r->rules);
	known_set_free(r->known);
	boards_fini(&r->boards);
	plan_free(r->plan);
	paths_free(r->paths);
	if (r->scratch)
		file_remove_tree(r->scratch, NULL);
	free(r->scratch);
	free(r->results);
	free(r->dir);
	free(r->id);
}

/* Reads all files; every mistake of all of them is printed in one go. */
static enum exit_status read_files(struct run *r)
{
	struct diag diag __free_diag = DIAG_INIT;
	const struct plan_paths where = {
		.kernels = r->opts.kernels ? r->opts.kernels : r->paths->kernels,
		.profiles = r->paths->profiles,
		.boards = r->paths->boards,
	};
	char *lab __free(str) = boards_lab_path(r->paths, r->opts.lab);
	size_t i;

	plan_load(r->opts.case_path, &where, &diag, &r->plan);
	rule_set_load(r->paths->symptoms, &diag, &r->rules);
	known_set_load(r->paths->known, &diag, &r->known);
	if (!diag.n)
		boards_find(&r->boards, r->plan, lab, &diag);
	if (diag.n) {
		diag_print(&diag, stderr);
		return EXIT_USAGE;
	}
	for (i = 0; i < r->plan->n_warnings; i++)
		log_warn("%s", r->plan->warnings[i]);
	plan_filter(r->plan, r->opts.only, r->opts.shard, r->opts.shards);
	for (i = 0; r->opts.repeat && i < r->plan->n_jobs; i++)
		r->plan->jobs[i].repeat = r->opts.repeat;
	if (!r->plan->n_jobs) {
		log_error("%s: no job is left to run (--only, --shard)", r->opts.case_path);
		return EXIT_USAGE;
	}
	if (r->plan->n_full > r->plan->n_jobs && r->plan->select == SELECT_PAIRWISE)
		log_info("pairwise: %zu jobs cover every pair of the %zu that a full cross has",
			 r->plan->n_jobs, r->plan->n_full);
	return EXIT_EXPECTED;
}

/* Sorts by time, and two at the same second differ. */
static char *new_run_id(void)
{
	char stamp[32];
	time_t now = time(NULL);
	uint16_t salt = 0;
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	if (getrandom(&salt, sizeof(salt), 0) != sizeof(salt))
		salt = (uint16_t)getpid();
	return xasprintf("%s-%04x", stamp, salt);
}

static int make_scratch(struct run *r, struct err *e)
{
	char *cache __free(str) = NULL;
	int rc = file_cache_dir(&cache, e);

	if (rc)
		return rc;
	r->scratch = xasprintf("%s/scratch/%s", cache, r->id);
	return file_mkdir(r->scratch, 0700, e);
}

static int calibrate(struct run *r, struct err *e)
{
	int rc = machine_calibrate(&r->time_factor, e);

	if (rc)
		return rc;
	/* Machines that share cores slow each other down. */
	if (r->at_once > (unsigned int)sysconf(_SC_NPROCESSORS_ONLN))
		r->time_factor *= r->at_once / (double)sysconf(_SC_NPROCESSORS_ONLN);
	if (r->time_factor < 1.0)
		r->time_factor = 1.0; /* limits are generous, never tighter than written */
	log_debug("time factor %.2f", r->time_factor);
	return 0;
}

static void on_progress(size_t done, size_t total, const char *what, void *arg)
{
	log_debug("preparing %zu of %zu: %s", done + 1, total, what);
}

static void on_warning(const char *text, void *arg)
{
	log_debug("%s", text);
}

static void store_kernels(struct run *r)
{
	const struct kernel_list *l = r->plan->kernels;
	struct err e __free_err = ERR_INIT;
	size_t i;

	for (i = 0; i < l->n; i++) {
		const struct kernel_files *f = prepared_kernel(r->prepared, &l->kernels[i]);

		if (f && store_set_kernel(r->store, r->id, l->kernels[i].name, f->release,
					  f->provenance, f->digest, &e))
			log_warn("%s", err_msg(&e));
	}
}

static int prepare_all(struct run *r, struct err *e)
{
	const struct image_opts opts = {
		.images_dir = r->paths->images,
		.dt_dir = r->paths->dt,
		.mirror = r->opts.mirror,
		.userland_suite = r->plan->kernels->userland_suite,
	};
	struct prepare_opts prep = {
		.plan = r->plan, .progress = on_progress, .warning = on_warning};
	int rc = image_ctx_new(&opts, &r->images, e);

	if (rc)
		return rc;
	prep.images = r->images;
	r->prepared = prepare(&prep);
	store_kernels(r);
	return 0;
}

static int begin(struct run *r, struct err *e)
{
	struct utsname host;
	char started[32], qemu[32] = "none";
	int major, minor;
	struct run_info info = {
		.case_name = r->plan->name,
		.case_path = r->opts.case_path,
		.case_digest = r->plan->digest,
		.started = started,
		.host = host.nodename,
		.kjump_version = KJUMP_VERSION,
		.qemu_version = qemu,
		.time_factor = r->time_factor,
		.jobs_at_once = r->at_once,
	};

	uname(&host);
	clock_utc(started, sizeof(started));
	if (!qemu_version(&major, &minor, NULL))
		snprintf(qemu, sizeof(qemu), "%d.%d", major, minor);
	info.id = r->id;
	return store_begin_run(r->store, &info, r->plan, e);
}

/* Opens the results and finds or makes the run. */
static int open_results(struct run *r, struct err *e)
{
	char *runs __free(str) = NULL;
	int rc;

	rc = file_mkdir(r->results, 0755, e);
	if (!rc)
		rc = store_open(r->results, &r->store, e);
	if (rc)
		return rc;
	if (r->opts.resume)
		rc = store_find_run(r->store, r->opts.resume, &r->id, e);
	else
		r->id = new_run_id();
	if (rc)
		return rc;
	runs = file_join(r->results, "runs");
	r->dir = file_join(runs, r->id);
	rc = file_mkdir(r->dir, 0755, e);
	if (!rc)
		rc = make_scratch(r, e);
	if (!rc)
		rc = calibrate(r, e);
	if (!rc && !r->opts.resume)
		rc = begin(r, e);
	if (!rc)
		rc = store_claim_run(r->store, r->id, e);
	return rc;
}

static size_t attempts_of(const struct plan *plan)
{
	size_t n = 0, i;

	for (i = 0; i < plan->n_jobs; i++)
		n += plan->jobs[i].repeat;
	return n;
}

static int run_all(struct run *r, struct runner_result *result, struct err *e)
{
	struct runner_opts opts = {
		.plan = r->plan,
		.prepared = r->prepared,
		.rules = r->rules,
		.known = r->known,
		.store = r->store,
		.run_id = r->id,
		.run_dir = r->dir,
		.scratch_dir = r->scratch,
		.time_factor = r->time_factor,
		.at_once = r->at_once,
	};
	char finished[32];
	int rc;

	r->live = live_new(stderr, attempts_of(r->plan));
	opts.live = r->live;
	rc = runner_run(&opts, result, e);
	live_free(steal_ptr(r->live));
	if (rc || result->interrupted || result->broken)
		return rc;
	clock_utc(finished, sizeof(finished));
	return store_end_run(r->store, r->id, finished, e);
}

static int show_result(struct run *r, struct err *e)
{
	if (r->opts.json)
		return report_json_run(r->store, r->id, stdout, e);
	return report_text_run(r->store, r->id, stdout, e);
}

static enum exit_status status_of(const struct runner_result *result)
{
	if (result->surprises)
		return EXIT_SURPRISE;
	if (result->infra || result->interrupted || result->broken)
		return EXIT_INFRA;
	return EXIT_EXPECTED;
}

static enum exit_status run_case(struct run *r)
{
	struct runner_result result = {0};
	struct err e __free_err = ERR_INIT;
	enum exit_status status;
	int rc;

	rc = paths_find(&r->paths, &e);
	if (rc) {
		log_error("%s", err_msg(&e));
		return EXIT_USAGE;
	}
	status = read_files(r);
	if (status != EXIT_EXPECTED)
		return status;
	r->at_once = r->opts.jobs ? r->opts.jobs : (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	r->results = xstrdup(r->opts.results ? r->opts.results : r->paths->results);
	machine_runtime_gc();
	rc = boards_take(&r->boards, r->plan, r->results, r->opts.wait, &e);
	/* A board is one machine, however many a host could hold. */
	if (r->boards.n)
		r->at_once = 1;
	if (!rc)
		rc = open_results(r, &e);
	if (!rc)
		rc = prepare_all(r, &e);
	if (!rc)
		rc = run_all(r, &result, &e);
	if (rc) {
		log_error("%s", err_msg(&e));
		return EXIT_INFRA;
	}
	if (result.interrupted)
		log_warn("go on with: kjump run %s --resume %s", r->opts.case_path, r->id);
	if (show_result(r, &e)) {
		log_error("%s", err_msg(&e));
		return EXIT_INFRA;
	}
	return status_of(&result);
}

int cmd_run(int argc, char **argv)
{
	struct run r = {0};
	enum exit_status status;
	bool go_on;

	status = run_opts_parse(&r.opts, argc, argv, &go_on);
	if (go_on)
		status = run_case(&r);
	run_fini(&r);
	return status;
}
