/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostile_run.h - a run in which everything that a guest or a file has a say in
 * is markup, terminal control and bytes that are no text, with its evidence.
 *
 * The strings lie in the store and in the evidence as they are: whoever prints
 * them must not rely on who wrote them.
 */
#ifndef KJUMP_TEST_CMD_HOSTILE_RUN_H
#define KJUMP_TEST_CMD_HOSTILE_RUN_H

#include "test/report/made_run.h"

#include "evidence/evidence.h"
#include "machine/display/picture.h"

/* Markup that breaks out of text and of attributes; OSC, CSI, C1, bidi, a byte that is no UTF-8. */
#define HOSTILE                                                                             \
	"</pre></style><script>alert(1)</script><img src=x onerror=alert(2)>\"' onclick='x" \
	"&lt;\x1b]0;title\x07\x1b[2J\xc2\x9b\x33m\xe2\x80\xae\xff"

/* All of it on one line; lists of the store are one a line. */
static inline struct verdict hostile_verdict(void)
{
	static char *lines[] = {(char *)HOSTILE, (char *)"second " HOSTILE};
	struct verdict v = made_verdict(OUTCOME_PANIC, STAGE_EARLY, 0);

	v.signature = (char *)"panic: " HOSTILE;
	v.detail = (char *)HOSTILE;
	v.consequences = lines;
	v.n_consequences = 2;
	v.degradations = lines;
	v.n_degradations = 2;
	v.last_lines = (char *)"[ 1.0] " HOSTILE "\n" HOSTILE;
	v.rules_version = (char *)HOSTILE;
	v.milestones[MILESTONE_LIT].t_ns = 5 * NS_PER_S;
	v.milestones[MILESTONE_LIT].picture = (char *)"frame-0001.png";
	return v;
}

/* A small picture that is not all one colour, as PNG. */
static inline void hostile_png(struct buf *ret)
{
	struct picture p __free_picture = PICTURE_INIT;
	size_t i;

	assert_int_equal(picture_resize(&p, 16, 8, NULL), 0);
	for (i = 0; i < picture_bytes(&p); i++)
		p.rgb[i] = (uint8_t)i;
	picture_write_png(&p, ret);
}

static inline void hostile_evidence(const char *dir)
{
	static const struct event events[] = {
		{.t_ns = 1 * NS_PER_S, .type = EVENT_MARK, .mark = {MARK_POWER_ON, HOSTILE}},
		{.t_ns = 2 * NS_PER_S, .type = EVENT_CONSOLE, .bytes = {HOSTILE, sizeof(HOSTILE)}},
		{.t_ns = 3 * NS_PER_S,
		 .type = EVENT_COMMAND,
		 .command = {HOSTILE, 1, HOSTILE "\n" HOSTILE, 2 * sizeof(HOSTILE) - 1, 1}},
		{.t_ns = 3 * NS_PER_S,
		 .type = EVENT_CHECK,
		 .check = {HOSTILE, HOSTILE, HOSTILE, false}},
		{.t_ns = 4 * NS_PER_S, .type = EVENT_MARK, .mark = {MARK_JUMP, NULL}},
		{.t_ns = 4 * NS_PER_S,
		 .type = EVENT_CHECK,
		 .check = {HOSTILE, NULL, HOSTILE, true}},
		{.t_ns = 5 * NS_PER_S,
		 .type = EVENT_FRAME,
		 .frame = {0, 16, 8, HOSTILE, 1, 1, false, false, HOSTILE, "frame-0001.png"}},
		{.t_ns = 6 * NS_PER_S,
		 .type = EVENT_FRAME,
		 .frame = {0, 16, 8, HOSTILE, 1, 1, false, false, HOSTILE,
			   "../../frame-secret.png"}},
		{.t_ns = 6 * NS_PER_S,
		 .type = EVENT_FRAME,
		 .frame = {0, 16, 8, HOSTILE, 1, 1, false, false, NULL, "frame-<script>.png"}},
		{.t_ns = 7 * NS_PER_S, .type = EVENT_SIGNAL, .signal = {true, HOSTILE}},
		{.t_ns = 7 * NS_PER_S,
		 .type = EVENT_PROBE,
		 .probe = {PROBE_SUSPECTED, HOSTILE, HOSTILE, HOSTILE}},
		{.t_ns = 8 * NS_PER_S,
		 .type = EVENT_MACHINE,
		 .machine = {MACHINE_EVENT_QMP, HOSTILE}},
		{.t_ns = 8 * NS_PER_S, .type = EVENT_GAP, .gap = {77, HOSTILE}},
		{.t_ns = 9 * NS_PER_S, .type = EVENT_LIMIT, .limit = {HOSTILE, 60000}},
		{.t_ns = 9 * NS_PER_S, .type = EVENT_INFRA, .infra = {HOSTILE}},
	};
	const struct evidence_limits limits = {1 << 20, 1 << 20};
	struct evidence_writer *w = NULL;
	struct buf png __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	size_t i;

	if (evidence_create(dir, &limits, &w, &e))
		fail_msg("%s", err_msg(&e));
	hostile_png(&png);
	assert_int_equal(evidence_add_file(w, "frame-0001.png", png.data, png.len, &e), 0);
	for (i = 0; i < ARRAY_SIZE(events); i++)
		assert_int_equal(evidence_write(w, &events[i], &e), 0);
	assert_int_equal(evidence_close(w, &e), 0);
}

/* As a test's set-up: results with one such run, of one attempt that was judged. */
static inline int hostile_setup(void **state)
{
	char *run_dir __free(str) = NULL, *dir __free(str) = NULL;
	struct verdict v = hostile_verdict();
	struct made m;

	if (made_setup(state))
		return -1;
	struct store *s __free(store) = made_open(*state);

	made_init(&m);
	m.plan.name = m.plan.path = m.plan.digest = (char *)HOSTILE;
	m.machines[0].name = m.machines[0].board = m.machines[0].cpu = (char *)HOSTILE;
	m.kernels[0].name = (char *)HOSTILE;
	m.profiles[0].id = (char *)HOSTILE;
	made_add(&m, 0, 0, JUMP_KEXEC, 0, 0);
	made_add(&m, 0, 0, JUMP_KEXEC, 0, 1);
	m.jobs[0].title = m.jobs[1].title = (char *)HOSTILE;
	made_begin(s, RUN, &m);
	made_put(s, RUN, &m.jobs[0], 1, &v);
	assert_int_equal(store_set_kernel(s, RUN, HOSTILE, HOSTILE, HOSTILE, HOSTILE, NULL), 0);
	dir = xasprintf("%s/runs/%s/%s.1", (char *)*state, RUN, m.jobs[0].id);
	run_dir = xasprintf("%s/runs/%s", (char *)*state, RUN);
	assert_int_equal(file_mkdir(run_dir, 0755, NULL), 0);
	hostile_evidence(dir);
	return 0;
}

#endif
