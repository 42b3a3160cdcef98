// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/judge/attempt.h"

#include "base/buf.h"
#include "judge/detail.h"
#include "judge/filter.h"
#include "judge/symptom.h"

/* "one|two": the literals, "" for none. */
static void needs(const char *pattern, const char *expected)
{
	struct buf all __free_buf = BUF_INIT;
	struct literals l;
	size_t i;

	literals_of(pattern, &l);
	for (i = 0; i < l.n; i++)
		buf_addf(&all, "%s%s", i ? "|" : "", l.text[i]);
	literals_fini(&l);
	assert_string_equal(all.data, expected);
}

static void literals_are_what_must_be_there(void **state)
{
	needs("Kernel panic", "Kernel panic");
	needs("^Bye!$", "Bye!");
	needs("abc\\d+defg", "defg");
	needs("abcd?efgh", "efgh");
	needs("abcdx*", "abcd");
	needs("abcd{0,3}", "abc");
	needs("abcd{2}", "abcd");
	needs("one (?:two|three)? four", " four");
	needs("(?:alpha|beta)", "alpha|beta");
	needs("alpha|beta", "alpha|beta");
	needs("x(?:alpha|b)", "");
	needs("[abc]\\.dtb\\(", ".dtb(");
	needs("[]abc]defg[^]x]", "defg");
	needs("\\bkexec(?= now)", "kexec");
	needs("(?!not)yes", "yes");
	needs("a.b.c", "");
	needs("ab", "");
	needs("one|.", "");
}

/* What is not understood must give none, not a wrong one. */
static void the_unknown_gives_none(void **state)
{
	needs("(?i)panic", "");
	needs("(?<name>panic)", "");
	needs("(panic)\\1", "");
	needs("panic\\x41", "");
	needs("panic\\", "");
	needs("(panic", "");
	needs("panic)", "");
	needs("[[:alpha:]]panic", "");
}

/* The filter may let too much through, but never a match too few. */
static void every_match_passes_the_filter(void **state)
{
	static const char *const prefixes[] = {"", "[    1.234567] ", "<4>[    T0] "};
	struct symptom_set *set = NULL;
	size_t i, k;

	assert_int_equal(symptom_set_get(rules, &set, NULL), 0);
	for (i = 0; i < rules->n; i++) {
		for (k = 0; k < ARRAY_SIZE(prefixes); k++) {
			const struct symptom_hit *hits;
			struct symptom_match m;
			struct cleaner c;
			size_t n, h;
			bool found = false;

			clean_init(&c);
			clean_feed(&c, "first\n", 6);
			clean_feed(&c, prefixes[k], strlen(prefixes[k]));
			clean_feed(&c, rules->rules[i].example, strlen(rules->rules[i].example));
			clean_finish(&c);
			hits = symptom_scan(set, &c, &n);
			for (h = 0; h < n; h++)
				found |= hits[h].pattern == i && hits[h].line >= 1;
			if (!found || !symptom_confirm(set, (uint32_t)i, c.text + c.lines[1].start,
						       c.lines[1].len, &m))
				fail_msg("rule '%s' misses its example after '%s'",
					 rules->rules[i].id, prefixes[k]);
			clean_fini(&c);
		}
	}
	symptom_set_put(set);
}

static void bad_pattern_names_its_rule(void **state)
{
	struct rule bad = {.id = (char *)"bad",
			   .means = RULE_FAULT,
			   .match = (char *)"(((",
			   .title = (char *)"x",
			   .file = (char *)"rules.yaml",
			   .line = 7};
	const struct rule_set set = {(char *)"1", &bad, 1};
	struct symptom_set *s = NULL;
	struct err e __free_err = ERR_INIT;

	assert_int_equal(symptom_set_get(&set, &s, &e), -EINVAL);
	assert_non_null(strstr(err_msg(&e), "rules.yaml:7: rule 'bad'"));
	/* One that PCRE2 takes, but that would match every line. */
	bad.match = (char *)"x*";
	assert_int_equal(symptom_set_get(&set, &s, &e), -EINVAL);
	assert_non_null(strstr(err_msg(&e), "rules.yaml:7: rule 'bad'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(literals_are_what_must_be_there),
		cmocka_unit_test(the_unknown_gives_none),
		cmocka_unit_test(every_match_passes_the_filter),
		cmocka_unit_test(bad_pattern_names_its_rule),
	};

	return cmocka_run_group_tests(tests, load_rules, drop_rules);
}
