// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/store/made_plan.h"

struct seen {
	size_t n, done;
	char *order;		 /* "job.attempt " each */
	struct attempt_row last; /* without its strings */
	char *signature, *last_lines, *consequences, *evidence_dir;
	unsigned int stop_after;
};

static int see(const struct attempt_row *row, void *arg)
{
	struct seen *seen = arg;
	char *order = seen->order;

	seen->order = xasprintf("%s%.12s.%u ", order ? order : "", row->job, row->attempt);
	free(order);
	seen->n++;
	seen->done += row->done;
	seen->last = *row;
	free(seen->signature);
	free(seen->last_lines);
	free(seen->consequences);
	free(seen->evidence_dir);
	seen->signature = xstrdup_null(row->signature);
	seen->last_lines = xstrdup_null(row->last_lines);
	seen->consequences = xstrdup_null(row->consequences);
	seen->evidence_dir = xstrdup_null(row->evidence_dir);
	return seen->stop_after && seen->n == seen->stop_after ? 7 : 0;
}

static void seen_fini(struct seen *seen)
{
	free(seen->order);
	free(seen->signature);
	free(seen->last_lines);
	free(seen->consequences);
	free(seen->evidence_dir);
}

static struct seen look(struct store *s, const char *run, const char *pattern)
{
	struct seen seen = {0};
	struct err e __free_err = ERR_INIT;

	if (store_each_attempt(s, run, pattern, see, &seen, &e))
		fail_msg("%s", err_msg(&e));
	return seen;
}

static void planned_in_plan_order(void **state)
{
	struct store *s __free(store) = made_open(*state);
	struct seen seen __cleanup(seen_fini) = {0};
	struct made m;

	made_init(&m);
	made_add(&m, 0, 0, JUMP_KEXEC, 1, 0);
	made_add(&m, 1, 0, JUMP_PIVOT, 0, 1)->repeat = 2;
	/* Ids in the order of the plan, not of the alphabet. */
	strcpy(m.jobs[0].id, "ffff");
	strcpy(m.jobs[1].id, "aaaa");
	made_begin(s, RUN, &m);
	seen = look(s, RUN, NULL);
	assert_string_equal(seen.order, "ffff.1 aaaa.1 aaaa.2 ");
	assert_int_equal(seen.done, 0);
	assert_int_equal(seen.last.ram_bytes, 512ULL << 30);
	assert_true(seen.last.el2);
	assert_int_equal(seen.last.stage_ms[STAGE_POWER], -1);
}

static void verdict_comes_back(void **state)
{
	struct store *s __free(store) = made_open(*state);
	struct seen seen __cleanup(seen_fini) = {0};
	struct verdict v = made_verdict(OUTCOME_HANG, STAGE_ENTRY, 0);
	char *consequences[] = {(char *)"first", (char *)"sec\nond"};
	struct made m;

	made_init(&m);
	made_add(&m, 0, 0, JUMP_KEXEC, 0, 1)->kexec_checks = true;
	made_begin(s, RUN, &m);
	v.proof = PROOF_PROVEN;
	v.signature = (char *)"hang: no console after entry";
	v.last_lines = (char *)"one\ntwo";
	v.consequences = consequences;
	v.n_consequences = 2;
	v.truncated = true;
	v.first_pixel_ns = 0;
	made_put(s, RUN, &m.jobs[0], 1, &v);

	seen = look(s, RUN, NULL);
	assert_int_equal(seen.n, 1);
	assert_true(seen.last.done);
	assert_true(seen.last.kexec_checks);
	assert_true(seen.last.truncated);
	assert_false(seen.last.expected);
	assert_int_equal(seen.last.outcome, OUTCOME_HANG);
	assert_int_equal(seen.last.stage, STAGE_ENTRY);
	assert_int_equal(seen.last.proof, PROOF_PROVEN);
	assert_int_equal(seen.last.load_ms, 120);
	assert_int_equal(seen.last.jump_ms, 4000);
	assert_int_equal(seen.last.first_pixel_ms, 0);
	assert_int_equal(seen.last.userspace_ms, -1);
	assert_int_equal(seen.last.stage_ms[STAGE_ENTRY], STAGE_ENTRY * 500);
	assert_int_equal(seen.last.stage_ms[STAGE_EARLY], -1);
	assert_string_equal(seen.signature, "hang: no console after entry");
	assert_string_equal(seen.last_lines, "one\ntwo");
	assert_string_equal(seen.consequences, "first\nsec ond");
	assert_string_equal(seen.evidence_dir, "runs/r/j.1");
}

static void put_is_idempotent(void **state)
{
	struct store *s __free(store) = made_open(*state);
	struct seen seen __cleanup(seen_fini) = {0};
	struct verdict v = made_verdict(OUTCOME_HANG, STAGE_ENTRY, 0);
	struct made m;

	made_init(&m);
	made_add(&m, 0, 0, JUMP_KEXEC, 0, 1);
	made_begin(s, RUN, &m);
	v.signature = (char *)"old";
	made_put(s, RUN, &m.jobs[0], 1, &v);
	made_put(s, RUN, &m.jobs[0], 1, &v);
	v = made_verdict(OUTCOME_PANIC, STAGE_POWER, 0);
	made_put(s, RUN, &m.jobs[0], 1, &v);

	seen = look(s, RUN, NULL);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.last.outcome, OUTCOME_PANIC);
	assert_null(seen.signature);
	/* Stages of the verdict before are gone. */
	assert_int_equal(seen.last.stage_ms[STAGE_ENTRY], -1);
	assert_int_equal(seen.last.stage_ms[STAGE_POWER], 0);
}

static void what_is_left_for_a_resume(void **state)
{
	struct store *s __free(store) = made_open(*state);
	struct seen seen __cleanup(seen_fini) = {0};
	struct verdict v = made_verdict(OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, 1900);
	struct made m;

	made_init(&m);
	made_add(&m, 0, 0, JUMP_KEXEC, 0, 1)->repeat = 3;
	made_begin(s, RUN, &m);
	made_put(s, RUN, &m.jobs[0], 2, &v);
	seen = look(s, RUN, NULL);
	assert_int_equal(seen.n, 3);
	assert_int_equal(seen.done, 1);
	assert_false(seen.last.done);
}

static void pattern_and_stop(void **state)
{
	struct store *s __free(store) = made_open(*state);
	struct seen by_title __cleanup(seen_fini) = {0};
	struct seen by_id __cleanup(seen_fini) = {0};
	struct seen stopped __cleanup(seen_fini) = {.stop_after = 1};
	struct made m;

	made_init(&m);
	made_add(&m, 0, 0, JUMP_KEXEC, 0, 1);
	made_add(&m, 0, 0, JUMP_PIVOT, 0, 1);
	made_begin(s, RUN, &m);
	by_title = look(s, RUN, "*pivot*");
	assert_int_equal(by_title.n, 1);
	by_id = look(s, RUN, m.jobs[0].id);
	assert_int_equal(by_id.n, 1);
	assert_int_equal(store_each_attempt(s, RUN, NULL, see, &stopped, NULL), 7);
	assert_int_equal(stopped.n, 1);
}

static void unknown_names(void **state)
{
	struct store *s __free(store) = made_open(*state);
	struct verdict v = made_verdict(OUTCOME_HANG, STAGE_ENTRY, 0);
	struct err e __free_err = ERR_INIT;
	struct seen seen __cleanup(seen_fini) = {0};
	struct made m;

	made_init(&m);
	made_add(&m, 0, 0, JUMP_KEXEC, 0, 1);
	made_begin(s, RUN, &m);
	assert_int_equal(store_put_attempt(s, RUN, "nojob", 1, true, &v, NULL, &e), -ENOENT);
	assert_int_equal(store_put_attempt(s, "norun", m.jobs[0].id, 1, true, &v, NULL, &e),
			 -ENOENT);
	assert_int_equal(store_each_attempt(s, "norun", NULL, see, &seen, &e), -ENOENT);
	assert_string_equal(err_msg(&e), "there is no run 'norun'");
	/* The failures have left no transaction open. */
	made_put(s, RUN, &m.jobs[0], 1, &v);
}

static void same_job_twice_records_nothing(void **state)
{
	struct store *s __free(store) = made_open(*state);
	const struct run_info info = {.id = RUN,
				      .case_name = "c",
				      .case_path = "p",
				      .case_digest = "d",
				      .started = "2026-12-01T02:03:04Z"};
	struct err e __free_err = ERR_INIT;
	char *id __free(str) = NULL;
	struct made m;

	made_init(&m);
	made_add(&m, 0, 0, JUMP_KEXEC, 0, 1);
	made_add(&m, 0, 0, JUMP_KEXEC, 0, 1);
	strcpy(m.jobs[1].id, m.jobs[0].id);
	assert_int_equal(store_begin_run(s, &info, &m.plan, &e), -EINVAL);
	assert_int_equal(store_find_run(s, NULL, &id, &e), -ENOENT);
}

static void runs_by_prefix(void **state)
{
	struct store *s __free(store) = made_open(*state);
	struct err e __free_err = ERR_INIT;
	struct made m;
	char *id = NULL;

	assert_int_equal(store_find_run(s, "last", &id, &e), -ENOENT);
	made_init(&m);
	made_add(&m, 0, 0, JUMP_KEXEC, 0, 1);
	made_begin(s, "20261201-a", &m);
	made_begin(s, "20261201-b", &m);
	made_begin(s, "20261201-b2", &m);
	assert_int_equal(store_find_run(s, "last", &id, &e), 0);
	assert_string_equal(id, "20261201-b2"); /* same second: the later one */
	free(id);
	assert_int_equal(store_find_run(s, "20261201-a", &id, &e), 0);
	assert_string_equal(id, "20261201-a");
	free(id);
	assert_int_equal(store_find_run(s, "20261201-b", &id, &e), 0);
	assert_string_equal(id, "20261201-b"); /* whole id, though it begins another */
	free(id);
	assert_int_equal(store_find_run(s, "2026", &id, &e), -ENOTUNIQ);
	assert_non_null(strstr(err_msg(&e), "20261201-a"));
	assert_int_equal(store_find_run(s, "2026%", &id, &e), -ENOENT);
	assert_null(id);
}

static void facts_of_a_run(void **state)
{
	struct store *s __free(store) = made_open(*state);
	struct verdict v = made_verdict(OUTCOME_HANG, STAGE_ENTRY, 0);
	struct json *facts __free(json) = NULL;
	struct json *list __free(json) = NULL;
	const struct json *kernel;
	struct err e __free_err = ERR_INIT;
	struct made m;

	made_init(&m);
	made_add(&m, 0, 0, JUMP_KEXEC, 0, 1)->repeat = 3;
	made_begin(s, RUN, &m);
	made_put(s, RUN, &m.jobs[0], 1, &v);
	assert_int_equal(store_set_kernel(s, RUN, "k-7.2.6", "7.2.6-x", "from y", "abc", &e), 0);
	assert_int_equal(store_end_run(s, RUN, "2026-12-01T02:05:27Z", &e), 0);

	assert_int_equal(store_run_json(s, RUN, &facts, &e), 0);
	assert_string_equal(json_get_str(facts, "id"), RUN);
	assert_string_equal(json_get_str(facts, "case"), "made");
	assert_string_equal(json_get_str(facts, "host"), "bench");
	assert_int_equal(json_get_int(facts, "duration_s", -1), 143);
	assert_int_equal(json_len(json_get(facts, "kernels")), 1);
	kernel = json_at(json_get(facts, "kernels"), 0);
	assert_string_equal(json_get_str(kernel, "release"), "7.2.6-x");
	assert_string_equal(json_get_str(kernel, "digest"), "abc");

	assert_int_equal(store_list_runs(s, &list, &e), 0);
	assert_int_equal(json_len(list), 1);
	assert_int_equal(json_get_int(json_at(list, 0), "planned", -1), 3);
	assert_int_equal(json_get_int(json_at(list, 0), "done", -1), 1);
	assert_int_equal(json_get_int(json_at(list, 0), "surprises", -1), 1);
	assert_int_equal(json_get_int(json_get(json_at(list, 0), "outcomes"), "hang", -1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(planned_in_plan_order),
		MADE_TEST(verdict_comes_back),
		MADE_TEST(put_is_idempotent),
		MADE_TEST(what_is_left_for_a_resume),
		MADE_TEST(pattern_and_stop),
		MADE_TEST(unknown_names),
		MADE_TEST(same_job_twice_records_nothing),
		MADE_TEST(runs_by_prefix),
		MADE_TEST(facts_of_a_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
