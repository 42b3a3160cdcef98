// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/buf.h"
#include "judge/clean.h"

static const char use_names[] = {
	[LINE_PLAIN] = 'P', [LINE_SHOW] = 'S', [LINE_JOINED] = 'J', [LINE_UNWRAPPED] = 'U'};

/* "P:text|J:text|": what the bytes become, fed @step at a time. */
static char *cleaned(const char *bytes, size_t len, size_t step)
{
	struct buf out = BUF_INIT;
	struct cleaner c;
	size_t i = 0;
	bool more = true;

	clean_init(&c);
	while (more) {
		size_t n = len - i < step ? len - i : step, l;

		if (i < len)
			i += clean_feed(&c, bytes + i, n);
		else {
			clean_finish(&c);
			more = false;
		}
		for (l = 0; l < c.n_lines; l++) {
			buf_addf(&out, "%c:", use_names[c.lines[l].use]);
			buf_add(&out, c.text + c.lines[l].start, c.lines[l].len);
			buf_addch(&out, '|');
		}
		clean_next(&c);
	}
	clean_fini(&c);
	return buf_steal(&out);
}

static void becomes_bytes(const char *bytes, size_t len, const char *expected)
{
	char *at_once __free(str) = cleaned(bytes, len, len ? len : 1);
	char *bytewise __free(str) = cleaned(bytes, len, 1);

	assert_string_equal(at_once, expected);
	assert_string_equal(bytewise, expected);
}

static void becomes(const char *bytes, const char *expected)
{
	becomes_bytes(bytes, strlen(bytes), expected);
}

static void any_line_end(void **state)
{
	becomes("a\nb\r\nc\rd\r\r\ne\n\nf", "P:a|P:b|P:c|P:d|P:e|P:f|");
	becomes("", "");
	becomes("\r\n\n\r", "");
}

static void control_is_dropped(void **state)
{
	becomes_bytes("a\0b\x01\x7f\x0e\n", 7, "P:ab|");
	becomes("\x1b[0;32m  OK  \x1b[0m] x\n", "P:  OK  ] x|");
	becomes("\x1b[?2004h# \x1b]0;title\x07ls\n", "P:# ls|");
	becomes("a\x1b]8;;http://x\x1b\\b\x1b(Bc\x1b=d\n", "P:abcd|");
	becomes("\xff\xfeg\n", "P:\xff\xfeg|");
}

/* A sequence that lost its end must not swallow the lines after it. */
static void lost_ends_are_bounded(void **state)
{
	becomes("a\x1b]0;title\nKernel panic\n", "P:a|P:Kernel panic|");
	becomes("a\x1b[12;\nKernel panic\n", "P:a|P:Kernel panic|");
	becomes("a\x1b\nb\n", "P:a|P:b|");
}

static void backspace_takes_back(void **state)
{
	becomes("stop:  2 \b\b\b 1 \b\b\b 0 \n", "P:stop:  0 |");
	becomes("\b\b\babc\b\b\b\b\bx\n", "P:x|");
}

static void cursor_moves_part_lines(void **state)
{
	becomes("\x1b[2J\x1b[01;01Hone\x1b[02;01Htwo\x1b[0K\n", "P:one|P:two|");
}

static void wrapped_lines_are_joined(void **state)
{
	char a[81], b[65], text[300], expected[600];

	memset(a, 'a', 80);
	a[80] = 0;
	memset(b, 'b', 64);
	b[64] = 0;
	snprintf(text, sizeof(text), "%s\r\ntail\n", a);
	snprintf(expected, sizeof(expected), "S:%s|P:tail|J:%stail|", a, a);
	becomes(text, expected);
	/* Over three rows: each pair once, the last row alone as well. */
	snprintf(text, sizeof(text), "%s\n%s\nend\n", b, a);
	snprintf(expected, sizeof(expected), "S:%s|S:%s|J:%s%s|P:end|J:%send|", b, a, b, a, a);
	becomes(text, expected);
	/* Nothing came to join it. */
	snprintf(text, sizeof(text), "%s\n", a);
	snprintf(expected, sizeof(expected), "S:%s|U:%s|", a, a);
	becomes(text, expected);
}

/* Lines that are longer than the width: nothing wraps there. */
static void longer_lines_say_that_nothing_wraps(void **state)
{
	char a[81], b[82], text[400], expected[600];

	memset(a, 'a', 80);
	a[80] = 0;
	memset(b, 'b', 81);
	b[81] = 0;
	snprintf(text, sizeof(text), "%s\n%s\n%s\n%s\nx\n", b, b, b, a);
	snprintf(expected, sizeof(expected), "P:%s|P:%s|P:%s|P:%s|P:x|", b, b, b, a);
	becomes(text, expected);
}

static void joined_line_knows_its_bytes(void **state)
{
	char text[100];
	struct cleaner c;

	clean_init(&c);
	memset(text, 'x', 80);
	memcpy(text + 80, "\r\nabc\n", 6);
	assert_int_equal(clean_feed(&c, "12\n", 3), 3);
	assert_int_equal(clean_feed(&c, text, 86), 86);
	assert_int_equal(c.n_lines, 4);
	assert_int_equal(c.lines[0].raw_start, 0);
	assert_int_equal(c.lines[0].raw_end, 2);
	assert_int_equal(c.lines[2].raw_start, 85);
	assert_int_equal(c.lines[2].raw_end, 88);
	assert_int_equal(c.lines[3].use, LINE_JOINED);
	assert_int_equal(c.lines[3].boundary, 80);
	assert_int_equal(c.lines[3].raw_start, 3);
	assert_int_equal(c.lines[3].raw_boundary, 83);
	assert_int_equal(c.lines[3].raw_end, 88);
	clean_fini(&c);
}

static void release_goes_before_the_partial_line(void **state)
{
	char text[100];
	struct cleaner c;

	clean_init(&c);
	memset(text, 'x', 80);
	memcpy(text + 80, "\npart", 5);
	clean_feed(&c, text, 85);
	clean_next(&c);
	clean_release(&c);
	assert_int_equal(c.n_lines, 1);
	assert_int_equal(c.lines[0].len, 80);
	clean_next(&c);
	clean_feed(&c, "ial\n", 4);
	assert_int_equal(c.n_lines, 1);
	assert_memory_equal(c.text, "partial\n", 8);
	assert_int_equal(c.lines[0].raw_start, 81);
	clean_fini(&c);
}

/* No line end for ever: lines of the greatest length, memory as it was. */
static void endless_line_is_cut(void **state)
{
	static char chunk[100000];
	struct cleaner c;
	size_t fed = 0, lines = 0, most = 0;

	memset(chunk, 'A', sizeof(chunk));
	clean_init(&c);
	while (fed < 50 * sizeof(chunk)) {
		size_t at = fed % sizeof(chunk), i;

		fed += clean_feed(&c, chunk + at, sizeof(chunk) - at);
		for (i = 0; i < c.n_lines; i++)
			assert_int_equal(c.lines[i].len, CLEAN_LINE_BYTES);
		lines += c.n_lines;
		if (c.len > most)
			most = c.len;
		clean_next(&c);
	}
	assert_int_equal(lines, fed / CLEAN_LINE_BYTES);
	assert_true(most <= CLEAN_BATCH_BYTES + 2 * CLEAN_LINE_BYTES);
	clean_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_line_end),
		cmocka_unit_test(control_is_dropped),
		cmocka_unit_test(lost_ends_are_bounded),
		cmocka_unit_test(backspace_takes_back),
		cmocka_unit_test(cursor_moves_part_lines),
		cmocka_unit_test(wrapped_lines_are_joined),
		cmocka_unit_test(longer_lines_say_that_nothing_wraps),
		cmocka_unit_test(joined_line_knows_its_bytes),
		cmocka_unit_test(release_goes_before_the_partial_line),
		cmocka_unit_test(endless_line_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
