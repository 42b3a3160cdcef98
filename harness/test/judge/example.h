/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * example.h - bare consoles and what they come to.
 */
#ifndef KJUMP_TEST_JUDGE_EXAMPLE_H
#define KJUMP_TEST_JUDGE_EXAMPLE_H

#include "test/judge/attempt.h"

struct example {
	const char *name, *console;
	enum outcome outcome;
	enum stage stage;
	const char *signature; /* NULL: none */
};

static inline struct verdict *judge_bytes(const void *bytes, size_t len)
{
	struct story s;

	story_new(&s, true, JUMP_COLD);
	says_bytes(&s, bytes, len);
	return ends(&s);
}

static inline struct verdict *judge_text(const char *text)
{
	return judge_bytes(text, strlen(text));
}

static inline bool example_holds(const struct example *x)
{
	struct verdict *v __free(verdict) = judge_text(x->console);
	const char *signature = v->signature ? v->signature : "(none)";

	if (v->outcome == x->outcome && v->stage == x->stage &&
	    !strcmp(signature, x->signature ? x->signature : "(none)"))
		return true;
	print_error("%s: %s in %s, '%s'\n", x->name, outcome_name(v->outcome), stage_name(v->stage),
		    signature);
	return false;
}

static inline void all_hold(const struct example *x, size_t n)
{
	size_t i, failed = 0;

	for (i = 0; i < n; i++)
		failed += !example_holds(&x[i]);
	assert_int_equal(failed, 0);
}

#define BOOT                                                  \
	"[    0.000000] Booting Linux on physical CPU 0x0\n"  \
	"[    0.000000] Linux version 7.2.6 (builder@host)\n" \
	"[    0.100000] smp: Brought up 1 node, 4 CPUs\n"
#define USERSPACE BOOT "[    1.000000] Run /init as init process\nhost login: \n"
#define END	  "[    2.000000] ---[ end trace 0000000000000000 ]---\n"
#define PANIC_END "[    3.000000] ---[ end Kernel panic - not syncing: it ]---\n"

#endif
