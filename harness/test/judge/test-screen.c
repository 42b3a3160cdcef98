// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whose picture it is: the left system's, nobody's or the new one's.
 */
#include "test/judge/attempt.h"

static void shows(struct story *s, const char *digest, unsigned int lit_ppm)
{
	tell(s, (struct event){.type = EVENT_FRAME,
			       .frame = {.uncertainty_ns = 4000000,
					 .width = 640,
					 .height = 480,
					 .digest = digest,
					 .lit_ppm = lit_ppm,
					 .file = digest}});
}

static void stands(struct story *s, const char *digest, unsigned int lit_ppm)
{
	tell(s, (struct event){.type = EVENT_FRAME,
			       .frame = {.digest = digest,
					 .lit_ppm = lit_ppm,
					 .steady = true,
					 .match = "splash"}});
}

static void shows_placeholder(struct story *s)
{
	tell(s, (struct event){.type = EVENT_FRAME,
			       .frame = {.digest = "none", .lit_ppm = 5000, .placeholder = true}});
}

static struct story told(enum jump_kind kind, bool dark)
{
	const struct judge_opts opts = {.kind = kind, .dark = dark};
	struct story s = {0};

	assert_int_equal(judge_new(rules, &opts, &s.judge, NULL), 0);
	return s;
}

static void proves_b(struct story *s)
{
	says(s, "[    0.000000] Booting Linux on physical CPU 0x0000000000 [0x410fd083]");
	says(s, "kjump: userspace of profile desktop on 7.2.6");
	passes(s, MARK_B_UP);
	checks(s, "release", "7.2.6", "7.2.6");
	passes(s, MARK_B_PROVEN);
}

static void after_the_dark_it_is_new(void **state)
{
	struct story s = told(JUMP_KEXEC, false);
	struct verdict *v __free(verdict) = NULL;
	uint64_t lit_ns;

	shows(&s, "old", 20000);
	a_leaves(&s);
	shows(&s, "old-and-bye", 21000);
	shows_placeholder(&s);
	shows(&s, "new", 100);
	lit_ns = s.t_ns;
	shows(&s, "newer", 200);
	stands(&s, "newer", 200);
	proves_b(&s);
	v = ends(&s);
	assert_int_equal(v->outcome, OUTCOME_USERSPACE_REACHED);
	assert_int_equal(v->milestones[MILESTONE_LIT].t_ns, lit_ns);
	assert_int_equal(v->milestones[MILESTONE_LIT].uncertainty_ns, 4000000);
	assert_string_equal(v->milestones[MILESTONE_LIT].picture, "new");
	assert_int_equal(v->milestones[MILESTONE_DARK].t_ns, lit_ns - 10000000);
	/* Its time is when the picture came, not when it had stood long enough. */
	assert_int_equal(v->milestones[MILESTONE_STABLE].t_ns, lit_ns + 10000000);
	assert_int_equal(v->milestones[MILESTONE_MATCH].t_ns, lit_ns + 10000000);
	assert_int_equal(v->stage_ns[STAGE_FIRST_PIXEL], lit_ns);
	assert_int_equal(v->first_pixel_ns, lit_ns - v->jump_ns);
}

static void what_the_old_one_draws_does_not_count(void **state)
{
	struct story s = told(JUMP_KEXEC, false);
	struct verdict *v __free(verdict) = NULL;

	shows(&s, "old", 20000);
	a_leaves(&s);
	shows(&s, "old-and-bye", 21000);
	runs_out(&s, "jump");
	v = ends(&s);
	assert_int_equal(v->outcome, OUTCOME_HANG);
	assert_int_equal(v->milestones[MILESTONE_LIT].t_ns, TIME_UNSEEN);
	assert_int_equal(v->first_pixel_ns, TIME_UNSEEN);
}

static void without_dark_its_kernel_must_have_spoken(void **state)
{
	struct story s = told(JUMP_KEXEC, false);
	struct verdict *v __free(verdict) = NULL;

	shows(&s, "old", 20000);
	b_boots(&s);
	/* Not new: the old picture on the glass. */
	shows(&s, "old", 20000);
	shows(&s, "new", 100);
	runs_out(&s, "jump");
	v = ends(&s);
	assert_int_equal(v->outcome, OUTCOME_FIRST_PIXEL);
	assert_int_equal(v->stage, STAGE_FIRST_PIXEL);
	assert_string_equal(v->milestones[MILESTONE_LIT].picture, "new");
	assert_int_equal(v->milestones[MILESTONE_DARK].t_ns, TIME_UNSEEN);
}

static void silent_but_lit_is_no_hang(void **state)
{
	struct story s = told(JUMP_KEXEC, false);

	shows(&s, "old", 20000);
	a_leaves(&s);
	stands(&s, "old", 20000);
	shows(&s, "new", 100);
	runs_out(&s, "silence");
	comes_to(&s, OUTCOME_FIRST_PIXEL, STAGE_FIRST_PIXEL,
		 "first-pixel: the display lit, userspace did not answer");
}

static void a_pivot_goes_on_with_the_same_kernel(void **state)
{
	struct story s = told(JUMP_PIVOT, false);
	struct verdict *v __free(verdict) = NULL;

	a_is_up(&s);
	shows(&s, "old", 20000);
	passes(&s, MARK_JUMP);
	shows(&s, "new", 30000);
	runs_out(&s, "jump");
	v = ends(&s);
	assert_string_equal(v->milestones[MILESTONE_LIT].picture, "new");
}

static void lit_where_it_must_stay_dark(void **state)
{
	struct story s = told(JUMP_KEXEC, true);

	shows(&s, "old", 20000);
	a_leaves(&s);
	shows_placeholder(&s);
	shows(&s, "new", 3);
	proves_b(&s);
	comes_to(&s, OUTCOME_DEGRADED, STAGE_USERSPACE_B,
		 "degraded: unexpected-pixel: the display lit, it must stay dark");
}

static void dark_as_it_must(void **state)
{
	struct story s = told(JUMP_KEXEC, true);

	shows(&s, "old", 20000);
	a_leaves(&s);
	shows_placeholder(&s);
	proves_b(&s);
	comes_to(&s, OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_the_dark_it_is_new),
		cmocka_unit_test(what_the_old_one_draws_does_not_count),
		cmocka_unit_test(without_dark_its_kernel_must_have_spoken),
		cmocka_unit_test(silent_but_lit_is_no_hang),
		cmocka_unit_test(a_pivot_goes_on_with_the_same_kernel),
		cmocka_unit_test(lit_where_it_must_stay_dark),
		cmocka_unit_test(dark_as_it_must),
	};

	return cmocka_run_group_tests(tests, load_rules, drop_rules);
}
