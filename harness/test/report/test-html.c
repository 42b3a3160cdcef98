// SPDX-License-Identifier: GPL-2.0-or-later
/* The page: what stands in it, that it is whole, and that it stays small enough to mail. */
#include "test/report/made_run.h"

#include "report/html.h"
#include "report/markup.h"
#include "test/report/html_tokens.h"

static int nothing(const struct attempt_row *row, size_t picture_bytes, struct exhibit *ret,
		   void *arg, struct err *e)
{
	return 0;
}

static void make(const char *dir, void (*run)(struct store *, struct made *),
		 const struct exhibit_source *source, struct buf *ret)
{
	struct store *s __free(store) = made_open(dir);
	struct run_rows *r __free(run_rows) = NULL;
	struct err e __free_err = ERR_INIT;
	struct made m;

	run(s, &m);
	if (run_rows_load(s, RUN, &r, &e))
		fail_msg("%s", err_msg(&e));
	html_run(r, source, ret);
}

static size_t count(const struct buf *page, const char *part)
{
	const char *p = page->data;
	size_t n = 0;

	for (; (p = strstr(p, part)); p++)
		n++;
	return n;
}

#define assert_has(page, part)                       \
	do {                                         \
		if (!strstr((page)->data, (part)))   \
			fail_msg("no '%s'", (part)); \
	} while (0)

static void a_matrix_as_a_page(void **state)
{
	const struct exhibit_source source = {nothing, NULL};
	struct buf page __free_buf = BUF_INIT;
	struct html_reader r;

	make(*state, made_matrix, &source, &page);
	html_read(&page, &r);
	assert_int_equal(r.n_cards, 26);
	assert_has(&page, "<title>made, run " RUN "</title>");
	assert_has(&page, "20 of 26 userspace-reached, 1 degraded, 1 load-failed, 2 hang");
	assert_has(&page, "<dt>host</dt><dd>bench</dd>");
	assert_has(&page, "<dt>host calibration</dt><dd>1.50 (");
	assert_has(&page, "<dt>QEMU</dt><dd>10.0</dd>");
	assert_has(&page, "<dt>rules</dt><dd>1+abcdef</dd>");
	assert_has(&page, "<td>a72-512G</td><td>qemu-virt</td><td>cortex-a72</td><td>512G</td>");
	/* A cell leads to the attempt that went worst: of three, the third. */
	assert_has(&page, "<td class=\"bad\"><a href=\"#abc000000000.3\">2/3 hang</a></td>");
	assert_has(&page, ">2.0s</a></td>");
	assert_has(&page, "<td class=\"dim\"><a href=\"#");
	assert_int_equal(count(&page, "<table class=\"matrix\">"), 6);
}

static void a_list_as_a_page(void **state)
{
	const struct exhibit_source source = {nothing, NULL};
	struct buf page __free_buf = BUF_INIT;
	struct html_reader r;

	make(*state, made_list, &source, &page);
	html_read(&page, &r);
	assert_int_equal(count(&page, "<table class=\"matrix\">"), 0);
	assert_has(&page, "1/2 panic</a></td>");
	assert_has(&page, "<strong class=\"bad\">panic: VFS: Unable to mount root fs</strong> 1 "
			  "attempt\n");
	assert_has(&page, "It was planned and not run.");
}

static void a_card_tells_all(void **state)
{
	const struct exhibit_source source = {nothing, NULL};
	struct buf page __free_buf = BUF_INIT;

	make(*state, made_matrix, &source, &page);
	assert_has(&page,
		   "<p id=\"abc000000000.3\">hang, last stage entry, proven; not expected</p>\n"
		   "<p class=\"signature\">hang: no console after entry</p>\n"
		   "<p>All CPUs stand at the same address with the MMU off.</p>\n");
	assert_has(&page, "<tr><td>userspace-b</td><td class=\"number\">6.500</td>"
			  "<td class=\"number\">2.500</td>");
	assert_has(&page, "<pre>[    4.1] kexec_core: Starting new kernel\n[    4.2] Bye!\n</pre>");
	assert_has(&page, "its report is cut off");
	assert_has(&page, "<p>Degraded by: CPU 1 did not come up</p>");
	assert_has(&page, "Evidence: runs/" RUN "/abc000000000.3</p>");
}

/* What surprised stands first and open, and the rest closed. */
static void failures_come_first(void **state)
{
	const struct exhibit_source source = {nothing, NULL};
	struct buf page __free_buf = BUF_INIT;
	const char *p;

	make(*state, made_matrix, &source, &page);
	p = strstr(page.data, "<h2>Attempts</h2>\n<details class=\"card\"");
	assert_non_null(p);
	assert_int_equal(count(&page, " open>"), 5);
	p = strstr(p, "<details class=\"card\">\n<summary><span class=\"good\">");
	assert_non_null(p);
	assert_null(strstr(p, " open>"));
}

/* Each attempt has twelve pictures that fill whatever it may have. */
static int greedy(const struct attempt_row *row, size_t picture_bytes, struct exhibit *ret,
		  void *arg, struct err *e)
{
	size_t *largest = arg, i;

	if (picture_bytes > *largest)
		*largest = picture_bytes;
	for (ret->n_pictures = 0; ret->n_pictures < EXHIBIT_PICTURES; ret->n_pictures++) {
		struct exhibit_picture *p = &ret->pictures[ret->n_pictures];

		buf_init(&p->png);
		p->file = xasprintf("frame-%s-%zu.png", row->job, ret->n_pictures);
		for (i = 0; i < picture_bytes / EXHIBIT_PICTURES; i++)
			buf_addch(&p->png, (char)i);
	}
	ret->n_kept = 40;
	return 0;
}

static void pictures_are_bounded(void **state)
{
	size_t largest = 0;
	const struct exhibit_source source = {greedy, &largest};
	struct buf page __free_buf = BUF_INIT;
	struct html_reader r;
	const char *p;

	make(*state, made_matrix, &source, &page);
	html_read(&page, &r);
	assert_int_equal(largest, HTML_PICTURE_BYTES_ATTEMPT);
	assert_true(count(&page, "<img ") >= EXHIBIT_PICTURES);
	assert_true(page.len < HTML_PICTURE_BYTES / 3 * 4 + (1 << 20));
	/* What did not fit is named, and it is that of attempts that went well. */
	assert_has(&page, "not in this file: frame-");
	assert_has(&page, "28 more pictures are in the evidence.");
	p = strstr(page.data, "<details class=\"card\">\n<summary><span class=\"good\">");
	assert_non_null(p);
	assert_true(strstr(page.data, "not in this file: frame-") > p);
}

static int broken(const struct attempt_row *row, size_t picture_bytes, struct exhibit *ret,
		  void *arg, struct err *e)
{
	return err_set(e, EIO, "cannot read '<events>'");
}

static void unreadable_evidence_is_told(void **state)
{
	const struct exhibit_source source = {broken, NULL};
	struct buf page __free_buf = BUF_INIT;
	struct html_reader r;

	make(*state, made_matrix, &source, &page);
	html_read(&page, &r);
	assert_has(&page, "Its evidence could not be read: cannot read &#39;&lt;events&gt;&#39;");
}

static void nothing_passes_as_markup(void **state)
{
	struct buf out __free_buf = BUF_INIT;

	markup_text(&out, "<a href=\"x\" b='y'>&amp;</a>\x1b[2J\n\x7f\xff\xe2\x80\xae\xc3\xa9");
	assert_string_equal(out.data,
			    "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;"
			    "\\x1b[2J\\x0a\\x7f\\xff\\xe2\\x80\\xae\xc3\xa9");
	buf_reset(&out);
	markup_text_cut(&out, "<<<<<", 2);
	assert_string_equal(out.data, "&lt;&lt; <i>(3 more bytes)</i>");
	buf_reset(&out);
	markup_pre(&out, "a<b\r\n</pre>\n");
	assert_string_equal(out.data, "<pre>a&lt;b\\x0d\n&lt;/pre&gt;\n</pre>\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(a_matrix_as_a_page),
		MADE_TEST(a_list_as_a_page),
		MADE_TEST(a_card_tells_all),
		MADE_TEST(failures_come_first),
		MADE_TEST(pictures_are_bounded),
		MADE_TEST(unreadable_evidence_is_told),
		cmocka_unit_test(nothing_passes_as_markup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
