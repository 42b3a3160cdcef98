// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A page in a real browser (Chromium, without a window): what a hostile run holds
 * arrives as text, nothing runs, nothing is fetched, and the pictures are shown.
 */
#include "test/cmd/hostile_run.h"

#include "base/process.h"

#define PAGE_BYTES (16U << 20)

static const char *browser(void)
{
	static const char *const names[] = {"chromium", "chromium-browser", "google-chrome"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const char *const argv[] = {names[i], "--version", NULL};

		if (!process_run(argv, 4096, NULL, NULL, NULL))
			return names[i];
	}
	return NULL;
}

static char *make_page(const char *dir)
{
	char *path = file_join(dir, "page.html");
	const char *const argv[] = {
		"build/san/kjump", "report", "last", "--format", "html", "-o", path,
		"--results",	   dir,	     NULL};
	struct err e __free_err = ERR_INIT;

	if (process_run(argv, 4096, NULL, NULL, &e))
		fail_msg("%s", err_msg(&e));
	return path;
}

/* The document after its scripts, if there were any, have run; @more: one option or NULL. */
static void browse(const char *name, const char *dir, const char *page, const char *more,
		   struct buf *out)
{
	char *url __free(str) = xasprintf("file://%s", page);
	char *profile __free(str) = xasprintf("--user-data-dir=%s/profile", dir);
	const char *const argv[] = {name,
				    "--headless",
				    "--no-sandbox",
				    "--disable-gpu",
				    "--window-size=800,3000",
				    profile,
				    more,
				    url,
				    NULL};
	struct err e __free_err = ERR_INIT;

	if (process_run(argv, PAGE_BYTES, out, NULL, &e))
		fail_msg("%s", err_msg(&e));
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

/* The browser's own reading of the page, written down again. */
static void hostile_text_stays_text(void **state)
{
	const char *name = browser();
	struct buf dom __free_buf = BUF_INIT;
	char *page __free(str) = NULL;

	if (!name)
		skip_because("there is no chromium");
	page = make_page(*state);
	browse(name, *state, page, "--dump-dom", &dom);
	assert_int_equal(count(dom.data, "<details "), 2);
	assert_int_equal(count(dom.data, "<script"), 0);
	assert_int_equal(count(dom.data, "<img "), 1);
	assert_int_equal(count(dom.data, "<img alt=\"what the display showed\" src=\"data:"), 1);
	assert_true(count(dom.data, "&lt;script&gt;alert(1)&lt;/script&gt;") > 10);
}

static bool stands_at(const struct picture *seen, const struct picture *sample, unsigned int x,
		      unsigned int y)
{
	unsigned int row;

	for (row = 0; row < sample->height; row++) {
		const uint8_t *at = seen->rgb + 3 * ((size_t)(y + row) * seen->width + x);

		if (memcmp(at, sample->rgb + 3 * (size_t)row * sample->width, 3 * sample->width))
			return false;
	}
	return true;
}

/* Pixel by pixel, somewhere: it was decoded and drawn. */
static bool is_shown(const struct picture *seen, const struct picture *sample)
{
	unsigned int x, y;

	for (y = 0; y + sample->height <= seen->height; y++)
		for (x = 0; x + sample->width <= seen->width; x++)
			if (stands_at(seen, sample, x, y))
				return true;
	return false;
}

static void pictures_are_shown(void **state)
{
	const char *name = browser();
	char *shot __free(str) = file_join(*state, "shot.png");
	char *option __free(str) = xasprintf("--screenshot=%s", shot);
	struct buf png __free_buf = BUF_INIT, bytes __free_buf = BUF_INIT;
	struct picture sample __free_picture = PICTURE_INIT, seen __free_picture = PICTURE_INIT;
	struct err e __free_err = ERR_INIT;
	char *page __free(str) = NULL;

	if (!name)
		skip_because("there is no chromium");
	page = make_page(*state);
	browse(name, *state, page, option, NULL);
	hostile_png(&png);
	assert_int_equal(picture_parse_png(&sample, png.data, png.len, &e), 0);
	if (file_read(shot, PAGE_BYTES, &bytes, &e) ||
	    picture_parse_png(&seen, bytes.data, bytes.len, &e))
		fail_msg("%s", err_msg(&e));
	assert_true(is_shown(&seen, &sample));
}

#define HOSTILE_TEST(f) cmocka_unit_test_setup_teardown(f, hostile_setup, made_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HOSTILE_TEST(hostile_text_stays_text),
		HOSTILE_TEST(pictures_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
