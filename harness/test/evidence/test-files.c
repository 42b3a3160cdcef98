// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files beside the events of an attempt.
 */
#include "test/test.h"

#include "base/alloc.h"
#include "base/file.h"
#include "evidence/evidence.h"
#include "test/evidence/evidence_dir.h"

static const struct evidence_limits limits = EVIDENCE_LIMITS_DEFAULT;
static void are_kept_byte_for_byte(void **state)
{
	struct evidence_writer *w = NULL;
	char *path __free(str) = file_join(dir, "frame-000.png");
	struct buf got __free_buf = BUF_INIT;

	assert_int_equal(evidence_create(dir, &limits, &w, NULL), 0);
	assert_int_equal(evidence_add_file(w, "frame-000.png", "\0\377\n", 3, NULL), 0);
	assert_int_equal(evidence_add_file(w, "frame-001.png", "", 0, NULL), 0);
	assert_int_equal(evidence_close(w, NULL), 0);
	assert_int_equal(file_read(path, 100, &got, NULL), 0);
	assert_int_equal(got.len, 3);
	assert_memory_equal(got.data, "\0\377\n", 3);
}

static void nothing_is_rewritten(void **state)
{
	const struct event ev = {.type = EVENT_CONSOLE, .bytes = {"x", 1}};
	struct evidence_writer *w = NULL;
	struct err e __free_err = ERR_INIT;

	assert_int_equal(evidence_create(dir, &limits, &w, NULL), 0);
	assert_int_equal(evidence_add_file(w, "console.log", "y", 1, &e), -EEXIST);
	assert_non_null(strstr(err_msg(&e), "console.log"));
	/* Later calls say the same. */
	assert_int_equal(evidence_add_file(w, "frame-000.png", "y", 1, NULL), -EEXIST);
	assert_int_equal(evidence_write(w, &ev, NULL), -EEXIST);
	assert_int_equal(evidence_close(w, NULL), -EEXIST);
}

static void what_cannot_be_flushed_is_told(void **state)
{
	struct evidence_writer *w = NULL;
	char *path __free(str) = file_join(dir, "frame-000.png");
	struct err e __free_err = ERR_INIT;

	assert_int_equal(evidence_create(dir, &limits, &w, NULL), 0);
	assert_int_equal(evidence_add_file(w, "frame-000.png", "y", 1, NULL), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(evidence_close(w, &e), -ENOENT);
	assert_non_null(strstr(err_msg(&e), dir));
}

#define WITH_DIR(t) cmocka_unit_test_setup_teardown(t, make_dir, drop_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DIR(are_kept_byte_for_byte),
		WITH_DIR(nothing_is_rewritten),
		WITH_DIR(what_cannot_be_flushed_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
