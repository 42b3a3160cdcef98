// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kjump report as a person uses it, and that nothing of a guest reaches a
 * terminal or a browser as more than text, whichever command prints it.
 */
#include "test/cmd/captured.h"
#include "test/cmd/hostile_run.h"
#include "test/report/html_tokens.h"

#include "base/base64.h"
#include "cmd/cmd.h"
#include "cmd/exhibit.h"
#include "report/live.h"

#define JOB "abc000000000"

/* Escaping it once more changes nothing: no control, no bidi, no invalid UTF-8. */
static void assert_safe_text(const struct buf *text)
{
	const char *p = text->data, *end;

	assert_true(text->len > 0);
	assert_null(memchr(text->data, '\0', text->len));
	for (; *p; p = *end ? end + 1 : end) {
		struct buf again __free_buf = BUF_INIT;

		end = strchrnul(p, '\n');
		text_escape(&again, p, (size_t)(end - p));
		if (again.len != (size_t)(end - p) || memcmp(again.data, p, again.len) != 0)
			fail_msg("'%s'", again.data);
	}
}

static void terminal_gets_only_text(void **state)
{
	const char *const shown[][7] = {
		{"show", "--results", *state, NULL},
		{"show", "--results", *state, "last", NULL},
		{"show", "--results", *state, "last", JOB, NULL},
		{"show", "--results", *state, "last", "--json", NULL},
		{"show", "--results", *state, "last", JOB, "--json", NULL},
	};
	const char *const report[] = {"report",	  "--results", *state, "last",
				      "--format", "text",      NULL};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shown); i++) {
		struct buf out __free_buf = BUF_INIT;

		assert_int_equal(captured(cmd_show, shown[i], STDOUT_FILENO, &out), 0);
		/* JSON may hold any letter, but no control and nothing that is not UTF-8. */
		if (i < 3)
			assert_safe_text(&out);
		else
			assert_json_is_safe(&out);
	}
	{
		struct buf out __free_buf = BUF_INIT;

		assert_int_equal(captured(cmd_report, report, STDOUT_FILENO, &out), 0);
		assert_safe_text(&out);
		assert_non_null(strstr(out.data, "\\x1b[2J"));
	}
}

/* Reasons go to stderr, and name what was looked for. */
static void reasons_are_only_text(void **state)
{
	const char *const job[] = {"show", "--results", *state, "last", "\x1b[2J", NULL};
	const char *const run[] = {"report",   "--results", *state, "\x1b[2J",
				   "--format", "text",	    NULL};
	const char *const many[] = {"show", "--results", *state, "last", "abc", NULL};
	struct buf out __free_buf = BUF_INIT;

	assert_int_equal(captured(cmd_show, job, STDERR_FILENO, &out), EXIT_USAGE);
	assert_safe_text(&out);
	buf_reset(&out);
	assert_int_equal(captured(cmd_report, run, STDERR_FILENO, &out), EXIT_USAGE);
	assert_safe_text(&out);
	buf_reset(&out);
	assert_int_equal(captured(cmd_show, many, STDERR_FILENO, &out), EXIT_USAGE);
	assert_safe_text(&out);
}

static void the_live_view_is_only_text(void **state)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	struct verdict v = hostile_verdict();
	struct live *l = live_new(out, 1);
	struct buf all __free_buf = BUF_INIT;

	live_job_started(l, 0, HOSTILE);
	live_stage(l, 0, STAGE_EARLY);
	live_tick(l, 0, 1, 5 * NS_PER_S);
	live_job_done(l, 0, &v, HOSTILE);
	live_free(l);
	fclose(out);
	buf_add(&all, text, len);
	free(text);
	assert_safe_text(&all);
}

static void judged_console_is_only_text(void **state)
{
	static const char console[] = "[    0.000000] Linux version 7.2.6 (a@b) #1\n"
				      "[    1.000000] Kernel panic - not syncing: " HOSTILE "\n"
				      "[    1.000000] WARNING: CPU: 0 PID: 1 at " HOSTILE
				      ":12 " HOSTILE "+0x1/0x2\n" HOSTILE "\n";
	char *path __free(str) = file_join(*state, "console");
	const char *const as_text[] = {"judge", "--console", path, NULL};
	const char *const as_json[] = {"judge", "--console", path, "--json", NULL};
	struct buf out __free_buf = BUF_INIT;

	assert_int_equal(file_write(path, console, sizeof(console) - 1, NULL), 0);
	assert_int_equal(captured(cmd_judge, as_text, STDOUT_FILENO, &out), EXIT_SURPRISE);
	assert_safe_text(&out);
	assert_non_null(strstr(out.data, "onerror=alert"));
	buf_reset(&out);
	assert_int_equal(captured(cmd_judge, as_json, STDOUT_FILENO, &out), EXIT_SURPRISE);
	assert_json_is_safe(&out);
}

static void browser_gets_only_text(void **state)
{
	const char *const argv[] = {"report",	"--results", *state, "last",
				    "--format", "html",	     NULL};
	struct buf page __free_buf = BUF_INIT, png __free_buf = BUF_INIT,
			code __free_buf = BUF_INIT;
	struct html_reader r;

	assert_int_equal(captured(cmd_report, argv, STDOUT_FILENO, &page), 0);
	html_read(&page, &r);
	assert_int_equal(r.n_cards, 2);
	assert_non_null(strstr(page.data, "&lt;script&gt;alert(1)&lt;/script&gt;"));
	/* The picture that is there, whole; those that are not, by name or not at all. */
	hostile_png(&png);
	base64_encode(&code, png.data, png.len);
	assert_non_null(strstr(page.data, code.data));
	assert_null(strstr(page.data, "secret"));
	assert_non_null(strstr(page.data, "not in this file: frame-&lt;script&gt;.png"));
	assert_non_null(strstr(page.data, "<td class=\"bad\">disproof</td>"));
	assert_non_null(strstr(page.data, "<td class=\"good\">proof</td>"));
}

/* A picture that is none, or that does not fit, gives no bytes. */
static void only_pictures_are_taken(void **state)
{
	char *dir __free(str) = xasprintf("%s/runs/%s/" JOB ".1", (char *)*state, RUN);
	char *path __free(str) = file_join(dir, "frame-0001.png");
	struct attempt_row row = {.milestones = {{.us = -1}}};
	struct exhibit x = {0};
	struct err e __free_err = ERR_INIT;

	assert_int_equal(exhibit_read(dir, &row, 1 << 20, &x, &e), 0);
	assert_int_equal(x.n_pictures, 2);
	assert_true(x.pictures[0].png.len > 8);
	assert_int_equal(x.n_checks, 2);
	exhibit_fini(&x);
	assert_int_equal(exhibit_read(dir, &row, 8, &x, &e), 0);
	assert_int_equal(x.pictures[0].png.len, 0);
	exhibit_fini(&x);
	assert_int_equal(file_write(path, "<svg onload=alert(1)>", 21, &e), 0);
	assert_int_equal(exhibit_read(dir, &row, 1 << 20, &x, &e), 0);
	assert_int_equal(x.pictures[0].png.len, 0);
	exhibit_fini(&x);
}

static void into_a_file(void **state)
{
	char *path __free(str) = file_join(*state, "report.html");
	const char *const to_file[] = {"report", "--results", *state, "last", "-o",
				       path,	 "--format",  "html", NULL};
	const char *const to_stdout[] = {"report",   "--results", *state, "last",
					 "--format", "html",	  NULL};
	struct buf nothing __free_buf = BUF_INIT, file __free_buf = BUF_INIT,
			   out __free_buf = BUF_INIT;

	assert_int_equal(captured(cmd_report, to_file, STDOUT_FILENO, &nothing), 0);
	assert_int_equal(nothing.len, 0);
	assert_int_equal(captured(cmd_report, to_stdout, STDOUT_FILENO, &out), 0);
	assert_int_equal(file_read(path, 1 << 22, &file, NULL), 0);
	assert_string_equal(file.data, out.data);
}

static void what_cannot_be_written(void **state)
{
	const char *const wrong[][9] = {
		{"report", "--results", *state, "last", "--format", "pdf", NULL},
		{"report", "--results", *state, "last", NULL},
		{"report", "--results", *state, "--format", "html", NULL},
		{"report", "--results", *state, "nosuchrun", "--format", "html", NULL},
		{"report", "--results", "/nonexistent", "last", "--format", "html", NULL},
	};
	const char *const nowhere[] = {"report",	 "--results", *state, "last", "-o",
				       "/nonexistent/x", "--format",  "html", NULL};
	struct buf out __free_buf = BUF_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(captured(cmd_report, wrong[i], STDERR_FILENO, &out), EXIT_USAGE);
		assert_true(out.len > 0);
		buf_reset(&out);
	}
	assert_int_equal(captured(cmd_report, wrong[0], STDERR_FILENO, &out), EXIT_USAGE);
	assert_non_null(strstr(out.data, "there is no format 'pdf'; there are: html, text"));
	assert_int_equal(captured(cmd_report, nowhere, STDERR_FILENO, &out), EXIT_USAGE);
}

static void pictures_by_path(void **state)
{
	const char *const argv[] = {"show", "--results", *state, "last", JOB, NULL};
	char *path __free(str) =
		xasprintf("%s/runs/%s/" JOB ".1/frame-0001.png", (char *)*state, RUN);
	struct buf out __free_buf = BUF_INIT;

	assert_int_equal(captured(cmd_show, argv, STDOUT_FILENO, &out), 0);
	assert_non_null(strstr(out.data, path));
	assert_true(file_exists(path));
	assert_null(strstr(out.data, "/../../frame-secret.png"));
}

#define HOSTILE_TEST(f) cmocka_unit_test_setup_teardown(f, hostile_setup, made_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HOSTILE_TEST(terminal_gets_only_text),
		HOSTILE_TEST(reasons_are_only_text),
		cmocka_unit_test(the_live_view_is_only_text),
		MADE_TEST(judged_console_is_only_text),
		HOSTILE_TEST(browser_gets_only_text),
		HOSTILE_TEST(only_pictures_are_taken),
		HOSTILE_TEST(into_a_file),
		HOSTILE_TEST(what_cannot_be_written),
		HOSTILE_TEST(pictures_by_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
