/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runner.h - the running of a run: queue, attempts, verdicts into the store.
 */
#ifndef KJUMP_CMD_RUNNER_H
#define KJUMP_CMD_RUNNER_H

#include "plan/known.h"
#include "plan/rule.h"
#include "report/live.h"
#include "run/prepare.h"
#include "store/store.h"

struct runner_opts {
	const struct plan *plan; /* borrowed, as all below */
	const struct prepared *prepared;
	const struct rule_set *rules;
	const struct known_set *known;
	struct store *store;
	struct live *live;
	const char *run_id;
	const char *run_dir;	 /* for the evidence: RUN_DIR/JOB.N */
	const char *scratch_dir; /* for what an attempt needs while it runs */
	double time_factor;
	unsigned int at_once;
};

struct runner_result {
	size_t expected, surprises, infra;
	bool interrupted; /* SIGINT, SIGTERM or SIGHUP */
	bool broken;	  /* results cannot be kept any more (disk full): stopped early */
};

/*
 * Runs what the store says is left of the run, to its end or until a signal.
 * On a signal the attempts under way are ended and left out of the store, so
 * that a resume does them again.
 */
int runner_run(const struct runner_opts *opts, struct runner_result *ret, struct err *e);

#endif
