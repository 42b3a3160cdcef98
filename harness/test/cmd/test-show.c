// SPDX-License-Identifier: GPL-2.0-or-later
/* kjump show as a person and a script use it, on results made by hand. */
#include "test/cmd/captured.h"
#include "test/report/made_run.h"

#include "cmd/cmd.h"
#include "evidence/evidence.h"

/* Runs the command in this process; stdout is *returned*. */
static char *show(int want, const char *dir, const char *a, const char *b, const char *c)
{
	const char *argv[] = {"show", "--results", dir, a, a ? b : NULL, b ? c : NULL, NULL};
	struct buf text = BUF_INIT;

	assert_int_equal(captured(cmd_show, argv, STDOUT_FILENO, &text), want);
	return buf_steal(&text);
}

static struct json *show_json(const char *dir, const char *a, const char *b)
{
	char *text __free(str) = a ? show(0, dir, a, b ? b : "--json", b ? "--json" : NULL)
				   : show(0, dir, "--json", NULL, NULL);
	struct err e __free_err = ERR_INIT;
	struct json *doc = NULL;

	if (json_parse(text, strlen(text), &doc, &e))
		fail_msg("%s: %s", err_msg(&e), text);
	return doc;
}

#define assert_contains(text, part)                                             \
	do {                                                                    \
		if (!strstr((text), (part)))                                    \
			fail_msg("'%s' does not contain '%s'", (text), (part)); \
	} while (0)

static void write_evidence(const char *dir)
{
	static const struct event events[] = {
		{.t_ns = 1 * NS_PER_MS, .type = EVENT_MARK, .mark = {MARK_POWER_ON, NULL}},
		{.t_ns = 2 * NS_PER_MS, .type = EVENT_CONSOLE, .bytes = {"console\n", 8}},
		{.t_ns = 3 * NS_PER_MS, .type = EVENT_INPUT, .bytes = {"typed\n", 6}},
		{.t_ns = 4 * NS_PER_MS,
		 .type = EVENT_COMMAND,
		 .command = {"uname -r", 0, "7.2.6\n\0\033[2J\xff\n", 13, 250 * NS_PER_MS}},
		{.t_ns = 5 * NS_PER_MS,
		 .type = EVENT_CHECK,
		 .check = {"release", "7.2.6", "7.2.6", true}},
		{.t_ns = 6 * NS_PER_MS,
		 .type = EVENT_CHECK,
		 .check = {"cmdline", "wanted", "got\033c", false}},
		{.t_ns = 7 * NS_PER_MS,
		 .type = EVENT_MACHINE,
		 .machine = {MACHINE_EVENT_QMP, "{\"event\":\"RESET\"}"}},
		{.t_ns = 8 * NS_PER_MS, .type = EVENT_GAP, .gap = {77, "hangup"}},
		{.t_ns = 9 * NS_PER_MS, .type = EVENT_LIMIT, .limit = {"jump", 60000}},
		{.t_ns = 9 * NS_PER_MS,
		 .type = EVENT_PROBE,
		 .probe = {PROBE_SUSPECTED, "a loop", "no proof: a loop\nplace\tPC 0x40\n", NULL}},
		{.t_ns = 9 * NS_PER_MS,
		 .type = EVENT_PROBE,
		 .probe = {PROBE_PROVEN, "a loop", "a proof: a\033[2Jloop\nplace\tPC 0x44\n",
			   NULL}},
		{.t_ns = 9 * NS_PER_MS, .type = EVENT_INFRA, .infra = {"QEMU died"}},
	};
	const struct evidence_limits limits = {1 << 20, 1 << 20};
	struct evidence_writer *w = NULL;
	struct err e __free_err = ERR_INIT;
	size_t i;

	if (evidence_create(dir, &limits, &w, &e))
		fail_msg("%s", err_msg(&e));
	for (i = 0; i < ARRAY_SIZE(events); i++)
		assert_int_equal(evidence_write(w, &events[i], &e), 0);
	assert_int_equal(evidence_close(w, &e), 0);
}

/* One run in *state; evidence of its first attempt lies where a moved results has it. */
static int results_setup(void **state)
{
	char *run_dir __free(str) = NULL, *dir __free(str) = NULL;
	struct made m;

	if (made_setup(state))
		return -1;
	struct store *s __free(store) = made_open(*state);

	made_matrix(s, &m);
	run_dir = xasprintf("%s/runs/%s", (char *)*state, RUN);
	dir = xasprintf("%s/%s.3", run_dir, m.jobs[0].id);
	if (file_mkdir(run_dir, 0755, NULL))
		return -1;
	write_evidence(dir);
	return 0;
}

static void list_of_runs(void **state)
{
	char *text __free(str) = show(0, *state, NULL, NULL, NULL);
	struct json *doc __free(json) = show_json(*state, NULL, NULL);
	const struct json *run = json_at(json_get(doc, "runs"), 0);

	assert_contains(text, RUN "  made  done");
	assert_contains(text, "20 of 26 userspace-reached, 1 degraded, 1 load-failed, 2 hang");
	assert_string_equal(json_get_str(run, "id"), RUN);
	assert_int_equal(json_get_int(run, "done", -1), 25);
}

static void one_run(void **state)
{
	char *last __free(str) = show(0, *state, "last", NULL, NULL);
	char *prefix __free(str) = show(0, *state, "2026", NULL, NULL);
	struct json *doc __free(json) = show_json(*state, "last", NULL);

	assert_contains(last, "a72-512G, k-7.2.6\n");
	assert_string_equal(prefix, last);
	assert_int_equal(json_len(json_get(doc, "attempts")), 25);
}

static void one_job_in_full(void **state)
{
	char *text __free(str) = show(0, *state, "last", "abc0000", NULL);
	const char *p;

	assert_contains(text, "abc000000000.1  minimal -> minimal kexec");
	assert_contains(text, "hang, last stage entry, proven\n");
	assert_contains(text, "  userspace-b     6.500s       2.500s\n"); /* since start, jump */
	assert_contains(text, "  | [    4.2] Bye!\n");
	assert_contains(text, "0.004s  exit 0 after 0.250s: $ uname -r\n");
	assert_contains(text, " | 7.2.6\n");
	assert_contains(text, " | \\x00\\x1b[2J\\xff\n");
	assert_contains(text, "proof release: 7.2.6\n");
	assert_contains(text,
			"\nmachine state\n  a proof: a\\x1b[2Jloop\n  place             PC 0x44\n");
	assert_contains(text, "DISPROOF cmdline\n");
	assert_contains(text, "seen     got\\x1bc\n");
	assert_contains(text, "console gap, 77 bytes: hangup\n");
	assert_contains(text, "limit passed, jump: of 60.0s\n");
	assert_contains(text, "infra error: QEMU died\n");
	assert_contains(text, "/abc000000000.3\n");	 /* where the evidence is */
	assert_contains(text, "no evidence was kept\n"); /* of attempts 1 and 2 */
	assert_null(strstr(text, "typed"));
	for (p = text; *p; p++)
		assert_true(*p == '\n' || (*p >= 0x20 && *p < 0x7f));
}

static void one_attempt(void **state)
{
	char *text __free(str) = show(0, *state, "last", "abc000000000.2", NULL);
	char *planned __free(str) = show(0, *state, "last", "abc17", NULL);
	struct json *doc __free(json) = show_json(*state, "last", "abc000000000.3");
	const struct json *a = json_at(json_get(doc, "attempts"), 0);
	const struct json *events = json_get(a, "events");

	assert_contains(text, "abc000000000.2");
	assert_null(strstr(text, "abc000000000.3"));
	assert_contains(planned, "not run\n");
	assert_int_equal(json_len(json_get(doc, "attempts")), 1);
	assert_string_equal(json_get_str(a, "outcome"), "hang");
	assert_int_equal(json_len(events), 10); /* neither console bytes nor input */
	assert_string_equal(json_get_str(json_at(events, 1), "type"), "command");
}

static void what_is_not_there(void **state)
{
	char *none __free(str) = show(EXIT_USAGE, *state, "nosuchrun", NULL, NULL);
	char *job __free(str) = show(EXIT_USAGE, *state, "last", "nosuchjob", NULL);
	char *many __free(str) = show(EXIT_USAGE, *state, "last", "abc", NULL);
	char *number __free(str) = show(EXIT_USAGE, *state, "last", "abc000000000.x", NULL);
	char *attempt __free(str) = show(EXIT_USAGE, *state, "last", "abc000000000.9", NULL);

	char *in_json __free(str) = show(EXIT_USAGE, *state, "last", "abc000000000.9", "--json");

	/* Reasons go to stderr: a script reads nothing. */
	assert_string_equal(none, "");
	assert_string_equal(job, "");
	assert_string_equal(many, "");
	assert_string_equal(number, "");
	assert_string_equal(attempt, "");
	assert_string_equal(in_json, "");
}

static void looking_leaves_nothing_behind(void **state)
{
	char *db __free(str) = file_join(*state, "kjump.db");
	char *text __free(str) = show(0, *state, NULL, NULL, NULL);
	char *run __free(str) = show(EXIT_USAGE, *state, "last", NULL, NULL);
	struct json *doc __free(json) = show_json(*state, NULL, NULL);

	assert_contains(text, "no runs in '");
	assert_string_equal(run, "");
	assert_int_equal(json_len(json_get(doc, "runs")), 0);
	assert_false(file_exists(db));
}

static void damaged_database(void **state)
{
	char *db __free(str) = file_join(*state, "kjump.db");
	char *text __free(str) = NULL;

	assert_int_equal(file_write(db, "this is no database, whatever its name says", 43, NULL),
			 0);
	text = show(EXIT_INFRA, *state, NULL, NULL, NULL);
	assert_string_equal(text, "");
}

static void usage(void **state)
{
	char *help __free(str) = show(0, *state, "--help", NULL, NULL);
	char *wrong __free(str) = show(EXIT_USAGE, *state, "--nonsense", NULL, NULL);
	char *many __free(str) = show(EXIT_USAGE, *state, "a", "b", "c");

	assert_contains(help, "usage: kjump show");
	assert_string_equal(wrong, "");
	assert_string_equal(many, "");
}

#define RESULTS_TEST(f) cmocka_unit_test_setup_teardown(f, results_setup, made_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESULTS_TEST(list_of_runs),	 RESULTS_TEST(one_run),
		RESULTS_TEST(one_job_in_full),	 RESULTS_TEST(one_attempt),
		RESULTS_TEST(what_is_not_there), MADE_TEST(looking_leaves_nothing_behind),
		MADE_TEST(damaged_database),	 MADE_TEST(usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
