// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/file.h"
#include "plan/rule.h"

static char path[64];

static struct rule_set *load(const char *text, struct diag *diag)
{
	struct rule_set *set = NULL;

	snprintf(path, sizeof(path), "/tmp/kjump-rules-%d.yaml", getpid());
	assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
	rule_set_load(path, diag, &set);
	unlink(path);
	return set;
}

static void reads_rules(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct rule_set *set __free(rule_set) =
		load("version: 4\n"
		     "rules:\n"
		     "  - {id: a, means: panic, match: 'x(\\d+)', title: 't \\1', example: x12}\n"
		     "  - {id: b, means: stage, value: early, match: y, example: y}\n",
		     &diag);

	assert_int_equal(diag.n, 0);
	assert_int_equal(set->n, 2);
	assert_int_equal(set->rules[0].means, RULE_PANIC);
	assert_string_equal(set->rules[1].value, "early");
	assert_memory_equal(set->version, "4+", 2);
}

static void mistakes_have_positions(void **state)
{
	static const struct {
		const char *text;
		unsigned int line, col;
		const char *part;
	} cases[] = {
		{"version: 1\nrules:\n  - {id: a, means: panik, match: x, title: t, example: x}\n",
		 3, 20, "did you mean 'panic'"},
		{"version: 1\nrules:\n  - {id: a, means: panic, match: '(x', title: t, example: "
		 "x}\n",
		 3, 34, "not a pattern"},
		{"version: 1\nrules:\n  - {id: a, means: panic, match: x, title: t, example: y}\n",
		 3, 56, "does not match"},
		{"version: 1\nrules:\n  - {id: a, means: stage, match: x, example: x}\n", 3, 5,
		 "'value' is missing"},
		{"version: 1\nrules:\n  - {id: a, means: panic, match: x, title: t, example: x}\n"
		 "  - {id: a, means: panic, match: x, title: t, example: x}\n",
		 4, 10, "duplicate id"},
		{"version: 1\nrules:\n  - {id: a, means: panic, match: 'x(y)', title: '\\2', "
		 "example: xy}\n",
		 3, 49, "the pattern has 1 group"},
		{"version: 1\nrules:\n  - {id: a, means: panic, match: x, example: x}\n", 3, 5,
		 "'title' is missing"},
		{"version: 1\nrules:\n  - {id: a, means: stage, value: erly, match: x, example: "
		 "x}\n",
		 3, 34, "did you mean 'early'"},
		{"version: 1\nrules:\n  - {id: a, means: hung, value: early, match: x, title: t, "
		 "example: "
		 "x}\n",
		 3, 33, "only a rule that means 'stage'"},
		{"version: 1\nrules:\n  - {id: a, means: panic, mach: x, title: t, example: x}\n",
		 3, 27, "did you mean 'match'"},
		{"version: 1\nrules:\n  - 3\n", 3, 5, "a rule is a single value"},
		{"version: 1\nrules: 3\n", 2, 8, "rules is a single value"},
		{"rules: []\n", 1, 1, "'version' is missing"},
	};
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct diag diag __free_diag = DIAG_INIT;
		struct rule_set *set __free(rule_set) = load(cases[i].text, &diag);
		bool found = false;

		assert_null(set);
		for (k = 0; k < diag.n; k++)
			found |= diag.messages[k].line == cases[i].line &&
				 diag.messages[k].col == cases[i].col &&
				 strstr(diag.messages[k].text, cases[i].part);
		if (!found) {
			diag_print(&diag, stderr);
			fail_msg("case %zu", i);
		}
	}
}

/* The reasons of all rules come together, and a pattern's start is told. */
static void all_mistakes_in_one_go(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct rule_set *set __free(rule_set) = load(
		"version: 1\n"
		"rules:\n"
		"  - {id: a b, means: fault, match: 'x[', title: t, example: x}\n"
		"  - {id: c, means: fault, match: y, title: 'a\\', example: z}\n"
		"  - {id: d, means: fault, match: '(a+)+$', title: t, example: aaaaaaaaaaaaaaaaaaa"
		"aaaaaaaaaaaaaaaaaaab}\n",
		&diag);

	assert_null(set);
	assert_int_equal(diag.n, 5);
	assert_non_null(strstr(diag.messages[1].text, "after 'x['"));
}

static void the_shipped_rules(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct rule_set *set __free(rule_set) = NULL;

	rule_set_load("cases/symptoms.yaml", &diag, &set);
	diag_print(&diag, stderr);
	assert_non_null(set);
	assert_true(set->n > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_rules),
		cmocka_unit_test(mistakes_have_positions),
		cmocka_unit_test(all_mistakes_in_one_go),
		cmocka_unit_test(the_shipped_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
