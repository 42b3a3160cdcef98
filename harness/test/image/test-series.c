// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/image/sandbox.h"

#include <errno.h>

#include <glob.h>

#include "image/series.h"

#define DIFF   "---\n a | 2 +-\n\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n"
#define SIGNED "\nSigned-off-by: A U Thor <a@example.org>\n"

/* Out of order, with a cover letter, a reply that quotes a patch, and one of words only. */
static const char thread[] =
	"[PATCH 6.1 0/2] arm64: faster\n\n[A U Thor]\n\nHello.\n\n"
	"[PATCH 6.1 2/2] arm64: two\n\n[A U Thor]\n\nSecond.\n" SIGNED DIFF "\n"
	"Re: [PATCH 6.1 1/2] arm64: one\n\n[B U Sy]\n\n> Quoted.\n" DIFF "\n"
	"[PATCH 6.1 1/2] arm64: one's\n\n[A U Thor]\n\nFirst.\n" SIGNED DIFF;

static void a_thread_keeps_order_and_authors(void **state)
{
	struct series s __free_series = {NULL, 0};
	struct err e __free_err = ERR_INIT;
	char *out __free(str) = file_join(*state, "out");

	assert_ok(series_parse_thread(thread, strlen(thread), &s, &e));
	assert_int_equal(s.n, 2);
	assert_string_equal(s.p[0].subject, "arm64: one's");
	assert_string_equal(s.p[0].email, "a@example.org");
	assert_contains(s.p[0].body, "First.");
	assert_contains(s.p[1].body, "Second.");
	assert_ok(series_write(&s, out, &e));
	assert_file_is(out, "series", "0001-arm64-ones.patch\n0002-arm64-two.patch\n");
	assert_int_equal(series_write(&s, out, &e), -EEXIST);
}

static void a_mailbox_by_gits_own_reading(void **state)
{
	static const char box[] =
		"From x Mon Sep 17 00:00:00 2001\nFrom: =?UTF-8?q?J=C3=B6rg?= <j@example.org>\n"
		"Date: Tue, 17 Feb 2026 13:35:21 +0000\nSubject: [PATCH v2 2/2] two\n\nB.\n" DIFF
		"\nFrom x Mon Sep 17 00:00:00 2001\nFrom: R <r@example.org>\n"
		"Subject: Re: [PATCH v2 1/2] one\n\nNo.\n" DIFF
		"\nFrom x Mon Sep 17 00:00:00 2001\nFrom: J <j@example.org>\n"
		"Subject: [PATCH v2 1/2] one\n\nA.\n" DIFF "\n";
	struct series s __free_series = {NULL, 0};
	struct err e __free_err = ERR_INIT;
	char *path __free(str) = sandbox_path(*state, "box");

	sandbox_puts(*state, "box", box);
	assert_ok(series_read(path, &s, &e));
	assert_int_equal(s.n, 2);
	assert_string_equal(s.p[0].subject, "one");
	assert_string_equal(s.p[1].name, "J\xc3\xb6rg");
	assert_string_equal(s.p[1].date, "Tue, 17 Feb 2026 13:35:21 +0000");
	assert_contains(s.p[1].body, "diff --git a/a b/a");
}

static void what_is_not_whole_is_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"", "no patch"},
		{"[PATCH 2/2] b\n\n[A U Thor]\n\n" SIGNED DIFF, "patch 1/2 is missing"},
		{"[PATCH 1/1] b\n\n[A U Thor]\n\n" SIGNED DIFF
		 "\n[PATCH 1/1] b\n\n[A U Thor]\n\n" SIGNED DIFF,
		 "patch 1/1 stands twice"},
		{"[PATCH 1/2] b\n\n[A U Thor]\n\n" SIGNED DIFF
		 "\n[PATCH 2/3] b\n\n[A U Thor]\n\n" SIGNED DIFF,
		 "patches of two series"},
		{"[PATCH] b\n\n[Nobody]\n\n" SIGNED DIFF, "has the address of Nobody"},
		{"[PATCH] b\n\nno author\n" DIFF, "nothing says who wrote it"},
		{"[PATCH] \x1b[2J\n\n[A U Thor]\n\n" SIGNED DIFF, "is not text"},
		{"[PATCH 1/4294967297] b\n\n[A U Thor]\n\n" SIGNED DIFF, "is missing"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct series s __free_series = {NULL, 0};
		struct err e __free_err = ERR_INIT;

		assert_true(series_parse_thread(cases[i].text, strlen(cases[i].text), &s, &e) < 0);
		assert_contains(err_msg(&e), cases[i].why);
	}
}

/* No name of a file comes from a mail as it is. */
static void a_subject_leads_nowhere(void **state)
{
	static const char text[] = "[PATCH] ../../../etc/x; rm -rf /\n\n[A U Thor]\n\n" SIGNED DIFF;
	struct series s __free_series = {NULL, 0};
	struct err e __free_err = ERR_INIT;
	char *out __free(str) = file_join(*state, "out");

	assert_ok(series_parse_thread(text, strlen(text), &s, &e));
	assert_ok(series_write(&s, out, &e));
	assert_file_is(out, "series", "0001-etc-x-rm-rf.patch\n");
	assert_true(sandbox_has(out, "0001-etc-x-rm-rf.patch"));
}

/* The series of three for 6.1, as a thread with replies. */
static void a_real_thread(void **state)
{
	struct series s __free_series = {NULL, 0};
	struct err e __free_err = ERR_INIT;
	glob_t g;

	if (glob("../shared/seeds/001_*", 0, NULL, &g)) {
		print_message("SKIPPED there is no ../shared/seeds/001_*\n");
		globfree(&g);
		skip();
	}
	assert_ok(series_read(g.gl_pathv[0], &s, &e));
	globfree(&g);
	assert_int_equal(s.n, 3);
	assert_string_equal(s.p[2].email, "ryan.roberts@arm.com");
	assert_contains(s.p[1].body, "set_pte_nosync");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, sandbox_setup, sandbox_teardown)
		T(a_thread_keeps_order_and_authors),
		T(a_mailbox_by_gits_own_reading),
		T(what_is_not_whole_is_refused),
		T(a_subject_leads_nowhere),
		T(a_real_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
