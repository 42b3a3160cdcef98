// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A display in a lab's file.
 */
#include "test/test.h"

#include "base/alloc.h"
#include "plan/capture.h"

static void read_text(const char *text, struct capture_spec *c, struct diag *diag)
{
	struct yaml_doc *doc __free(yaml) = NULL;

	assert_int_equal(yaml_doc_parse("/lab/bench.yaml", text, strlen(text), diag, &doc), 0);
	capture_read(diag, doc->root, c);
}

static void everything_has_a_default(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct capture_spec c;

	read_text("source: /dev/video0", &c, &diag);
	assert_int_equal(diag.n, 0);
	assert_string_equal(c.source, "/dev/video0");
	assert_int_equal(c.format, CAPTURE_V4L2);
	assert_null(c.input);
	assert_int_equal(c.width, 0);
	assert_int_equal(c.rate, 0);
	assert_null(c.no_signal);
	capture_fini(&c);
}

static void everything_can_be_said(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct capture_spec c;

	read_text("{source: x, format: lavfi, input: mjpeg, size: 1280x720, rate: 30, "
		  "delay-ms: 50, no-signal: /dev/null}",
		  &c, &diag);
	assert_int_equal(diag.n, 0);
	assert_int_equal(c.format, CAPTURE_LAVFI);
	assert_string_equal(c.input, "mjpeg");
	assert_int_equal(c.width, 1280);
	assert_int_equal(c.height, 720);
	assert_int_equal(c.rate, 30);
	assert_int_equal(c.delay_ms, 50);
	assert_string_equal(c.no_signal, "/dev/null");
	capture_fini(&c);
}

static void refuse(const char *text, unsigned int line, unsigned int col, const char *reason)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct capture_spec c;

	read_text(text, &c, &diag);
	capture_fini(&c);
	assert_int_equal(diag.n, 1);
	if (!strstr(diag.messages[0].text, reason))
		fail_msg("'%s' does not say '%s'", diag.messages[0].text, reason);
	assert_int_equal(diag.messages[0].line, line);
	assert_int_equal(diag.messages[0].col, col);
}

static void mistakes_are_told_where_they_stand(void **state)
{
	refuse("[a]", 1, 1, "a display is a list");
	refuse("{format: file}", 1, 1, "source");
	refuse("source: x\nformat: v4l3", 2, 9, "v4l2");
	refuse("source: x\nsizes: 1x1", 2, 1, "size");
	refuse("source: x\nsize: 1280", 2, 7, "expected one like 1280x720");
	refuse("source: x\nsize: 0x720", 2, 7, "expected one like 1280x720");
	refuse("source: x\nsize: 16385x2", 2, 7, "expected one like 1280x720");
	refuse("source: x\nsize: 1x2x", 2, 7, "expected one like 1280x720");
	refuse("source: x\nsize: -1x2", 2, 7, "expected one like 1280x720");
	refuse("source: x\nrate: 1001", 2, 7, "1000");
	refuse("source: x\ndelay-ms: [1]", 2, 11, "");
	refuse("source: x\nno-signal: none.png", 2, 12, "there is no '/lab/none.png'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_has_a_default),
		cmocka_unit_test(everything_can_be_said),
		cmocka_unit_test(mistakes_are_told_where_they_stand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
