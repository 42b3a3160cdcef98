// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/file.h"
#include "plan/known.h"

static struct known_set *load(const char *text, struct diag *diag)
{
	struct known_set *set = NULL;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/kjump-known-%d.yaml", getpid());
	assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
	known_set_load(path, diag, &set);
	unlink(path);
	return set;
}

static const char good[] =
	"version: 1\n"
	"known:\n"
	"- job: '* kexec, debian-7*'\n"
	"  outcome: hang\n"
	"  signature: 'hang: silent in *'\n"
	"  reason: LPA2\n"
	"  expires: 2027-01-31\n"
	"- {job: 3f9a00000000, outcome: panic, reason: x, expires: 2026-12-01}\n";

static void expected_until_it_expires(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct known_set *set __free(known_set) = load(good, &diag);
	struct known_query q = {"0123456789ab", "a -> b kexec, debian-7.2.6-cloud, max-2G", "hang",
				"hang: silent in relocate"};
	const struct known *k;
	bool expired;

	assert_int_equal(diag.n, 0);
	k = known_find(set, &q, "2027-01-31", &expired);
	assert_non_null(k);
	assert_string_equal(k->reason, "LPA2");
	assert_false(expired);
	assert_null(known_find(set, &q, "2027-02-01", &expired));
	assert_true(expired);
}

static void other_failures_are_not_excused(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct known_set *set __free(known_set) = load(good, &diag);
	struct known_query q = {"0123456789ab", "a -> b kexec, debian-7.2.6-cloud, max-2G", "hang",
				"BUG: soft lockup"};
	bool expired;

	assert_null(known_find(set, &q, "2026-12-01", &expired));
	q.signature = NULL;
	assert_null(known_find(set, &q, "2026-12-01", &expired));
	q.signature = "hang: silent in relocate";
	q.outcome = "panic";
	assert_null(known_find(set, &q, "2026-12-01", &expired));
	assert_false(expired);
	q.job_id = "3f9a00000000";
	assert_non_null(known_find(set, &q, "2026-12-01", &expired));
}

static void mistakes_have_positions(void **state)
{
	static const struct {
		const char *text;
		unsigned int line, col;
		const char *part;
	} cases[] = {
		{"version: 2\nknown: []\n", 1, 10, ""},
		{"version: 1\nknown:\n- {job: x, outcome: hangs, reason: x, expires: 2027-01-01}\n",
		 3, 21, "did you mean 'hang'"},
		{"version: 1\nknown:\n- {job: x, outcome: hang, reason: x, expires: soon}\n", 3, 47,
		 "'soon' is no date"},
		{"version: 1\nknown:\n- {job: x, outcome: hang, reason: x, expires: 2027-13-01}\n",
		 3, 47, "is no date"},
		{"version: 1\nknown:\n- {job: x, outcome: hang, expires: 2027-01-01}\n", 3, 3,
		 "'reason' is missing"},
		{"version: 1\nknown:\n- {job: x, outcome: infra-error, reason: x, expires: "
		 "2027-01-01}\n",
		 3, 21, ""},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct diag diag __free_diag = DIAG_INIT;

		assert_null(load(cases[i].text, &diag));
		assert_int_equal(diag.n, 1);
		assert_int_equal(diag.messages[0].line, cases[i].line);
		assert_int_equal(diag.messages[0].col, cases[i].col);
		if (!strstr(diag.messages[0].text, cases[i].part))
			fail_msg("'%s' lacks '%s'", diag.messages[0].text, cases[i].part);
	}
}

static void the_project_s_own_is_right(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct known_set *set __free(known_set) = NULL;

	assert_int_equal(known_set_load("cases/known.yaml", &diag, &set), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expected_until_it_expires),
		cmocka_unit_test(other_failures_are_not_excused),
		cmocka_unit_test(mistakes_have_positions),
		cmocka_unit_test(the_project_s_own_is_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
