// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the machine's state says, seen through a debug port.
 */
#include "test/judge/attempt.h"

#define PLACE "relocation writes 0x... not mapped in the transitional table (level 3)"

static void sees(struct story *s, enum probe_what what, const char *title, const char *text)
{
	tell(s, (struct event){.type = EVENT_PROBE, .probe = {what, title, text, NULL}});
}

static void proof_decides_at_once(void **state)
{
	struct story s;
	struct verdict *v __free(verdict) = NULL;

	story_new(&s, false, JUMP_KEXEC);
	a_leaves(&s);
	passes(&s, MARK_RELOCATE);
	sees(&s, PROBE_EXCEPTION, "data abort", NULL);
	assert_false(judge_settled(s.judge));
	sees(&s, PROBE_PROVEN, PLACE, "It loops at its vector.\nPC\t0x200");
	assert_true(judge_settled(s.judge));
	runs_out(&s, "silence");
	v = ends(&s);
	assert_int_equal(v->outcome, OUTCOME_HANG);
	assert_int_equal(v->proof, PROOF_PROVEN);
	assert_int_equal(v->stage, STAGE_RELOCATE);
	assert_string_equal(v->signature, "hang: " PLACE);
	assert_string_equal(v->detail, "It loops at its vector.");
}

static void suspicion_ends_nothing(void **state)
{
	struct story s;
	struct verdict *v __free(verdict) = NULL;

	story_new(&s, false, JUMP_KEXEC);
	a_leaves(&s);
	sees(&s, PROBE_SUSPECTED, "CPU 1 spins", "It spins.\nPC\t0x200");
	assert_false(judge_settled(s.judge));
	runs_out(&s, "silence");
	v = ends(&s);
	assert_int_equal(v->outcome, OUTCOME_HANG);
	assert_int_equal(v->proof, PROOF_SUSPECTED);
	assert_string_equal(v->signature, "hang: suspected: CPU N spins");
	assert_string_equal(v->detail, "It spins.");
}

/* A suspicion without a sentence: at least which limit passed. */
static void suspicion_has_particulars(void **state)
{
	struct story s;
	struct verdict *v __free(verdict) = NULL;

	story_new(&s, false, JUMP_KEXEC);
	a_leaves(&s);
	sees(&s, PROBE_SUSPECTED, "CPU 1 spins", NULL);
	runs_out(&s, "silence");
	v = ends(&s);
	assert_string_equal(v->signature, "hang: suspected: CPU N spins");
	assert_string_equal(v->detail, "no end within the limit 'silence' of 30000 ms");
}

static void what_moved_on_was_no_hang(void **state)
{
	struct story s;
	struct verdict *v __free(verdict) = NULL;

	story_new(&s, false, JUMP_KEXEC);
	a_leaves(&s);
	sees(&s, PROBE_SUSPECTED, "CPU 1 spins", NULL);
	passes(&s, MARK_RELOCATE);
	passes(&s, MARK_PURGATORY);
	runs_out(&s, "silence");
	v = ends(&s);
	assert_int_equal(v->proof, PROOF_SILENT);
	assert_string_equal(v->signature, "hang: silent in purgatory");
}

static void suspect_that_came_up_is_forgiven(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	a_leaves(&s);
	sees(&s, PROBE_SUSPECTED, "CPU 1 spins", NULL);
	passes(&s, MARK_B_UP);
	passes(&s, MARK_B_PROVEN);
	comes_to(&s, OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL);
}

static void phases_are_stages(void **state)
{
	struct story s;
	struct verdict *v __free(verdict) = NULL;

	story_new(&s, false, JUMP_KEXEC);
	a_leaves(&s);
	passes(&s, MARK_RELOCATE);
	passes(&s, MARK_PURGATORY);
	assert_int_equal(judge_stage(s.judge), STAGE_PURGATORY);
	passes(&s, MARK_ENTRY);
	assert_int_equal(judge_stage(s.judge), STAGE_ENTRY);
	passes(&s, MARK_MMU_ON);
	passes(&s, MARK_B_KERNEL);
	assert_int_equal(judge_stage(s.judge), STAGE_EARLY);
	passes(&s, MARK_B_UP);
	passes(&s, MARK_B_PROVEN);
	v = ends(&s);
	assert_true(v->stage_ns[STAGE_RELOCATE] < v->stage_ns[STAGE_PURGATORY]);
	assert_true(v->stage_ns[STAGE_PURGATORY] < v->stage_ns[STAGE_ENTRY]);
	assert_true(v->stage_ns[STAGE_ENTRY] < v->stage_ns[STAGE_EARLY]);
}

/* Either the tables or their check is wrong: a person has to know. */
static void findings_are_not_forgotten(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	a_loads_b(&s);
	sees(&s, PROBE_TABLES_BAD, "tables: destination page not mapped (level 3)", NULL);
	passes(&s, MARK_JUMP);
	passes(&s, MARK_B_UP);
	passes(&s, MARK_B_PROVEN);
	comes_to(&s, OUTCOME_DEGRADED, STAGE_USERSPACE_B,
		 "degraded: tables: destination page not mapped (level 3)");
}

static void findings_stand_beside_the_hang(void **state)
{
	struct story s;
	struct verdict *v __free(verdict) = NULL;

	story_new(&s, false, JUMP_KEXEC);
	a_loads_b(&s);
	sees(&s, PROBE_TABLES_BAD, "tables: destination page not mapped (level 3)", NULL);
	passes(&s, MARK_JUMP);
	passes(&s, MARK_RELOCATE);
	sees(&s, PROBE_PROVEN, PLACE, NULL);
	v = ends(&s);
	assert_string_equal(v->signature, "hang: " PLACE);
	assert_int_equal(v->n_degradations, 1);
	assert_string_equal(v->degradations[0], "tables: destination page not mapped (level 3)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proof_decides_at_once),
		cmocka_unit_test(suspicion_ends_nothing),
		cmocka_unit_test(suspicion_has_particulars),
		cmocka_unit_test(what_moved_on_was_no_hang),
		cmocka_unit_test(suspect_that_came_up_is_forgiven),
		cmocka_unit_test(phases_are_stages),
		cmocka_unit_test(findings_are_not_forgotten),
		cmocka_unit_test(findings_stand_beside_the_hang),
	};

	return cmocka_run_group_tests(tests, load_rules, drop_rules);
}
