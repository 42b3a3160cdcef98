// SPDX-License-Identifier: GPL-2.0-or-later
/* What a person reads, byte by byte; texts to compare with lie in golden/. */
#include "test/report/made_run.h"

#include "report/blocks.h"
#include "report/text.h"

#define GOLDEN "harness/test/report/golden"

static void load(const char *dir, struct run_rows **ret,
		 void (*make)(struct store *, struct made *))
{
	struct store *s __free(store) = made_open(dir);
	struct err e __free_err = ERR_INIT;
	struct made m;

	make(s, &m);
	if (run_rows_load(s, RUN, ret, &e))
		fail_msg("%s", err_msg(&e));
}

/* KJUMP_UPDATE_GOLDEN=1 writes the file instead. */
static void assert_golden(const char *name, const struct buf *text)
{
	char *path __free(str) = file_join(GOLDEN, name);
	struct buf want __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;

	if (getenv("KJUMP_UPDATE_GOLDEN")) {
		assert_int_equal(file_write(path, text->data, text->len, &e), 0);
		return;
	}
	if (file_read(path, 1 << 20, &want, &e))
		fail_msg("%s", err_msg(&e));
	assert_string_equal(text->data, want.data);
}

static void check(void **state, void (*make)(struct store *, struct made *), unsigned int width,
		  const char *golden)
{
	struct run_rows *r __free(run_rows) = NULL;
	const struct style style = {.width = width};
	struct buf text __free_buf = BUF_INIT;

	load(*state, &r, make);
	text_run(r, &style, &text);
	assert_null(memchr(text.data, '\033', text.len));
	assert_golden(golden, &text);
}

static void matrix_at_80(void **state)
{
	check(state, made_matrix, 80, "matrix-80.txt");
}

static void matrix_at_132(void **state)
{
	check(state, made_matrix, 132, "matrix-132.txt");
}

static void list_at_80(void **state)
{
	check(state, made_list, 80, "list-80.txt");
}

static void made_wide(struct store *s, struct made *m)
{
	int from, to;

	made_init(m);
	for (from = 0; from < 2; from++)
		for (to = 0; to < 4; to++)
			made_add(m, 0, 0, JUMP_KEXEC, from, to);
	made_begin(s, RUN, m);
}

static void wide_block_is_cut(void **state)
{
	check(state, made_wide, 40, "wide-40.txt");
}

static void no_line_is_wider(void **state)
{
	struct run_rows *r __free(run_rows) = NULL;
	const struct style style = {.width = 60};
	struct buf text __free_buf = BUF_INIT;
	const char *p, *end;

	load(*state, &r, made_matrix);
	text_matrix(r, &style, &text);
	assert_true(text.len > 500);
	for (p = text.data; *p; p = end + 1) {
		end = strchr(p, '\n');
		assert_in_range(end - p, 0, 60);
		assert_true(end == p || end[-1] != ' ');
	}
}

/* Colours add escape sequences and nothing else. */
static void colours(void **state)
{
	struct run_rows *r __free(run_rows) = NULL;
	const struct style plain = {.width = 80}, colour = {.width = 80, .colour = true};
	struct buf a __free_buf = BUF_INIT, b __free_buf = BUF_INIT, bare __free_buf = BUF_INIT;
	const char *p;

	load(*state, &r, made_matrix);
	text_run(r, &plain, &a);
	text_run(r, &colour, &b);
	assert_non_null(strstr(b.data, "\033[31mhang\033[0m"));
	for (p = b.data; *p; p++) {
		if (*p == '\033')
			p = strchr(p, 'm');
		else
			buf_addch(&bare, *p);
	}
	assert_string_equal(bare.data, a.data);
}

/* What a guest printed cannot reach a terminal, wherever it got to. */
static void made_hostile(struct store *s, struct made *m)
{
	char *also[] = {(char *)"\033]0;title\a"};
	struct verdict v = made_verdict(OUTCOME_PANIC, STAGE_EARLY, 0);

	made_init(m);
	m->profiles[0].id = (char *)"\033[2Jprofile";
	m->machines[0].name = (char *)"m\r\xe2\x80\xae"
				      "x";
	made_add(m, 0, 0, JUMP_KEXEC, 0, 1);
	m->jobs[0].title = (char *)"\x9b"
				   "31mtitle";
	made_begin(s, RUN, m);
	v.signature = (char *)"sig\033[31m\nnature";
	v.detail = (char *)"de\b\b\btail";
	v.last_lines = (char *)"one\033c\rtwo\nthree\x07";
	v.consequences = v.degradations = also;
	v.n_consequences = v.n_degradations = 1;
	made_put(s, RUN, &m->jobs[0], 1, &v);
}

static void nothing_hostile_gets_out(void **state)
{
	struct run_rows *r __free(run_rows) = NULL;
	const struct style style = {.width = 80};
	struct buf text __free_buf = BUF_INIT;
	size_t i;

	load(*state, &r, made_hostile);
	text_run(r, &style, &text);
	text_matrix(r, &style, &text);
	for (i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.data[i];

		assert_true(c == '\n' || (c >= 0x20 && c < 0x7f));
	}
	assert_non_null(strstr(text.data, "sig\\x1b[31m"));
	assert_non_null(strstr(text.data, "| one\\x1bc\\x0dtwo\n"));
	assert_non_null(strstr(text.data, "\\x1b]0;title\\x07"));
}

static void made_crowd(struct store *s, struct made *m)
{
	struct verdict v = made_verdict(OUTCOME_RESET, STAGE_EARLY, 0);
	int i;

	made_init(m);
	for (i = 0; i < 20; i++)
		made_add(m, i % 3, i / 3 % 3, JUMP_COLD, i % 4, i % 2);
	made_begin(s, RUN, m);
	v.signature = (char *)"reset: in a loop";
	for (i = 0; i < 20; i++)
		made_put(s, RUN, &m->jobs[i], 1, &v);
}

static void alike_is_said_once(void **state)
{
	struct run_rows *r __free(run_rows) = NULL;
	const struct style style = {.width = 80};
	struct buf text __free_buf = BUF_INIT;
	const char *first;

	load(*state, &r, made_crowd);
	text_failures(r, &style, &text);
	first = strstr(text.data, "reset: in a loop (20 attempts)\n");
	assert_ptr_equal(first, text.data);
	assert_null(strstr(first + strlen("reset: in a loop"), "in a loop"));
	assert_non_null(strstr(text.data, "  and 12 more\n"));
}

static void made_one(struct store *s, struct made *m)
{
	made_init(m);
	made_add(m, 0, 0, JUMP_KEXEC, 0, 0);
	made_begin(s, RUN, m);
}

static void made_full_cross(struct store *s, struct made *m)
{
	int from, to;

	made_init(m);
	for (from = 0; from < 3; from++)
		for (to = 0; to < 3; to++)
			made_add(m, 0, 0, JUMP_KEXEC, from, to);
	made_begin(s, RUN, m);
}

static bool is_matrix(const char *dir, const char *name,
		      void (*make)(struct store *, struct made *))
{
	struct run_rows *r __free(run_rows) = NULL;
	char *sub __free(str) = file_join(dir, name);

	assert_int_equal(file_mkdir(sub, 0755, NULL), 0);
	load(sub, &r, make);
	return run_is_matrix(r);
}

static void form_follows_the_plan(void **state)
{
	assert_true(is_matrix(*state, "cross", made_full_cross));
	assert_true(is_matrix(*state, "matrix", made_matrix));
	assert_false(is_matrix(*state, "list", made_list));
	assert_false(is_matrix(*state, "one", made_one));
	assert_false(is_matrix(*state, "crowd", made_crowd));
}

static void run_that_is_not_there(void **state)
{
	struct store *s __free(store) = made_open(*state);
	struct err e __free_err = ERR_INIT;

	assert_int_equal(report_text_run(s, "none", stdout, &e), -ENOENT);
}

/* A full disk or a closed pipe under the output is an error, not silence. */
static void output_that_fails(void **state)
{
	struct store *s __free(store) = made_open(*state);
	struct err e __free_err = ERR_INIT;
	struct made m;
	FILE *full = fopen("/dev/full", "w");

	assert_non_null(full);
	made_one(s, &m);
	assert_int_equal(report_text_run(s, RUN, full, &e), -ENOSPC);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(matrix_at_80),
		MADE_TEST(matrix_at_132),
		MADE_TEST(list_at_80),
		MADE_TEST(wide_block_is_cut),
		MADE_TEST(no_line_is_wider),
		MADE_TEST(colours),
		MADE_TEST(nothing_hostile_gets_out),
		MADE_TEST(alike_is_said_once),
		MADE_TEST(form_follows_the_plan),
		MADE_TEST(run_that_is_not_there),
		MADE_TEST(output_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
