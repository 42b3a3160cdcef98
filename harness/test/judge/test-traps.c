// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traps that consoles set for a judge, those that no other test is about. The
 * table of all of them, and which test is about each, is in doc/judge.md.
 */
#include "test/judge/example.h"

#include "base/alloc.h"

#define NO_INIT	      "Kernel panic - not syncing: No working init found.  Try passing init=\n"
#define NO_INIT_TITLE "panic: No working init found"

/* The options that make a kernel panic, wherever somebody quotes a command line. */
static void quoted_command_lines_are_no_panic(void **state)
{
	static const char *const quotes[] = {
		"append: root=/dev/mmcblk0p2 rw panic=10 oops=panic\n",
		"Append: root=/dev/mmcblk0p2 rw panic=10\n",
		"[    0.000000] Kernel command line: root=/dev/vda panic=-1 panic_on_warn=1 "
		"hung_task_panic=1 softlockup_panic=1\n",
		"[    0.000000] Unknown kernel command line parameters \"nosplash panic_on_oom\", "
		"will be passed to user space.\n",
		"[    31.415] Kernel command line: root=/dev/vda panic=10 oops=panic\n",
		"kernel.panic_on_oops = 1\n",
		"kernel.hung_task_panic = 1\n",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(quotes); i++) {
		char *text __free(str) = xasprintf(USERSPACE "%s", quotes[i]);
		const struct example x = {quotes[i], text, OUTCOME_USERSPACE_REACHED,
					  STAGE_USERSPACE_B, NULL};

		assert_true(example_holds(&x));
	}
}

/* A vendor's clock runs from the firmware on; a firmware prints stamps as a kernel does. */
static const struct example stamps[] = {
	{"the first stamp is not zero",
	 "[    0.962541] Booting Linux on physical CPU 0x0\n"
	 "[    0.962560] Linux version 5.10.110 (builder@host)\n"
	 "[    1.162560] smp: Brought up 1 node, 8 CPUs\nhost login: \n",
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
	{"the first stamp is minutes old",
	 "U-Boot 2025.07 (Sep 13 2025 - 12:07:31 +0000)\nStarting kernel ...\n"
	 "[  161.000000] Booting Linux on physical CPU 0x0\n"
	 "[  161.000100] Linux version 6.1.75 (builder@host)\n" NO_INIT,
	 OUTCOME_PANIC, STAGE_EARLY, NO_INIT_TITLE},
	{"no stamps at all",
	 "Booting Linux on physical CPU 0x0\nLinux version 6.6.0 (builder@host)\n"
	 "smp: Brought up 1 node, 1 CPU\nRun /init as init process\nhost login: \n",
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
	{"a firmware's stamps are no kernel's",
	 "[     0.000000] INFO:    BL31: v1.3(debug)\n"
	 "[     0.000000] NOTICE:  BL31: v1.3(debug)\n[     0.000120] INFO:    GIC init\n",
	 OUTCOME_INFRA_ERROR, STAGE_FIRMWARE, "infra-error: no kernel was started"},
	{"stamps that go back without another kernel",
	 USERSPACE "[   61.000000] systemd-journald[1]: Time jumped backwards, rotating.\n"
		   "[   12.000000] systemd[1]: Started Daily Cleanup.\n",
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
};

static void stamps_prove_nothing(void **state)
{
	all_hold(stamps, ARRAY_SIZE(stamps));
}

static const struct example interleaved[] = {
	{"inside a coloured status line",
	 USERSPACE "[\x1b[0;1;31mFAILED\x1b[0m] Failed to st[   11.814680] Unable to handle kernel "
		   "NULL pointer dereference at virtual address 0000000000000010\n"
		   "art Some Daemon.\n[   11.9] pc : probe_it+0x1/0x2\n" END,
	 OUTCOME_DEGRADED, STAGE_USERSPACE_B, "degraded: NULL pointer dereference in probe_it"},
	{"a syndrome inside a word",
	 BOOT "Unable to handle kernel paging request at virtual address ffff000000000000\n"
	      "See 'systemctl status x' for detai[    1.2]   ESR = 0x0000000096000005\nls.\n"
	      "[    1.3] pc : probe_it+0x1/0x2\n" END,
	 OUTCOME_PANIC, STAGE_KERNEL_INIT,
	 "unable to handle kernel paging request in probe_it (DABT, translation fault)"},
	{"cut by another CPU's line",
	 BOOT "[    1.5] Kernel panic - not sync[    1.5] CPU2: stopping\ning: it\n", OUTCOME_PANIC,
	 STAGE_KERNEL_INIT, "panic"},
	{"twice, by way of syslogd",
	 USERSPACE "Message from syslogd@host at Jul  7 00:27:08 ...\n"
		   " kernel:[  233.001921] Internal error: : 96000210 [#1] SMP\n"
		   "[  233.001921] Internal error: : 96000210 [#1] SMP\n"
		   "[  233.001922] pc : read_it+0x1/0x2\n" END
		   "[  233.1] Kernel panic - not syncing: Fatal exception\n",
	 OUTCOME_PANIC, STAGE_USERSPACE_B, NULL},
};

static void interleaved_sentences_are_found(void **state)
{
	struct verdict *v __free(verdict) = judge_text(interleaved[3].console);

	all_hold(interleaved, 3);
	/* One fault, told twice: one title, and the panic that followed. */
	assert_int_equal(v->outcome, OUTCOME_PANIC);
	assert_int_equal(v->n_consequences, 1);
	assert_string_equal(v->consequences[0], "panic: Fatal exception");
}

/* Some terminals fill a line with blanks up to their width instead of ending it. */
static void padding_is_no_text(void **state)
{
	struct buf text __free_buf = BUF_INIT;
	struct verdict *v __free(verdict) = NULL;

	buf_addf(&text, BOOT "%-80s\r\n%-80s\r\n", "[    1.7] CPU: 0 PID: 1 Comm: swapper/0",
		 "[    1.7] Kernel panic - not syncing: No working init found.");
	v = judge_bytes(text.data, text.len);
	assert_int_equal(v->outcome, OUTCOME_PANIC);
	assert_string_equal(v->signature, NO_INIT_TITLE);
}

static const struct example damaged[] = {
	{"bytes lost before",
	 BOOT
	 "[    1.1] Bridge firewalling registerANALOG\n[    1.2] mmcblk0: p[    1.2] mmc1: new "
	 "high speed\n[    1.7] " NO_INIT,
	 OUTCOME_PANIC, STAGE_KERNEL_INIT, NO_INIT_TITLE},
	{"its end lost", BOOT "[    1.7] Kernel panic - not syncin", OUTCOME_PANIC,
	 STAGE_KERNEL_INIT, "panic"},
	{"its stamp lost", BOOT "1.710132] " NO_INIT, OUTCOME_PANIC, STAGE_KERNEL_INIT,
	 NO_INIT_TITLE},
	{"garbage of another baud rate",
	 "\xb2\xe4\x1b\x9d\xff\x8a\xf2\x1b\xe6\n\x80\x81" BOOT "\xfe\xfd\xb3[    1.7] " NO_INIT,
	 OUTCOME_PANIC, STAGE_KERNEL_INIT, NO_INIT_TITLE},
};

static void damage_around_it_does_not_hide_it(void **state)
{
	all_hold(damaged, ARRAY_SIZE(damaged));
}

/* A string function would stop at the first one. */
static void nul_hides_nothing(void **state)
{
	static const char text[] =
		"\0\0[    0.0] Linux version 7.2.6 (a@b)\r\0\n\x04\x0e\x12\0Kernel "
		"panic - not \0syncing: No working init found.\0\n\0";
	struct verdict *v __free(verdict) = judge_bytes(text, sizeof(text));

	assert_int_equal(v->outcome, OUTCOME_PANIC);
	assert_string_equal(v->signature, NO_INIT_TITLE);
	/* The bytes that decided, of the log as it is. */
	assert_memory_equal(text + v->ranges[0].start, "Kernel panic", 12);
	assert_memory_equal(text + v->ranges[0].end - 2, ".\0", 2);
}

#define UBOOT "U-Boot 2025.07 (Sep 13 2025 - 12:07:31 +0000)\n"

static const struct example firmware[] = {
	{"TF-A's register dump",
	 "NOTICE:  BL31: v2.10.0(debug)\nUnhandled Exception in EL3.\nx30            = 0x0000000000"
	 "\nelr_el3        = 0x000000000004fe38\nesr_el3        = 0x00000000be000011\n",
	 OUTCOME_INFRA_ERROR, STAGE_FIRMWARE, "infra-error: no kernel was started"},
	{"a call trace of SPL's",
	 "U-Boot SPL 2025.07 (Sep 13 2025 - 12:07:31 +0000)\n\"Synchronous Abort\" handler, esr "
	 "0x96000004\nCall trace:\n  PC:   [< 00000000 >]\nlr : 0000000000201b34\n",
	 OUTCOME_INFRA_ERROR, STAGE_FIRMWARE, "infra-error: no kernel was started"},
	{"errors that a board lives with",
	 "NOTICE:  BL31: v2.10.0(debug)\nERROR:   RSB: set run-time address: 0x10003\n"
	 "ERROR:   Could not init RSB: -2\n" UBOOT "mmc_init: -123, time 2\n"
	 "Starting kernel ...\n" USERSPACE,
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
	{"a script that failed and went on",
	 UBOOT "** File not found /dtb/rockchip/x.dtb **\nSCRIPT FAILED: continuing...\n"
	       "Starting kernel ...\n" USERSPACE,
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
};

static void firmware_is_no_kernel(void **state)
{
	all_hold(firmware, ARRAY_SIZE(firmware));
}

/* Older loaders stop, newer ones reset: one fault, so one title. */
static void ending_does_not_name_the_fault(void **state)
{
	struct verdict *stops __free(verdict) =
		judge_text(UBOOT "Could not find a valid device tree\n- hanging -\n");
	struct verdict *resets __free(verdict) =
		judge_text(UBOOT "Could not find a valid device tree\nresetting ...\n" UBOOT
				 "Could not find a valid device tree\nresetting ...\n");

	assert_int_equal(stops->outcome, OUTCOME_LOAD_FAILED);
	assert_int_equal(resets->outcome, OUTCOME_LOAD_FAILED);
	assert_string_equal(stops->signature, resets->signature);
}

/* The right userspace appears, but by way of the firmware. */
static void pivot_that_rebooted_is_a_reset(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_PIVOT);
	a_is_up(&s);
	passes(&s, MARK_JUMP);
	says(&s, "DDR 2f85f4b2d4 cym 24/11/07-19:07:28,fwver: v1.09");
	says(&s, "[    0.000000] Booting Linux on physical CPU 0x0000000000 [0x410fd083]");
	says(&s, "kjump: userspace of profile desktop on 7.2.6");
	comes_to(&s, OUTCOME_RESET, STAGE_SHUTDOWN, "reset: in shutdown");
}

/* The firmware could not load B, and nobody waits for ever. */
static void limit_does_not_name_a_load_error(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_REBOOT);
	a_is_up(&s);
	passes(&s, MARK_JUMP);
	says(&s, "[   12.000000] reboot: Restarting system");
	says(&s, "U-Boot 2025.07 (Sep 13 2025 - 12:07:31 +0000)");
	says(&s, "** File not found /boot/Image **");
	runs_out(&s, "jump");
	comes_to(&s, OUTCOME_LOAD_FAILED, STAGE_FIRMWARE,
		 "load-failed: the boot loader does not find /boot/Image");
}

/* A load that said no, and a jump into what an earlier one left: B's name decides. */
static void stale_image_is_the_wrong_target(void **state)
{
	struct story s;

	story_new(&s, false, JUMP_KEXEC);
	b_is_up(&s);
	checks(&s, "release", "7.2.9", "6.12");
	passes(&s, MARK_B_PROVEN);
	comes_to(&s, OUTCOME_WRONG_TARGET, STAGE_USERSPACE_B,
		 "wrong-target: release is 6.12, expected 7.2.9");
}

static const struct example shells[] = {
	{"a root that never comes", BOOT "[    2.0] Waiting for root device /dev/mmcblk0p2...\n",
	 OUTCOME_HANG, STAGE_KERNEL_INIT, "hang: silent in kernel-init"},
	{"a shell's prompt without a newline",
	 BOOT "Loading, please wait...\n(initramfs) [    9.1] usb 1-1: new device", OUTCOME_HANG,
	 STAGE_INITRAMFS, "hang: in initramfs: the shell of the initramfs"},
	{"a kernel line in the password's prompt",
	 BOOT "host login: root\nPassword: mtrr: type mismatch for e0000000\n",
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
};

static void shells_that_are_no_userspace(void **state)
{
	all_hold(shells, ARRAY_SIZE(shells));
}

static const struct example wordings[] = {
	{"a lockup that goes on for minutes",
	 BOOT "watchdog: BUG: soft lockup - CPU#1 stuck for 26s! [udevadm:181]\npc : walk+0x4/0x8\n"
	      "watchdog: BUG: soft lockup - CPU#1 stuck for 842s! [udevadm:181]\n"
	      "pc : walk+0x8/0x8\n",
	 OUTCOME_HANG, STAGE_INITRAMFS, "BUG: soft lockup in walk"},
	{"a task that hangs after minutes",
	 BOOT "INFO: task swapper/0:1 blocked for more than 244 seconds.\n"
	      "task:swapper/0       state:D stack:0     pid:1     tgid:1\nCall trace:\n"
	      " __switch_to+0x1/0x2\n wait_for_completion+0x1/0x2\n deferred_probe+0x1/0x2\n",
	 OUTCOME_HANG, STAGE_KERNEL_INIT, "INFO: task swapper/N hung in deferred_probe"},
	{"one CPU that is stuck", BOOT "CPU3: is stuck in kernel\nhost login: \n", OUTCOME_DEGRADED,
	 STAGE_USERSPACE_B, "degraded: a CPU did not come up"},
	{"a long expedited stall",
	 BOOT "rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 1-... } 5250 "
	      "jiffies s: 85 root: 0x2/.\n",
	 OUTCOME_HANG, STAGE_KERNEL_INIT, "INFO: rcu_preempt detected stalls"},
};

static void wording_decides(void **state)
{
	all_hold(wordings, ARRAY_SIZE(wordings));
}

static const struct example endings[] = {
	{"one line that warned, and silence long after",
	 "[    0.000000] Linux version 7.2.6 (builder@host)\nCPU3: failed to come online\n"
	 "smp: Brought up 1 node, 3 CPUs\ndevtmpfs: initialized\n",
	 OUTCOME_HANG, STAGE_KERNEL_INIT,
	 "hang: silent in kernel-init after a CPU did not come up"},
	{"inside the report of a warning",
	 BOOT "WARNING: CPU: 3 PID: 91 at drivers/base/core.c:12 put_it+0x6c/0xa0\n"
	      "pc : put_it+0x6c/0xa0\nlr : other+0x1/0x2\n",
	 OUTCOME_DEGRADED, STAGE_KERNEL_INIT, "degraded: WARNING at drivers/base/core.c:12 put_it"},
};

/* Where a log ends in a report, nobody knows what came after; elsewhere it is silence. */
static void an_end_in_a_report_is_no_silence(void **state)
{
	struct verdict *silent __free(verdict) = judge_text(endings[0].console);
	struct verdict *cut __free(verdict) = judge_text(endings[1].console);

	all_hold(endings, ARRAY_SIZE(endings));
	assert_false(silent->truncated);
	assert_true(cut->truncated);
}

static const struct example unstarted[] = {
	{"firmware that a CPU model stops",
	 "UEFI firmware (version edk2-stable202511 built at 00:00:00 on Nov 1 2025)\n",
	 OUTCOME_INFRA_ERROR, STAGE_FIRMWARE, "infra-error: no kernel was started"},
	{"a board that is silent", "", OUTCOME_INFRA_ERROR, STAGE_POWER,
	 "infra-error: no kernel was started"},
	{"QEMU that refuses",
	 "qemu-system-aarch64: kernel 'Image' is too large to fit in RAM (kernel size 51380224, "
	 "RAM "
	 "size 33554432)\n",
	 OUTCOME_INFRA_ERROR, STAGE_POWER, NULL},
};

static void nothing_of_a_kernel_proves_nothing(void **state)
{
	struct verdict *refused __free(verdict) = judge_text(unstarted[2].console);

	all_hold(unstarted, 2);
	assert_int_equal(refused->outcome, OUTCOME_INFRA_ERROR);
	assert_non_null(strstr(refused->signature, "too large to fit in RAM"));
}

/* What is typed is lost, or what is heard: the console failed, not the kernel. */
static void lost_console_is_no_hang(void **state)
{
	struct story s;
	struct verdict *v __free(verdict) = NULL;

	story_new(&s, false, JUMP_KEXEC);
	a_leaves(&s);
	hangs_up(&s);
	breaks(&s, "the console was lost");
	v = ends(&s);
	assert_int_equal(v->outcome, OUTCOME_INFRA_ERROR);
	assert_string_equal(v->signature, "infra-error: the console was lost");
}

/* One errno, two C libraries; one errno, two causes. */
static void errno_has_many_names(void **state)
{
	static const char *const reasons[] = {
		"kexec_load failed: Cannot assign requested address\n",
		"kexec_load failed: Address not available\n",
		"kexec_load failed: Device or resource busy\n",
		"kexec_load failed: Resource busy\n",
		"Can't kexec: CPUs are stuck in the kernel.\n",
	};
	struct verdict *v[ARRAY_SIZE(reasons)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		struct story s;

		story_new(&s, false, JUMP_KEXEC);
		a_is_up(&s);
		passes(&s, MARK_LOAD);
		passes_with(&s, MARK_LOAD_FAILED, reasons[i]);
		v[i] = ends(&s);
		assert_int_equal(v[i]->outcome, OUTCOME_LOAD_FAILED);
	}
	assert_string_equal(v[0]->signature, v[1]->signature);
	assert_string_equal(v[2]->signature, v[3]->signature);
	assert_string_not_equal(v[0]->signature, v[2]->signature);
	assert_string_not_equal(v[2]->signature, v[4]->signature);
	for (i = 0; i < ARRAY_SIZE(reasons); i++)
		verdict_free(v[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quoted_command_lines_are_no_panic),
		cmocka_unit_test(stamps_prove_nothing),
		cmocka_unit_test(interleaved_sentences_are_found),
		cmocka_unit_test(padding_is_no_text),
		cmocka_unit_test(damage_around_it_does_not_hide_it),
		cmocka_unit_test(nul_hides_nothing),
		cmocka_unit_test(firmware_is_no_kernel),
		cmocka_unit_test(ending_does_not_name_the_fault),
		cmocka_unit_test(limit_does_not_name_a_load_error),
		cmocka_unit_test(pivot_that_rebooted_is_a_reset),
		cmocka_unit_test(stale_image_is_the_wrong_target),
		cmocka_unit_test(shells_that_are_no_userspace),
		cmocka_unit_test(wording_decides),
		cmocka_unit_test(an_end_in_a_report_is_no_silence),
		cmocka_unit_test(nothing_of_a_kernel_proves_nothing),
		cmocka_unit_test(lost_console_is_no_hang),
		cmocka_unit_test(errno_has_many_names),
	};

	return cmocka_run_group_tests(tests, load_rules, drop_rules);
}
