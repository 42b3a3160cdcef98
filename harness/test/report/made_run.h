/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made_run.h - runs that went every way, for the tests of reports.
 */
#ifndef KJUMP_TEST_REPORT_MADE_RUN_H
#define KJUMP_TEST_REPORT_MADE_RUN_H

#include "test/store/made_plan.h"

/* Two machines, three kinds of jump, two by two profiles; with repeats and a gap. */
static inline void made_matrix(struct store *s, struct made *m)
{
	static const enum jump_kind kinds[] = {JUMP_KEXEC, JUMP_PIVOT, JUMP_COLD};
	char *also[] = {(char *)"CPU 1 did not come up"};
	struct verdict v;
	size_t i;
	int machine, kind, from, to;

	made_init(m);
	for (machine = 0; machine < 2; machine++)
		for (kind = 0; kind < 3; kind++)
			for (from = 0; from < 2; from++)
				for (to = 0; to < 2; to++)
					made_add(m, machine, 0, kinds[kind], from, to);
	m->jobs[0].repeat = 3;
	made_begin(s, RUN, m);
	for (i = 0; i < 23; i++) { /* the last one is not run */
		v = made_verdict(OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, 1900 + i * 10);
		made_put(s, RUN, &m->jobs[i], 1, &v);
	}
	v = made_verdict(OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, 2300);
	made_put(s, RUN, &m->jobs[0], 2, &v);
	v = made_verdict(OUTCOME_HANG, STAGE_ENTRY, 0);
	v.proof = PROOF_PROVEN;
	v.signature = (char *)"hang: no console after entry";
	v.detail = (char *)"All CPUs stand at the same address with the MMU off.";
	v.last_lines = (char *)"[    4.1] kexec_core: Starting new kernel\n[    4.2] Bye!";
	made_put(s, RUN, &m->jobs[0], 3, &v);
	made_put(s, RUN, &m->jobs[13], 1, &v);
	v = made_verdict(OUTCOME_LOAD_FAILED, STAGE_LOAD, 0);
	v.signature = (char *)"oops in trans_pgd_create_copy";
	v.truncated = true;
	made_put(s, RUN, &m->jobs[14], 1, &v);
	v = made_verdict(OUTCOME_DEGRADED, STAGE_USERSPACE_B, 2500);
	v.degradations = also;
	v.n_degradations = 1;
	made_put(s, RUN, &m->jobs[3], 1, &v);
	v = made_verdict(OUTCOME_INFRA_ERROR, STAGE_BOOT_A, 0);
	v.signature = (char *)"QEMU died";
	made_put(s, RUN, &m->jobs[16], 1, &v);
	assert_int_equal(store_end_run(s, RUN, "2026-12-01T02:05:27Z", NULL), 0);
}

/* Seven jumps one after the other, some of them alike but for the device tree. */
static inline void made_list(struct store *s, struct made *m)
{
	static const struct {
		enum jump_kind kind;
		int from, to;
		enum dt_source dt;
	} jumps[] = {
		{JUMP_KEXEC, 0, 1, DT_PROFILE}, {JUMP_KEXEC, 0, 1, DT_LIVE},
		{JUMP_KEXEC, 1, 2, DT_PROFILE}, {JUMP_REBOOT, 2, 0, DT_PROFILE},
		{JUMP_PIVOT, 0, 3, DT_LIVE},	{JUMP_COLD, 3, 0, DT_PROFILE},
		{JUMP_KEXEC, 0, 3, DT_PROFILE},
	};
	struct verdict v;
	size_t i;

	made_init(m);
	for (i = 0; i < ARRAY_SIZE(jumps); i++)
		made_add(m, 0, 0, jumps[i].kind, jumps[i].from, jumps[i].to)->dt = jumps[i].dt;
	m->jobs[2].repeat = 2;
	made_begin(s, RUN, m);
	for (i = 0; i < 6; i++) {
		v = made_verdict(OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, 900 + i * 150);
		made_put(s, RUN, &m->jobs[i], 1, &v);
	}
	v = made_verdict(OUTCOME_PANIC, STAGE_EARLY, 0);
	v.signature = (char *)"panic: VFS: Unable to mount root fs";
	made_put(s, RUN, &m->jobs[2], 2, &v);
	v = made_verdict(OUTCOME_USERSPACE_REACHED, STAGE_USERSPACE_B, 143200);
	made_put(s, RUN, &m->jobs[5], 1, &v);
}

#endif
