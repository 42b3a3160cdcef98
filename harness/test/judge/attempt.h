/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attempt.h - telling a judge a story in a line a fact.
 *
 * Rules are those of the project, found from its root, where tests run.
 */
#ifndef KJUMP_TEST_JUDGE_ATTEMPT_H
#define KJUMP_TEST_JUDGE_ATTEMPT_H

#include "test/test.h"

#include "judge/judge.h"

static struct rule_set *rules;

static int load_rules(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	int rc = rule_set_load("cases/symptoms.yaml", &diag, &rules);

	if (rc)
		diag_print(&diag, stdout);
	return rc;
}

static int drop_rules(void **state)
{
	rule_set_free(rules);
	return 0;
}

/* Each event is 10 ms after the one before. */
struct story {
	struct judge *judge;
	uint64_t t_ns;
};

static inline void tell(struct story *s, struct event ev)
{
	ev.t_ns = s->t_ns += 10000000;
	judge_feed(s->judge, &ev);
}

static inline void story_new(struct story *s, bool bare, enum jump_kind kind)
{
	const struct judge_opts opts = {.bare = bare, .kind = kind};

	memset(s, 0, sizeof(*s));
	assert_int_equal(judge_new(rules, &opts, &s->judge, NULL), 0);
}

static inline void says_bytes(struct story *s, const void *data, size_t len)
{
	tell(s, (struct event){.type = EVENT_CONSOLE, .bytes = {data, len}});
}

/* A line on the console; the newline comes with it. */
static inline void says(struct story *s, const char *line)
{
	says_bytes(s, line, strlen(line));
	says_bytes(s, "\r\n", 2);
}

static inline void passes(struct story *s, enum mark m)
{
	tell(s, (struct event){.type = EVENT_MARK, .mark = {m, NULL}});
}

static inline void passes_with(struct story *s, enum mark m, const char *text)
{
	tell(s, (struct event){.type = EVENT_MARK, .mark = {m, text}});
}

static inline void checks(struct story *s, const char *name, const char *expected, const char *seen)
{
	tell(s, (struct event){.type = EVENT_CHECK,
			       .check = {name, expected, seen, !strcmp(expected, seen)}});
}

static inline void machine_says(struct story *s, enum machine_what what, const char *text)
{
	tell(s, (struct event){.type = EVENT_MACHINE, .machine = {what, text}});
}

static inline void runs_out(struct story *s, const char *what)
{
	tell(s, (struct event){.type = EVENT_LIMIT, .limit = {what, 30000}});
}

static inline void breaks(struct story *s, const char *why)
{
	tell(s, (struct event){.type = EVENT_INFRA, .infra = {why}});
}

static inline void hangs_up(struct story *s)
{
	tell(s, (struct event){.type = EVENT_GAP, .gap = {0, "hangup"}});
}

/* A comes up and is A. */
static inline void a_is_up(struct story *s)
{
	passes(s, MARK_POWER_ON);
	says(s, "[    0.000000] Booting Linux on physical CPU 0x0000000000 [0x410fd083]");
	says(s, "[    0.000000] Linux version 7.2.6 (builder@host)");
	says(s, "[    1.000000] Run /init as init process");
	says(s, "kjump: userspace of profile minimal on 7.2.6");
	passes(s, MARK_A_UP);
	checks(s, "release", "7.2.6", "7.2.6");
	passes(s, MARK_A_PROVEN);
}

static inline void a_loads_b(struct story *s)
{
	a_is_up(s);
	passes(s, MARK_LOAD);
	passes(s, MARK_LOADED);
}

static inline void a_leaves(struct story *s)
{
	a_loads_b(s);
	passes(s, MARK_JUMP);
	says(s, "[   12.000000] kexec_core: Starting new kernel");
	says(s, "[   12.100000] Bye!");
}

static inline void b_boots(struct story *s)
{
	a_leaves(s);
	says(s, "[    0.000000] Booting Linux on physical CPU 0x0000000000 [0x410fd083]");
	says(s, "[    0.000000] Linux version 7.2.6 (builder@host)");
	says(s, "[    0.500000] smp: Brought up 1 node, 1 CPU");
}

static inline void b_is_up(struct story *s)
{
	b_boots(s);
	says(s, "[    1.000000] Run /init as init process");
	says(s, "kjump: userspace of profile desktop on 7.2.6");
	passes(s, MARK_B_UP);
}

static inline struct verdict *ends(struct story *s)
{
	struct verdict *v = judge_finish(s->judge);

	judge_free(s->judge);
	s->judge = NULL;
	return v;
}

/* Ends it and compares; @signature NULL: there is none. */
static inline void comes_to(struct story *s, enum outcome outcome, enum stage stage,
			    const char *signature)
{
	struct verdict *v __free(verdict) = ends(s);

	assert_string_equal(outcome_name(v->outcome), outcome_name(outcome));
	assert_string_equal(stage_name(v->stage), stage_name(stage));
	if (signature)
		assert_string_equal(v->signature ? v->signature : "(none)", signature);
	else
		assert_null(v->signature);
}

#endif
