// SPDX-License-Identifier: GPL-2.0-or-later
/* kjump judge as a person and a script use it. */
#include "test/cmd/captured.h"
#include "test/store/made_plan.h"

#include "cmd/cmd.h"
#include "evidence/evidence.h"

/* Runs the command in this process; stdout is *returned*. */
static char *judge(int want, const char *const *args)
{
	const char *argv[16] = {"judge"};
	struct buf text = BUF_INIT;
	int n;

	for (n = 0; args[n]; n++)
		argv[n + 1] = args[n];
	assert_int_equal(captured(cmd_judge, argv, STDOUT_FILENO, &text), want);
	return buf_steal(&text);
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct json *parsed(const char *text)
{
	struct err e __free_err = ERR_INIT;
	struct json *doc = NULL;

	if (json_parse(text, strlen(text), &doc, &e))
		fail_msg("%s: %s", err_msg(&e), text);
	return doc;
}

static char *write_console(const char *dir, const char *text)
{
	char *path = file_join(dir, "console.txt");

	assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
	return path;
}

static void console_as_json(void **state)
{
	char *path __free(str) = write_console(
		*state, "Linux version 7.2.6 (x)\nKernel panic - not syncing: it\x1b]0;t\x07\n");
	char *text __free(str) = judge(EXIT_SURPRISE, ARGS("--console", path, "--json"));
	struct json *doc __free(json) = parsed(text);
	const struct json *range = json_at(json_get(doc, "ranges"), 0);

	assert_string_equal(json_get_str(doc, "outcome"), "panic");
	assert_string_equal(json_get_str(doc, "stage"), "early");
	assert_string_equal(json_get_str(doc, "signature"), "panic: it");
	assert_true(json_get_bool(doc, "truncated", false));
	assert_int_equal(json_get_int(range, "start", -1), 24);
	assert_string_equal(json_get_str(range, "rule"), "panic-other");
}

static void console_status_says_whose_fault(void **state)
{
	char *path __free(str) = write_console(*state, "host login: \n");
	char *good __free(str) = judge(EXIT_EXPECTED, ARGS("--console", path));
	char *bare_path __free(str) = write_console(*state, "DDR 2f85f4b2d4 cym\n");
	char *infra __free(str) = judge(EXIT_INFRA, ARGS("--console", bare_path));

	assert_non_null(strstr(good, "userspace-reached"));
	assert_non_null(strstr(infra, "infra-error"));
	free(judge(EXIT_USAGE, ARGS("--console", "/nonexistent")));
	free(judge(EXIT_USAGE, ARGS("--json")));
	free(judge(EXIT_USAGE, ARGS("last", "--console", path)));
}

static void bad_rules_are_refused(void **state)
{
	char *rules __free(str) = file_join(*state, "rules.yaml");
	static const char text[] = "version: 1\nrules:\n- {id: a, means: panic, match: 'x*', "
				   "title: t, example: x}\n";

	assert_int_equal(file_write(rules, text, strlen(text), NULL), 0);
	free(judge(EXIT_USAGE, ARGS("--console", "/dev/null", "--rules", rules)));
}

/* A user's rule is data: no other part has to know of it. */
static void a_rule_of_ones_own(void **state)
{
	char *rules __free(str) = file_join(*state, "rules.yaml");
	static const char text[] = "version: 7\nrules:\n- {id: mine, means: panic, match: "
				   "'frobnicator (\\w+) fell over', "
				   "title: 'frobnicator \\1', example: frobnicator X fell over}\n";
	char *path __free(str) = write_console(*state, "[    1.0] frobnicator A1 fell over\n");
	char *out __free(str) = NULL;

	assert_int_equal(file_write(rules, text, strlen(text), NULL), 0);
	out = judge(EXIT_SURPRISE, ARGS("--console", path, "--rules", rules, "--json"));
	assert_non_null(strstr(out, "\"frobnicator A1\""));
	assert_non_null(strstr(out, "\"7+"));
}

static void write_panic(const char *dir)
{
	static const char line[] = "Kernel panic - not syncing: No working init found.\n";
	const struct event events[] = {
		{.t_ns = 1, .type = EVENT_MARK, .mark = {MARK_JUMP, NULL}},
		{.t_ns = 2, .type = EVENT_CONSOLE, .bytes = {line, strlen(line)}},
	};
	const struct evidence_limits limits = {1 << 20, 1 << 20};
	struct evidence_writer *w = NULL;
	size_t i;

	assert_int_equal(evidence_create(dir, &limits, &w, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(events); i++)
		assert_int_equal(evidence_write(w, &events[i], NULL), 0);
	assert_int_equal(evidence_close(w, NULL), 0);
}

/* Three attempts, judged as hangs by older rules; two have evidence. */
static void make_run(const char *results)
{
	struct store *s __free(store) = made_open(results);
	char *runs __free(str) = xasprintf("%s/runs/" RUN, results);
	struct made m;
	struct verdict v;
	size_t i;

	made_init(&m);
	for (i = 0; i < 3; i++)
		made_add(&m, 0, 0, JUMP_KEXEC, 0, (int)i);
	made_begin(s, RUN, &m);
	assert_int_equal(file_mkdir(runs, 0755, NULL), 0);
	for (i = 0; i < 3; i++) {
		char *dir __free(str) = xasprintf("%s/%s.1", runs, m.jobs[i].id);

		v = made_verdict(OUTCOME_HANG, STAGE_SHUTDOWN, 0);
		v.signature = (char *)"hang: silent in shutdown";
		made_put(s, RUN, &m.jobs[i], 1, &v);
		if (i < 2)
			write_panic(dir);
	}
}

static void run_is_judged_again(void **state)
{
	char *first __free(str) = NULL, *second __free(str) = NULL;
	struct json *doc __free(json) = NULL, *again __free(json) = NULL;
	const struct json *change;

	make_run(*state);
	first = judge(EXIT_SURPRISE, ARGS("last", "--results", *state, "--json"));
	doc = parsed(first);
	assert_string_equal(json_get_str(doc, "run"), RUN);
	assert_int_equal(json_get_int(doc, "judged", 0), 2);
	assert_int_equal(json_get_int(doc, "without_evidence", 0), 1);
	assert_int_equal(json_len(json_get(doc, "changes")), 2);
	change = json_at(json_get(doc, "changes"), 0);
	assert_string_equal(json_get_str(json_get(change, "was"), "outcome"), "hang");
	assert_string_equal(json_get_str(json_get(change, "is"), "outcome"), "panic");
	assert_string_equal(json_get_str(json_get(change, "is"), "signature"),
			    "panic: No working init found");
	/* It was kept: the same rules change nothing more. */
	second = judge(EXIT_SURPRISE, ARGS("2026", "--results", *state, "--json"));
	again = parsed(second);
	assert_int_equal(json_len(json_get(again, "changes")), 0);
}

static void run_is_judged_again_for_a_person(void **state)
{
	char *text __free(str) = NULL;

	make_run(*state);
	text = judge(EXIT_SURPRISE, ARGS("last", "--results", *state));
	assert_non_null(strstr(text, "was hang in shutdown, hang: silent in shutdown"));
	assert_non_null(strstr(text, "is  panic in shutdown, panic: No working init found"));
	assert_non_null(strstr(text, "2 changed, 1 left as they are for want of evidence"));
}

static void no_run_is_a_usage_error(void **state)
{
	char *db __free(str) = file_join(*state, "kjump.db");

	free(judge(EXIT_USAGE, ARGS("last", "--results", *state)));
	assert_false(file_exists(db));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(console_as_json),	    MADE_TEST(console_status_says_whose_fault),
		MADE_TEST(bad_rules_are_refused),   MADE_TEST(a_rule_of_ones_own),
		MADE_TEST(run_is_judged_again),	    MADE_TEST(run_is_judged_again_for_a_person),
		MADE_TEST(no_run_is_a_usage_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
