/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_plan.h - plans and verdicts made by hand, and a directory for a store.
 *
 * Nothing of a made plan is allocated: it is never given to plan_free().
 */
#ifndef KJUMP_TEST_STORE_MADE_PLAN_H
#define KJUMP_TEST_STORE_MADE_PLAN_H

#include "test/test.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "store/store.h"

#define RUN "20261201-020304-0001"

struct made {
	struct plan plan;
	struct machine_spec machines[3];
	struct kernel_spec kernels[3];
	struct profile profiles[4];
	struct job jobs[128];
};

static inline void made_init(struct made *m)
{
	*m = (struct made){
		.plan = {.name = (char *)"made",
			 .path = (char *)"cases/made.yaml",
			 .digest = (char *)"d1"},
		.machines = {{.name = (char *)"max-2G",
			      .board = (char *)"qemu-virt",
			      .ram_bytes = 2ULL << 30,
			      .cpu = (char *)"max",
			      .cpus = 2},
			     {.name = (char *)"a72-512G",
			      .board = (char *)"qemu-virt",
			      .ram_bytes = 512ULL << 30,
			      .cpu = (char *)"cortex-a72",
			      .lpa2 = LPA2_OFF,
			      .el2 = true,
			      .cpus = 2},
			     {.name = (char *)"max-64G",
			      .board = (char *)"qemu-virt",
			      .ram_bytes = 64ULL << 30,
			      .cpu = (char *)"max",
			      .cpus = 2}},
		.kernels = {{.name = (char *)"k-7.2.6"},
			    {.name = (char *)"k-6.12"},
			    {.name = (char *)"k-6.1"}},
		.profiles = {{.id = (char *)"minimal"},
			     {.id = (char *)"no-graphics"},
			     {.id = (char *)"recovery"},
			     {.id = (char *)"desktop"}},
	};
	m->plan.jobs = m->jobs;
}

/* Titles and ids are the place in the plan, which is enough to tell them apart. */
static inline struct job *made_add(struct made *m, int machine, int kernel, enum jump_kind kind,
				   int from, int to)
{
	static char titles[128][128];
	size_t i = m->plan.n_jobs++;
	struct job *j = &m->jobs[i];

	assert_true(i < ARRAY_SIZE(titles));
	*j = (struct job){
		.machine = &m->machines[machine],
		.from_kernel = &m->kernels[kernel],
		.to_kernel = &m->kernels[kernel],
		.from = &m->profiles[from],
		.to = &m->profiles[to],
		.kind = kind,
		.repeat = 1,
		.title = titles[i],
	};
	snprintf(j->id, sizeof(j->id), "%012zx", 0xabc000000000 + i * 0x10000001);
	snprintf(titles[i], sizeof(titles[i]), "%s -> %s %s, %s, %s", j->from->id, j->to->id,
		 jump_kind_name(kind), j->to_kernel->name, j->machine->name);
	return j;
}

static inline void made_begin(struct store *s, const char *run, const struct made *m)
{
	const struct run_info info = {
		.id = run,
		.case_name = m->plan.name,
		.case_path = m->plan.path,
		.case_digest = m->plan.digest,
		.started = "2026-12-01T02:03:04Z",
		.host = "bench",
		.kjump_version = "0.1",
		.qemu_version = "10.0",
		.time_factor = 1.5,
		.jobs_at_once = 2,
	};
	struct err e __free_err = ERR_INIT;

	if (store_begin_run(s, &info, &m->plan, &e))
		fail_msg("%s", err_msg(&e));
}

/* @userspace_ms 0: not reached. All strings of it are the test's. */
static inline struct verdict made_verdict(enum outcome outcome, enum stage stage,
					  uint64_t userspace_ms)
{
	struct verdict v = {
		.outcome = outcome,
		.stage = stage,
		.load_ns = 120 * NS_PER_MS,
		.jump_ns = 4000 * NS_PER_MS,
		.first_pixel_ns = TIME_UNSEEN,
		.userspace_ns = userspace_ms ? userspace_ms * NS_PER_MS : TIME_UNSEEN,
		.rules_version = (char *)"1+abcdef",
	};
	int i;

	for (i = 0; i < N_STAGES; i++)
		v.stage_ns[i] = i <= (int)stage ? (uint64_t)i * 500 * NS_PER_MS : TIME_UNSEEN;
	return v;
}

static inline void made_put(struct store *s, const char *run, const struct job *j,
			    unsigned int attempt, const struct verdict *v)
{
	struct err e __free_err = ERR_INIT;

	if (store_put_attempt(s, run, j->id, attempt, v->outcome == OUTCOME_USERSPACE_REACHED, v,
			      "runs/r/j.1", &e))
		fail_msg("%s", err_msg(&e));
}

static inline struct store *made_open(const char *dir)
{
	struct store *s = NULL;
	struct err e __free_err = ERR_INIT;

	if (store_open(dir, &s, &e))
		fail_msg("%s", err_msg(&e));
	return s;
}

/* cmocka set-up and tear-down: the path of a fresh directory in *state. */
static inline int made_setup(void **state)
{
	char *dir = xstrdup("/tmp/kjump-test.XXXXXX");

	*state = dir;
	return mkdtemp(dir) ? 0 : -1;
}

static inline int made_teardown(void **state)
{
	int rc = file_remove_tree(*state, NULL);

	free(*state);
	return rc;
}

#define MADE_TEST(f) cmocka_unit_test_setup_teardown(f, made_setup, made_teardown)

#endif
