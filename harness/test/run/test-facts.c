// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/process.h"
#include "run/facts.h"

/* "tree\n", gzipped. */
static const char gz[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x2b\x29\x4a\x4d\xe5\x02"
			 "\x00\x32\xa6\x05\xbd\x05\x00\x00\x00";

static int parse(struct facts *f, const char *text, const char *tail, size_t n_tail)
{
	struct buf out __free_buf = BUF_INIT;

	buf_adds(&out, text);
	buf_add(&out, tail, n_tail);
	return facts_parse(f, out.data, out.len, NULL);
}

static void test_all(void **state)
{
	struct facts f = FACTS_INIT;

	assert_int_equal(
		parse(&f,
		      "release 7.2.6\ncmdline  a  b=\"c d\" \nboot-id 1-2\nuptime 12.34 5.6\n"
		      "profile p\nroot r\ncpus 0-3,6\nroot-type rootfs\nroot-type tmpfs\n"
		      "devicetree\n",
		      "", 0),
		0);
	assert_string_equal(f.release, "7.2.6");
	assert_string_equal(f.cmdline, " a  b=\"c d\" ");
	assert_string_equal(f.boot_id, "1-2");
	assert_int_equal(f.uptime_ms, 12340);
	assert_string_equal(f.profile, "p");
	assert_string_equal(f.root, "r");
	assert_string_equal(f.root_type, "tmpfs");
	assert_int_equal(f.cpus, 5);
	assert_int_equal(f.devicetree.len, 0);
	facts_fini(&f);
}

static void test_device_tree(void **state)
{
	struct facts f = FACTS_INIT;

	assert_int_equal(parse(&f, "devicetree\n", gz, sizeof(gz) - 1), 0);
	assert_int_equal(f.devicetree.len, 5);
	assert_string_equal(f.devicetree.data, "tree\n");
	facts_fini(&f);
	/* What gzip says instead of a tree is not one. */
	assert_int_equal(parse(&f, "devicetree\n", "gzip: no such file\n", 19), 0);
	assert_int_equal(f.devicetree.len, 0);
	facts_fini(&f);
	assert_int_equal(parse(&f, "devicetree\n", gz, sizeof(gz) - 9), 0);
	assert_int_equal(f.devicetree.len, 0);
	facts_fini(&f);
}

static void test_missing(void **state)
{
	struct facts f = FACTS_INIT;

	assert_int_equal(
		parse(&f, "sh: can't open /proc/cmdline\nrelease\nnonsense\ndevicetree\n", "", 0),
		0);
	assert_null(f.release);
	assert_null(f.cmdline);
	assert_int_equal(f.uptime_ms, UINT64_MAX);
	assert_int_equal(f.cpus, 0);
	facts_fini(&f);
	/* Cut off: whatever it was, it was not our command. */
	assert_int_equal(parse(&f, "release 7.2.6\n", "", 0), -EBADMSG);
	facts_fini(&f);
	assert_int_equal(parse(&f, "", "", 0), -EBADMSG);
	facts_fini(&f);
}

static void test_cpu_lists(void **state)
{
	assert_int_equal(facts_count_cpus("0"), 1);
	assert_int_equal(facts_count_cpus("0-63"), 64);
	assert_int_equal(facts_count_cpus("0,2,4-5"), 4);
	assert_int_equal(facts_count_cpus(""), 0);
	assert_int_equal(facts_count_cpus("3-1"), 0);
	assert_int_equal(facts_count_cpus("a"), 0);
	assert_int_equal(facts_count_cpus("0-"), 0);
	assert_int_equal(facts_count_cpus("0;1"), 0);
	assert_int_equal(facts_count_cpus("0-99999999999999999999"), 0);
}

/* The command itself, by this host's shell: it has most of what a target has. */
static void test_command(void **state)
{
	const char *const argv[] = {"/bin/sh", "-c", facts_command, NULL};
	struct buf out __free_buf = BUF_INIT, err_out __free_buf = BUF_INIT;
	struct facts f = FACTS_INIT;

	process_run(argv, 1 << 20, &out, &err_out, NULL);
	assert_int_equal(facts_parse(&f, out.data, out.len, NULL), 0);
	assert_non_null(f.release);
	assert_non_null(f.cmdline);
	assert_int_equal(strlen(f.boot_id), 36);
	assert_true(f.uptime_ms > 0 && f.uptime_ms != UINT64_MAX);
	assert_true(f.cpus >= 1);
	assert_null(f.profile);
	facts_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),	cmocka_unit_test(test_device_tree),
		cmocka_unit_test(test_missing), cmocka_unit_test(test_cpu_lists),
		cmocka_unit_test(test_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
