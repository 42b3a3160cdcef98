// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bare consoles: what kernel people call what they see, and the traps.
 */
#include "test/judge/example.h"

static const struct example titles[] = {
	{"KASAN",
	 BOOT "BUG: KASAN: slab-use-after-free in uaf_read+0x1a4/0x1f0 [mod]\n"
	      "Read of size 8 at addr ffff0000c1234567 by task kworker/u8:2/45\n"
	      "Kernel panic - not syncing: kernel: panic_on_warn set ...\n",
	 OUTCOME_PANIC, STAGE_KERNEL_INIT, "KASAN: slab-use-after-free in uaf_read"},
	{"KFENCE", USERSPACE "BUG: KFENCE: out-of-bounds read in oob+0xb4/0x15c\n",
	 OUTCOME_DEGRADED, STAGE_USERSPACE_B, "degraded: KFENCE: out-of-bounds read in oob"},
	{"UBSAN", USERSPACE "UBSAN: shift-out-of-bounds in lib/maths.c:77:14\n", OUTCOME_DEGRADED,
	 STAGE_USERSPACE_B, "degraded: UBSAN: shift-out-of-bounds in lib/maths.c:77"},
	{"KCSAN", USERSPACE "BUG: KCSAN: data-race in one_side+0x1/0x2 / other_side+0x3/0x4\n",
	 OUTCOME_DEGRADED, STAGE_USERSPACE_B,
	 "degraded: KCSAN: data-race in one_side / other_side"},
	{"NULL pointer",
	 BOOT
	 "Unable to handle kernel NULL pointer dereference at virtual address 0000000000000010\n"
	 "Mem abort info:\n  ESR = 0x0000000096000006\n"
	 "Internal error: Oops: 0000000096000006 [#1] PREEMPT SMP\n"
	 "CPU: 2 UID: 0 PID: 1 Comm: swapper/0 Not tainted 7.2.6 #1\n"
	 "pc : bad_probe+0x10/0x90\nlr : really_probe+0x1/0x2\nCall trace:\n"
	 " bad_probe+0x10/0x90 (P)\n" END
	 "Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b\n" PANIC_END,
	 OUTCOME_PANIC, STAGE_KERNEL_INIT,
	 "NULL pointer dereference in bad_probe (DABT, translation fault)"},
	{"BUG",
	 BOOT
	 "kernel BUG at mm/slub.c:448!\nInternal error: Oops - BUG: 00000000f2000800 [#1] SMP\n"
	 "pc : set_freepointer+0x1/0x2\n" END,
	 OUTCOME_PANIC, STAGE_KERNEL_INIT, "kernel BUG at mm/slub.c:448 in set_freepointer"},
	{"undefined instruction",
	 BOOT "Internal error: Oops - Undefined instruction: 0000000002000000 [#1] SMP\n"
	      "pc : oops_here+0x8/0x10\n" END,
	 OUTCOME_PANIC, STAGE_KERNEL_INIT, "Oops - Undefined instruction in oops_here"},
	{"WARNING",
	 USERSPACE
	 "WARNING: CPU: 3 PID: 91 at drivers/base/core.c:1234 put_it.isra.0+0x6c/0xa0\n" END,
	 OUTCOME_DEGRADED, STAGE_USERSPACE_B,
	 "degraded: WARNING at drivers/base/core.c:1234 put_it"},
	{"WARNING, 6.19 and later",
	 USERSPACE "WARNING: drivers/base/core.c:1234 at put_it+0x6c/0xa0, CPU#3: udevd/91\n" END,
	 OUTCOME_DEGRADED, STAGE_USERSPACE_B,
	 "degraded: WARNING at drivers/base/core.c:1234 put_it"},
	{"WARNING, then panic_on_warn",
	 BOOT "WARNING: CPU: 3 PID: 91 at drivers/base/core.c:1234 put_it+0x6c/0xa0\n"
	      "Kernel panic - not syncing: kernel: panic_on_warn set ...\n" PANIC_END,
	 OUTCOME_PANIC, STAGE_KERNEL_INIT, "WARNING at drivers/base/core.c:1234 put_it"},
	{"lockdep",
	 USERSPACE "WARNING: possible circular locking dependency detected\n7.2.6 #1 Not tainted\n"
		   "init/1 is trying to acquire lock:\n"
		   "ffff0000c0 (&a->lock){+.+.}-{3:3}, at: take_a+0x20/0x40\n",
	 OUTCOME_DEGRADED, STAGE_USERSPACE_B,
	 "degraded: WARNING: possible circular locking dependency detected in take_a"},
	{"RCU stall",
	 BOOT "rcu: INFO: rcu_sched self-detected stall on CPU\n"
	      "rcu:     1-....: (5249 ticks this GP) idle=3ba/1/0x4000000000000002\n"
	      "pc : spin_for_ever+0x4/0x8\n",
	 OUTCOME_HANG, STAGE_KERNEL_INIT, "INFO: rcu_sched detected stalls in spin_for_ever"},
	{"soft lockup",
	 BOOT
	 "watchdog: BUG: soft lockup - CPU#2 stuck for 26s! [swapper/2:0]\npc : spin+0x4/0x8\n",
	 OUTCOME_HANG, STAGE_KERNEL_INIT, "BUG: soft lockup in spin"},
	{"hung task",
	 BOOT "INFO: task kworker/u4:1:23 blocked for more than 122 seconds.\n"
	      "Call trace:\n __switch_to+0x1/0x2 (T)\n __schedule+0x1/0x2\n schedule+0x1/0x2\n"
	      " stuck_in_driver+0x1/0x2\n",
	 OUTCOME_HANG, STAGE_KERNEL_INIT, "INFO: task kworker/N hung in stuck_in_driver"},
	{"SError",
	 BOOT "SError Interrupt on CPU0, code 0x00000000be000011 -- SError\n"
	      "pc : touch_register+0x4/0x8\n"
	      "Kernel panic - not syncing: Asynchronous SError Interrupt\n" PANIC_END,
	 OUTCOME_PANIC, STAGE_KERNEL_INIT, "SError in touch_register"},
	{"synchronous external abort",
	 BOOT "Internal error: synchronous external abort: 0000000096000210 [#1] SMP\n"
	      "pc : touch_register+0x4/0x8\n" END,
	 OUTCOME_PANIC, STAGE_KERNEL_INIT, "synchronous external abort in touch_register"},
	{"VFS",
	 BOOT "Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)\n",
	 OUTCOME_PANIC, STAGE_KERNEL_INIT,
	 "panic: VFS: Unable to mount root fs on unknown-block(0,0)"},
	{"no init",
	 BOOT "Kernel panic - not syncing: No working init found.  Try passing init= option.\n",
	 OUTCOME_PANIC, STAGE_KERNEL_INIT, "panic: No working init found"},
	{"init killed",
	 BOOT "Kernel panic - not syncing: Attempted to kill init! exitcode=0x00007f00\n",
	 OUTCOME_PANIC, STAGE_KERNEL_INIT, "panic: Attempted to kill init (exit status 127)"},
	{"OOM deadlock", BOOT "Kernel panic - not syncing: System is deadlocked on memory\n",
	 OUTCOME_PANIC, STAGE_KERNEL_INIT, "panic: System is deadlocked on memory"},
	{"page table", BOOT "Kernel panic - not syncing: Failed to allocate page table page\n",
	 OUTCOME_PANIC, STAGE_KERNEL_INIT, "panic: Failed to allocate page table page"},
	{"sysrq",
	 USERSPACE "sysrq: Trigger a crash\nKernel panic - not syncing: sysrq triggered crash\n",
	 OUTCOME_PANIC, STAGE_USERSPACE_B, "panic: sysrq triggered crash"},
};

static void titles_as_kernel_people_write_them(void **state)
{
	all_hold(titles, ARRAY_SIZE(titles));
}

static const struct example harmless[] = {
	{"panic=10", USERSPACE "append: root=/dev/sda1 panic=10 panic_on_warn=1\n",
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
	{"command line", BOOT "Kernel command line: panic=-1 hung_task_panic=1\nhost login: \n",
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
	{"firmware bug",
	 USERSPACE "[Firmware Bug]: CPU0: Kernel panic - not syncing is only text\n",
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
	{"expedited notice",
	 USERSPACE "rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 1-... } 6 "
		   "jiffies s: 85 root: 0x2/.\n",
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
	{"reserved memory",
	 USERSPACE "OF: fdt: Reserved memory: failed to reserve memory for node 'x@0': base 0x0\n",
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
	{"psci", USERSPACE "psci: CPU3 killed (polled 0 ms)\n", OUTCOME_USERSPACE_REACHED,
	 STAGE_USERSPACE_B, NULL},
	{"test names", USERSPACE "ok 7 kernel_panic_test\nnot ok 8 Kernel panic - not syncing\n",
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
	{"OOM is expected",
	 USERSPACE "rcu: Unless it gets CPU time, OOM is now expected behavior.\n",
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
};

static void harmless_lines_never_count(void **state)
{
	all_hold(harmless, ARRAY_SIZE(harmless));
}

#define DDR   "DDR 2f85f4b2d4 cym 24/11/07-19:07:28,fwver: v1.09\nout\n"
#define SPL   "U-Boot SPL 2025.07 (Sep 13 2025 - 12:07:31 +0000)\nTrying to boot from MMC1\n"
#define BL31  "NOTICE:  BL31: v2.10.0(debug)\n"
#define UBOOT "U-Boot 2025.07 (Sep 13 2025 - 12:07:31 +0000)\nHit any key to stop autoboot:  0\n"

static const struct example boots[] = {
	{"early lines after later ones",
	 BOOT "Kernel command line: console=ttyAMA0\nprintk: legacy console [ttyAMA0] enabled\n"
	      "alternatives: applying boot alternatives\nhost login: \n",
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
	{"panic in its own trace",
	 BOOT
	 "Kernel panic - not syncing: sysrq triggered crash\nCall trace:\n show_stack+0x1/0x2 (C)\n"
	 " vpanic+0x1/0x2\n panic+0x1/0x2\n sysrq_handle_crash+0x1/0x2\n" PANIC_END,
	 OUTCOME_PANIC, STAGE_KERNEL_INIT, "panic: sysrq triggered crash"},
	{"whole chain", DDR SPL BL31 UBOOT "Starting kernel ...\n" USERSPACE,
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
	{"firmware only", DDR SPL BL31, OUTCOME_INFRA_ERROR, STAGE_FIRMWARE,
	 "infra-error: no kernel was started"},
	{"nothing", "", OUTCOME_INFRA_ERROR, STAGE_POWER, "infra-error: no kernel was started"},
	{"silence after the boot loader", DDR SPL UBOOT "Starting kernel ...\n", OUTCOME_HANG,
	 STAGE_ENTRY, "hang: silent in entry"},
	{"watchdog loop", DDR SPL DDR SPL DDR SPL, OUTCOME_RESET, STAGE_FIRMWARE,
	 "reset: in firmware"},
	{"reset in the kernel", DDR SPL UBOOT BOOT DDR SPL UBOOT BOOT, OUTCOME_RESET,
	 STAGE_KERNEL_INIT, "reset: in kernel-init"},
	{"reset without firmware's word", BOOT BOOT BOOT, OUTCOME_RESET, STAGE_KERNEL_INIT,
	 "reset: in kernel-init"},
	{"requested reboot",
	 DDR SPL UBOOT USERSPACE "reboot: Restarting system\n" DDR SPL UBOOT BOOT "host login: \n",
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
	{"kexec restarts the stamps",
	 USERSPACE "[   61.0] kexec_core: Starting new kernel\n"
		   "[   61.9] Bye!\n" BOOT "host login: \n",
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
	{"power off by a userspace without a name",
	 BOOT "Run /init as init process\nreboot: Power down\n", OUTCOME_USERSPACE_REACHED,
	 STAGE_INITRAMFS, NULL},
	{"reset by SysRq", USERSPACE "sysrq: Resetting\n", OUTCOME_RESET, STAGE_USERSPACE_B,
	 "reset: in userspace-b"},
	{"silence after Bye!", USERSPACE "[   61.9] Bye!\n", OUTCOME_HANG, STAGE_RELOCATE,
	 "hang: silent in relocate"},
	{"log read back in userspace", USERSPACE BOOT "done\n", OUTCOME_USERSPACE_REACHED,
	 STAGE_USERSPACE_B, NULL},
	{"U-Boot's own abort",
	 UBOOT "\"Synchronous Abort\" handler, esr 0x96000010\nelr: 000000000020a2f4\nCall trace:\n"
	       "  PC:   [< 0020a2f4 >]\nResetting CPU ...\n" UBOOT,
	 OUTCOME_RESET, STAGE_FIRMWARE, "reset: in firmware"},
	{"loader finds no file", UBOOT "** File not found /boot/Image **\n", OUTCOME_LOAD_FAILED,
	 STAGE_FIRMWARE, "load-failed: the boot loader does not find /boot/Image"},
	{"loader tries the next",
	 UBOOT "** File not found /boot/Image **\nStarting kernel ...\n" USERSPACE,
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
	{"initramfs shell",
	 BOOT "Loading, please wait...\nALERT!  /dev/sda9 does not exist.  Dropping to a shell!\n"
	      "(initramfs) ",
	 OUTCOME_HANG, STAGE_INITRAMFS, "hang: in initramfs: the initramfs gave up: no /dev/sda9"},
	{"emergency mode",
	 BOOT "[  OK  ] Reached target Network.\n"
	      "You are in emergency mode. After logging in, type \"journalctl -xb\" to view\n",
	 OUTCOME_DEGRADED, STAGE_USERSPACE_B, "degraded: systemd is in emergency mode"},
	{"failed unit",
	 BOOT
	 "[\x1b[0;1;31mFAILED\x1b[0m] Failed to start Some Daemon.\n[  OK  ] Reached target x.\n",
	 OUTCOME_DEGRADED, STAGE_USERSPACE_B, "degraded: failed unit: Some Daemon"},
	{"missing CPU", BOOT "CPU3: failed to come online\nhost login: \n", OUTCOME_DEGRADED,
	 STAGE_USERSPACE_B, "degraded: a CPU did not come up"},
	{"dropped overlay",
	 UBOOT "failed on fdt_overlay_apply(): FDT_ERR_NOTFOUND\n"
	       "failed on fdt_overlay_apply(): FDT_ERR_BADMAGIC\nStarting kernel ...\n" USERSPACE,
	 OUTCOME_DEGRADED, STAGE_USERSPACE_B,
	 "degraded: a device tree overlay was not applied: FDT_ERR_NOTFOUND"},
	{"prompt in the middle of a line", BOOT "host login: random: crng init done\n",
	 OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, NULL},
};

static void boots_of_all_kinds(void **state)
{
	all_hold(boots, ARRAY_SIZE(boots));
}

/* The same panic, as ten ways of logging it write it. */
static void prefixes_do_not_matter(void **state)
{
	static const char *const forms[] = {
		"%s",
		"[    1.710132] %s",
		"[    3.098535][    T1] %s",
		"[    T0] %s",
		"<0>[    1.710132] %s",
		"<4>%s",
		"[    1.710132,0] [pid:1,cpu3,swapper/0] %s",
		"[    1.710132] (3)[1:swapper/0]%s",
		"Jul  7 00:27:08 host kernel: [  233.001042] %s",
		" kernel:[  233.001921] %s",
		"2026-07-15T11:08:12.123456 [    1.710132] %s",
		"- {\"dt\": \"2026-07-15T11:08:12\", \"msg\": \"[    1.7] %s\"}",
		"[2026-07-15 11:08:12.123] %s",
		"11:08:12.123 %s",
		"[\x1b[0;32m  OK  \x1b[0m] Create[    1.710132] %s",
		"garbage\xff\xfe\x80%s",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		struct verdict *v __free(verdict) = NULL;
		char text[400];

		snprintf(text, sizeof(text), forms[i],
			 "Kernel panic - not syncing: No working init found.  Try init=\n");
		v = judge_text(text);
		if (v->outcome != OUTCOME_PANIC ||
		    strcmp(v->signature, "panic: No working init found"))
			fail_msg("'%s': %s '%s'", forms[i], outcome_name(v->outcome), v->signature);
	}
}

static void wrapped_sentence_is_found(void **state)
{
	static const char sentence[] = "[    1.710132] Kernel panic - not syncing: VFS: Unable to "
				       "mount root fs on unknown-block(0,0)";
	static const size_t widths[] = {64, 80};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		struct verdict *v __free(verdict) = NULL;
		char text[400];

		snprintf(text, sizeof(text), BOOT "%.*s\r\n%s\r\n", (int)widths[i], sentence,
			 sentence + widths[i]);
		v = judge_text(text);
		assert_int_equal(v->outcome, OUTCOME_PANIC);
		assert_string_equal(v->signature,
				    "panic: VFS: Unable to mount root fs on unknown-block(0,0)");
		assert_int_equal(v->n_consequences, 0);
	}
}

/* A line that only looks wrapped: the next one has a stamp of its own. */
static void exact_width_is_not_always_a_wrap(void **state)
{
	static const char text[] =
		"[    3.924241] Kernel panic - not syncing: sysrq triggered crash\r\n"
		"[    3.924390] CPU: 0 UID: 0 PID: 1 Comm: init Not tainted\r\n";
	struct verdict *v __free(verdict) = judge_text(text);

	assert_int_equal(strcspn(text, "\r"), 64);
	assert_string_equal(v->signature, "panic: sysrq triggered crash");
	assert_int_equal(v->ranges[0].start, 0);
	assert_int_equal(v->ranges[0].end, 64);
}

/* CPU, PID, addresses, stamps differ; the fault is one. */
static void same_fault_same_signature(void **state)
{
	static const char form[] = BOOT
		"[%5d.%06d] Unable to handle kernel paging request at virtual address %016llx\n"
		"[    2.000000]   ESR = 0x%016llx\n"
		"[    2.000000] Internal error: Oops: %016llx [#%d] SMP\n"
		"[    2.000000] CPU: %d UID: 0 PID: %d Comm: kworker/%d:1 Not tainted\n"
		"[    2.000000] pc : walk_it%s+0x%x/0x%x\n" END;
	struct verdict *a __free(verdict) = NULL, *b __free(verdict) = NULL;
	char text[1000];

	snprintf(text, sizeof(text), form, 1, 1, 0xffff800012345678ULL, 0x96000005ULL,
		 0x96000005ULL, 1, 0, 17, 0, "", 0x10, 0x200);
	a = judge_text(text);
	snprintf(text, sizeof(text), form, 99, 5, 0xdead000000000100ULL, 0x96000044ULL,
		 0x96000044ULL, 2, 3, 4242, 3, ".constprop.0", 0x18, 0x210);
	b = judge_text(text);
	assert_string_equal(a->signature, b->signature);
	assert_string_equal(
		a->signature,
		"unable to handle kernel paging request in walk_it (DABT, translation fault)");
}

static void first_failure_titles_and_the_rest_follows(void **state)
{
	struct verdict *v __free(verdict) =
		judge_text(BOOT "kernel BUG at mm/slub.c:448!\npc : first+0x1/0x2\n" END
				"Unable to handle kernel paging request at virtual address 0\n"
				"pc : second+0x1/0x2\n" END
				"Kernel panic - not syncing: Attempted to kill init! "
				"exitcode=0x0000000b\n");

	assert_string_equal(v->signature, "kernel BUG at mm/slub.c:448 in first");
	assert_int_equal(v->n_consequences, 2);
	assert_string_equal(v->consequences[0], "unable to handle kernel paging request in second");
	assert_string_equal(v->consequences[1], "panic: Attempted to kill init (SIGSEGV)");
	assert_int_equal(v->n_ranges, 1);
	assert_string_equal(v->ranges[0].rule, "fault-bug-at");
	assert_int_equal(v->ranges[0].start, strlen(BOOT));
}

/* A warning long before is another matter; it is told, but it does not title. */
static void far_warning_does_not_title(void **state)
{
	struct buf text __free_buf = BUF_INIT;
	struct verdict *v __free(verdict) = NULL;
	size_t i;

	buf_adds(&text,
		 BOOT "WARNING: CPU: 3 PID: 91 at drivers/base/core.c:12 put_it+0x6c/0xa0\n" END);
	for (i = 0; i < 300; i++)
		buf_addf(&text, "line %zu\n", i);
	buf_adds(&text, "Kernel panic - not syncing: No working init found.\n");
	v = judge_bytes(text.data, text.len);
	assert_string_equal(v->signature, "panic: No working init found");
	assert_int_equal(v->n_degradations, 1);
	assert_string_equal(v->degradations[0], "WARNING at drivers/base/core.c:12 put_it");
}

static void cut_report_is_truncated(void **state)
{
	struct verdict *whole __free(verdict) =
		judge_text(BOOT "Kernel panic - not syncing: it\nCPU: 1\n" PANIC_END);
	struct verdict *cut __free(verdict) =
		judge_text(BOOT "Kernel panic - not syncing: it\nCPU: 1\n");

	assert_false(whole->truncated);
	assert_true(cut->truncated);
}

static void last_lines_are_safe(void **state)
{
	struct verdict *v __free(verdict) = judge_text("a\n\x1b]0;evil\x07"
						       "b\x9b"
						       "31m\xe2\x80\xae\nc");

	assert_string_equal(v->last_lines, "a\nb\\x9b31m\\xe2\\x80\\xae\nc");
}

static char *verdict_text(struct verdict *v)
{
	struct json *j __free(json) = verdict_json(v);
	struct buf out = BUF_INIT;

	json_print(j, true, &out);
	return buf_steal(&out);
}

/* However the bytes are cut, the verdict is the same to the letter. */
static void chunking_does_not_matter(void **state)
{
	unsigned int seed = 12345;
	size_t i, round;

	for (i = 0; i < ARRAY_SIZE(titles) + ARRAY_SIZE(boots); i++) {
		const char *text = i < ARRAY_SIZE(titles) ? titles[i].console
							  : boots[i - ARRAY_SIZE(titles)].console;
		struct verdict *whole __free(verdict) = judge_text(text);
		char *expected __free(str) = verdict_text(whole);
		size_t len = strlen(text);

		for (round = 0; round < 4; round++) {
			struct verdict *v __free(verdict) = NULL;
			char *got __free(str) = NULL;
			struct story s;
			size_t at = 0, n;

			story_new(&s, true, JUMP_COLD);
			for (; at < len; at += n) {
				n = round ? 1 + (size_t)rand_r(&seed) % 40 : 1;
				if (n > len - at)
					n = len - at;
				s.t_ns = 0;
				says_bytes(&s, text + at, n);
			}
			v = ends(&s);
			got = verdict_text(v);
			assert_string_equal(got, expected);
		}
	}
}

/* The first failure stands at the start of a flood; it is still the title. */
static void flood_does_not_hide_the_first_failure(void **state)
{
	static char chunk[65536];
	struct verdict *v __free(verdict) = NULL;
	struct story s;
	size_t i;

	for (i = 0; i < sizeof(chunk); i++)
		chunk[i] = i % 61 ? (char)('a' + i % 26) : '\n';
	story_new(&s, true, JUMP_COLD);
	says(&s, BOOT "kernel BUG at mm/slub.c:448!");
	for (i = 0; i < 160; i++)
		says_bytes(&s, chunk, sizeof(chunk));
	says(&s, "WARNING: CPU: 3 PID: 91 at drivers/base/core.c:12 put_it+0x6c/0xa0");
	v = ends(&s);
	assert_string_equal(v->signature, "kernel BUG at mm/slub.c:448");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(titles_as_kernel_people_write_them),
		cmocka_unit_test(harmless_lines_never_count),
		cmocka_unit_test(boots_of_all_kinds),
		cmocka_unit_test(prefixes_do_not_matter),
		cmocka_unit_test(wrapped_sentence_is_found),
		cmocka_unit_test(exact_width_is_not_always_a_wrap),
		cmocka_unit_test(same_fault_same_signature),
		cmocka_unit_test(first_failure_titles_and_the_rest_follows),
		cmocka_unit_test(far_warning_does_not_title),
		cmocka_unit_test(cut_report_is_truncated),
		cmocka_unit_test(last_lines_are_safe),
		cmocka_unit_test(chunking_does_not_matter),
		cmocka_unit_test(flood_does_not_hide_the_first_failure),
	};

	return cmocka_run_group_tests(tests, load_rules, drop_rules);
}
