// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The script's side: marks, checks, limits and the machine, with a console
 * that says little.
 */
#include "test/judge/attempt.h"

static void proven_is_reached(void **state)
{
	struct story s;
	struct verdict *v __free(verdict) = NULL;

	story_new(&s, false, JUMP_KEXEC);
	b_is_up(&s);
	assert_false(judge_settled(s.judge));
	checks(&s, "release", "7.2.6", "7.2.6");
	checks(&s, "cpus", "1", "1");
	passes(&s, MARK_B_PROVEN);
	assert_true(judge_settled(s.judge));
	v = ends(&s);
	assert_int_equal(v->outcome, OUTCOME_USERSPACE_REACHED);
	assert_int_equal(v->stage, STAGE_USERSPACE_B);
	assert_null(v->signature);
	assert_int_not_equal(v->load_ns, TIME_UNSEEN);
	assert_int_not_equal(v->userspace_ns, TIME_UNSEEN);
	assert_true(v->userspace_ns < v->stage_ns[STAGE_USERSPACE_B]);
	assert_true(v->stage_ns[STAGE_RELOCATE] > v->jump_ns);
	assert_true(v->stage_ns[STAGE_EARLY] > v->stage_ns[STAGE_RELOCATE]);
	assert_int_equal(v->stage_ns[STAGE_PURGATORY], TIME_UNSEEN);
}

/* What A's kernel said before the jump is no stage of B's and no fault of B's. */
static void a_is_not_b(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	passes(&s, MARK_POWER_ON);
	says(&s, "WARNING: CPU: 0 PID: 1 at kernel/foo.c:1 foo+0x1/0x2");
	assert_int_equal(judge_stage(s.judge), STAGE_POWER);
	a_leaves(&s);
	assert_int_equal(judge_stage(s.judge), STAGE_RELOCATE);
	passes(&s, MARK_B_UP);
	passes(&s, MARK_B_PROVEN);
	comes_to(&s, OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL);
}

static void wrong_release_is_wrong_target(void **state)
{
	struct story s;
	struct verdict *v __free(verdict) = NULL;

	story_new(&s, false, JUMP_KEXEC);
	b_is_up(&s);
	checks(&s, "release", "7.2.9", "7.2.6");
	checks(&s, "uptime", "fresh", "continued");
	checks(&s, "cpus", "4", "1");
	passes(&s, MARK_B_PROVEN);
	v = ends(&s);
	assert_int_equal(v->outcome, OUTCOME_WRONG_TARGET);
	assert_string_equal(v->signature, "wrong-target: release is 7.2.6, expected 7.2.9");
	assert_int_equal(v->n_consequences, 1);
	assert_string_equal(v->consequences[0], "uptime is continued, expected fresh");
}

static void missing_cpu_is_degraded(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	b_is_up(&s);
	checks(&s, "release", "7.2.6", "7.2.6");
	checks(&s, "cpus", "4", "3");
	passes(&s, MARK_B_PROVEN);
	comes_to(&s, OUTCOME_DEGRADED, STAGE_USERSPACE_B, "degraded: cpus is 3, expected 4");
}

static void warning_of_b_is_degraded(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	b_boots(&s);
	says(&s, "[    0.6] WARNING: CPU: 0 PID: 1 at kernel/foo.c:12 foo+0x1/0x2");
	says(&s, "[    0.7] ---[ end trace 0000000000000000 ]---");
	passes(&s, MARK_B_UP);
	passes(&s, MARK_B_PROVEN);
	comes_to(&s, OUTCOME_DEGRADED, STAGE_USERSPACE_B,
		 "degraded: WARNING at kernel/foo.c:12 foo");
}

static void oops_that_b_survives_is_degraded(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	b_boots(&s);
	says(&s, "Unable to handle kernel NULL pointer dereference at virtual address "
		 "0000000000000018");
	says(&s, "  ESR = 0x0000000096000004");
	says(&s, "Internal error: Oops: 0000000096000004 [#1] SMP");
	says(&s, "pc : foo_probe.isra.0+0x10/0x20 [foo]");
	says(&s, "---[ end trace 0000000000000000 ]---");
	assert_false(judge_settled(s.judge));
	passes(&s, MARK_B_UP);
	passes(&s, MARK_B_PROVEN);
	comes_to(&s, OUTCOME_DEGRADED, STAGE_USERSPACE_B,
		 "degraded: NULL pointer dereference in foo_probe (DABT, translation fault)");
}

static void oops_and_then_nothing_is_a_panic(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	b_boots(&s);
	says(&s, "Unable to handle kernel paging request at virtual address ffffffbefe638000");
	says(&s, "pc : __create_pgd_mapping+0x31c/0x5fc");
	runs_out(&s, "jump");
	comes_to(&s, OUTCOME_PANIC, STAGE_KERNEL_INIT,
		 "unable to handle kernel paging request in __create_pgd_mapping");
}

static void load_error_is_load_failed(void **state)
{
	struct story s;
	struct verdict *v __free(verdict) = NULL;

	story_new(&s, false, JUMP_KEXEC);
	a_is_up(&s);
	passes(&s, MARK_LOAD);
	says(&s, "[   10.000000] Can't kexec: CPUs are stuck in the kernel.");
	says(&s, "kexec_load failed: Device or resource busy");
	passes_with(&s, MARK_LOAD_FAILED,
		    "kexec_load failed: Resource busy\nentry       = 0x3d9d690 flags = 0xb70000\n");
	assert_true(judge_settled(s.judge));
	v = ends(&s);
	assert_int_equal(v->outcome, OUTCOME_LOAD_FAILED);
	assert_int_equal(v->stage, STAGE_LOAD);
	assert_string_equal(v->signature,
			    "load-failed: kexec_load failed: Device or resource busy");
	assert_int_equal(v->n_consequences, 1);
	assert_string_equal(v->consequences[0], "Can't kexec: CPUs are stuck in the kernel");
}

static void unknown_load_error_is_quoted(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	a_is_up(&s);
	passes(&s, MARK_LOAD);
	passes_with(&s, MARK_LOAD_FAILED,
		    "\n something new at 0xffff800080000000\x1b[2J\xff\nmore\n");
	comes_to(&s, OUTCOME_LOAD_FAILED, STAGE_LOAD, "load-failed:  something new at ADDR\\xff");
}

static void oops_in_the_load_is_load_failed(void **state)
{
	struct story s;
	size_t i;

	/* However the shell takes it: killed, no answer, or the kernel gives up. */
	for (i = 0; i < 3; i++) {
		story_new(&s, false, JUMP_KEXEC);
		a_is_up(&s);
		passes(&s, MARK_LOAD);
		says(&s,
		     "Unable to handle kernel paging request at virtual address 0001800000000000");
		says(&s, "pc : trans_pgd_create_copy+0x31c/0x5fc");
		says(&s, "---[ end trace 0000000000000000 ]---");
		if (i == 0)
			passes_with(&s, MARK_LOAD_FAILED, "Segmentation fault");
		else if (i == 1)
			runs_out(&s, "load");
		else
			says(&s, "Kernel panic - not syncing: Oops: Fatal exception");
		comes_to(&s, OUTCOME_LOAD_FAILED, STAGE_LOAD,
			 "load-failed: oops in trans_pgd_create_copy");
	}
}

static void transient_load_error_is_forgotten(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	a_is_up(&s);
	passes(&s, MARK_LOAD);
	says(&s, "kexec_load failed: Device or resource busy");
	passes(&s, MARK_LOADED);
	passes(&s, MARK_JUMP);
	passes(&s, MARK_B_UP);
	passes(&s, MARK_B_PROVEN);
	comes_to(&s, OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL);
}

static void silence_is_a_hang_where_it_began(void **state)
{
	struct story s;
	struct verdict *v __free(verdict) = NULL;

	story_new(&s, false, JUMP_KEXEC);
	a_leaves(&s);
	runs_out(&s, "jump");
	v = ends(&s);
	assert_int_equal(v->outcome, OUTCOME_HANG);
	assert_int_equal(v->proof, PROOF_SILENT);
	assert_string_equal(v->signature, "hang: silent in relocate");
	assert_non_null(strstr(v->detail, "30000 ms"));
	assert_non_null(strstr(v->last_lines, "Bye!"));
}

static void stall_is_a_suspected_hang(void **state)
{
	struct story s;
	struct verdict *v __free(verdict) = NULL;

	story_new(&s, false, JUMP_KEXEC);
	b_boots(&s);
	says(&s, "watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [swapper/1:0]");
	says(&s, "pc : foo_wait+0x1/0x2");
	assert_false(judge_settled(s.judge));
	runs_out(&s, "jump");
	v = ends(&s);
	assert_int_equal(v->outcome, OUTCOME_HANG);
	assert_int_equal(v->proof, PROOF_SUSPECTED);
	assert_string_equal(v->signature, "BUG: soft lockup in foo_wait");
}

static void a_that_does_not_come_up_proves_nothing(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	passes(&s, MARK_POWER_ON);
	runs_out(&s, "boot");
	comes_to(&s, OUTCOME_INFRA_ERROR, STAGE_POWER, "infra-error: A did not come up");
}

static void a_that_panics_is_a_panic(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	passes(&s, MARK_POWER_ON);
	says(&s, "Linux version 7.2.6 (builder@host)");
	says(&s, "Kernel panic - not syncing: No working init found.  Try passing init= option");
	assert_true(judge_settled(s.judge));
	comes_to(&s, OUTCOME_PANIC, STAGE_BOOT_A, "panic: No working init found");
}

static void wrong_a_is_ours_to_fix(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	passes(&s, MARK_POWER_ON);
	passes(&s, MARK_A_UP);
	checks(&s, "release", "7.2.6", "6.1");
	passes(&s, MARK_A_PROVEN);
	comes_to(&s, OUTCOME_INFRA_ERROR, STAGE_USERSPACE_A,
		 "infra-error: A is not what was asked for: release is 6.1, expected 7.2.6");
}

static void panic_titles_the_reset_after_it(void **state)
{
	struct story s;
	struct verdict *v __free(verdict) = NULL;

	story_new(&s, false, JUMP_KEXEC);
	b_boots(&s);
	says(&s, "Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000100");
	machine_says(&s, MACHINE_EVENT_RESET, NULL);
	v = ends(&s);
	assert_int_equal(v->outcome, OUTCOME_PANIC);
	assert_string_equal(v->signature, "panic: Attempted to kill init (exit status 1)");
}

static void reset_without_a_word_is_a_reset(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	b_boots(&s);
	machine_says(&s, MACHINE_EVENT_RESET, NULL);
	assert_true(judge_settled(s.judge));
	comes_to(&s, OUTCOME_RESET, STAGE_KERNEL_INIT, "reset: in kernel-init");
}

static void reset_that_was_asked_for_is_none(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_REBOOT);
	a_is_up(&s);
	passes(&s, MARK_JUMP);
	says(&s, "[   20.000000] reboot: Restarting system");
	machine_says(&s, MACHINE_EVENT_RESET, NULL);
	passes(&s, MARK_POWER_OFF);
	passes(&s, MARK_B_POWER_ON);
	assert_false(judge_settled(s.judge));
	says(&s, "U-Boot 2023.01 (Jan 01 2023 - 00:00:00 +0000)");
	assert_int_equal(judge_stage(s.judge), STAGE_FIRMWARE);
	says(&s, "Starting kernel ...");
	says(&s, "Booting Linux on physical CPU 0x0");
	passes(&s, MARK_B_UP);
	passes(&s, MARK_B_PROVEN);
	comes_to(&s, OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL);
}

static void second_reset_is_unasked(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_REBOOT);
	a_is_up(&s);
	passes(&s, MARK_JUMP);
	machine_says(&s, MACHINE_EVENT_RESET, NULL);
	passes(&s, MARK_B_POWER_ON);
	says(&s, "Booting Linux on physical CPU 0x0");
	machine_says(&s, MACHINE_EVENT_RESET, NULL);
	comes_to(&s, OUTCOME_RESET, STAGE_EARLY, "reset: in early");
}

/* A kexec that ends in the boot loader fell back to a full reboot. */
static void firmware_after_kexec_is_a_reset(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	a_leaves(&s);
	says(&s, "DDR 2f85f4b2d4 cym 24/11/07-19:07:28,fwver: v1.09");
	comes_to(&s, OUTCOME_RESET, STAGE_RELOCATE, "reset: in relocate");
}

static void harness_errors_prove_nothing(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	b_boots(&s);
	breaks(&s, "the evidence could not be written");
	comes_to(&s, OUTCOME_INFRA_ERROR, STAGE_KERNEL_INIT,
		 "infra-error: the evidence could not be written");

	story_new(&s, false, JUMP_KEXEC);
	b_boots(&s);
	machine_says(&s, MACHINE_EVENT_DIED, "killed by SIGKILL");
	comes_to(&s, OUTCOME_INFRA_ERROR, STAGE_KERNEL_INIT, "infra-error: killed by SIGKILL");

	story_new(&s, false, JUMP_KEXEC);
	b_boots(&s);
	hangs_up(&s);
	comes_to(&s, OUTCOME_INFRA_ERROR, STAGE_KERNEL_INIT, "infra-error: the console was lost");
}

static void kernel_that_had_failed_is_not_excused(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	b_boots(&s);
	says(&s, "kernel BUG at mm/slub.c:448!");
	machine_says(&s, MACHINE_EVENT_DIED, "killed by SIGKILL");
	comes_to(&s, OUTCOME_PANIC, STAGE_KERNEL_INIT, "kernel BUG at mm/slub.c:448");
}

static void monitor_knows_of_a_panic(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	a_leaves(&s);
	machine_says(&s, MACHINE_EVENT_PANIC, NULL);
	comes_to(&s, OUTCOME_PANIC, STAGE_RELOCATE, "panic: the machine was told of a panic");
}

static void pivot_has_no_kernel_stages(void **state)
{
	struct story s;
	struct verdict *v __free(verdict) = NULL;

	story_new(&s, false, JUMP_PIVOT);
	a_is_up(&s);
	passes(&s, MARK_JUMP);
	says(&s, "kjump: userspace of profile desktop on 7.2.6");
	passes(&s, MARK_B_UP);
	passes(&s, MARK_B_PROVEN);
	v = ends(&s);
	assert_int_equal(v->outcome, OUTCOME_USERSPACE_REACHED);
	assert_int_equal(v->stage_ns[STAGE_EARLY], TIME_UNSEEN);
	assert_int_not_equal(v->userspace_ns, TIME_UNSEEN);
}

static void cut_short_is_decided_by_nothing(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	a_leaves(&s);
	comes_to(&s, OUTCOME_INFRA_ERROR, STAGE_RELOCATE,
		 "infra-error: the attempt ended before anything was decided");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proven_is_reached),
		cmocka_unit_test(a_is_not_b),
		cmocka_unit_test(wrong_release_is_wrong_target),
		cmocka_unit_test(missing_cpu_is_degraded),
		cmocka_unit_test(warning_of_b_is_degraded),
		cmocka_unit_test(oops_that_b_survives_is_degraded),
		cmocka_unit_test(oops_and_then_nothing_is_a_panic),
		cmocka_unit_test(load_error_is_load_failed),
		cmocka_unit_test(unknown_load_error_is_quoted),
		cmocka_unit_test(oops_in_the_load_is_load_failed),
		cmocka_unit_test(transient_load_error_is_forgotten),
		cmocka_unit_test(silence_is_a_hang_where_it_began),
		cmocka_unit_test(stall_is_a_suspected_hang),
		cmocka_unit_test(a_that_does_not_come_up_proves_nothing),
		cmocka_unit_test(a_that_panics_is_a_panic),
		cmocka_unit_test(wrong_a_is_ours_to_fix),
		cmocka_unit_test(panic_titles_the_reset_after_it),
		cmocka_unit_test(reset_without_a_word_is_a_reset),
		cmocka_unit_test(reset_that_was_asked_for_is_none),
		cmocka_unit_test(second_reset_is_unasked),
		cmocka_unit_test(firmware_after_kexec_is_a_reset),
		cmocka_unit_test(harness_errors_prove_nothing),
		cmocka_unit_test(kernel_that_had_failed_is_not_excused),
		cmocka_unit_test(monitor_knows_of_a_panic),
		cmocka_unit_test(pivot_has_no_kernel_stages),
		cmocka_unit_test(cut_short_is_decided_by_nothing),
	};

	return cmocka_run_group_tests(tests, load_rules, drop_rules);
}
