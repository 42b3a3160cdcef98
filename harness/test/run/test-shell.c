// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/file.h"
#include "base/text.h"
#include "test/run/pty_rig.h"

/* --- shells of this host ------------------------------------------------ */

static const char *const sh[] = {"/bin/sh", "-i", NULL};
static const char *const bash[] = {"bash", "--norc", "--noprofile", "-i", NULL};
static const char *busybox[] = {"busybox", "sh", NULL};
static const char *const *const shells[] = {sh, bash, busybox};

static bool have(const char *const *argv)
{
	char command[128];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", argv[0]);
	return !system(command);
}

/* Where nothing is lost, nothing waits for a timeout, however slow the host is. */
static const struct shell_opts patient = {.echo_timeout_ms = 5000};
/* Far more than it takes: a loaded host is slow. */
#define PATIENCE_MS 60000

static const struct shell_opts hasty = {.echo_timeout_ms = 200, .max_resends = 12};

static void assert_output(struct rig *r, const void *want, size_t len)
{
	assert_int_equal(r->result.error, 0);
	assert_int_equal(r->output.len, len);
	assert_memory_equal(r->output.data, want, len);
}

/* --- tests --------------------------------------------------------------- */

static void test_every_shell(void **state)
{
	size_t i, n = 0;

	for (i = 0; i < 3; i++) {
		struct rig r;

		if (!have(shells[i]))
			continue;
		n++;
		rig_start(&r, shells[i], &patient, i);
		rig_attach(&r, PATIENCE_MS);
		assert_int_equal(r.result.error, 0);
		rig_run(&r, "echo out; echo err >&2; exit 7", PATIENCE_MS);
		assert_output(&r, "out\nerr\n", 8);
		assert_int_equal(r.result.status, 7);
		rig_run(&r, "", PATIENCE_MS);
		assert_output(&r, "", 0);
		assert_int_equal(r.result.status, 0);
		/* Each in a subshell: nothing of the one before is left. */
		rig_run(&r, "cd /; X=1; false", PATIENCE_MS);
		assert_int_equal(r.result.status, 1);
		rig_run(&r, "echo \"[$X]\"\nfor i in 1 2; do\n\techo \"a  $i\"\ndone\n",
			PATIENCE_MS);
		assert_output(&r, "[]\na  1\na  2\n", 13);
		/* It reads no console, so it cannot take what we type. */
		rig_run(&r, "cat; printf '%s' '*' \" it's \" '$HOME \\n'", PATIENCE_MS);
		assert_output(&r, "* it's $HOME \\n", 15);
		/* Another attach finds the agent and gets through it. */
		rig_attach(&r, PATIENCE_MS);
		assert_int_equal(r.result.error, 0);
		rig_run(&r, "echo again", PATIENCE_MS);
		assert_output(&r, "again\n", 6);
		rig_stop(&r);
	}
	assert_true(n >= 1);
}

static void test_any_bytes(void **state)
{
	char path[] = "/tmp/kjump-shell-XXXXXX", command[64];
	struct buf want __free_buf = BUF_INIT;
	int fd = mkstemp(path);
	struct rig r;
	size_t i;

	rig_start(&r, sh, &patient, 1);
	for (i = 0; i < 70000; i++)
		buf_addch(&want, (char)(i < 512 ? i : rig_random(&r) * 256));
	assert_int_equal(file_write_all(fd, want.data, want.len), 0);
	close(fd);
	rig_attach(&r, PATIENCE_MS);
	snprintf(command, sizeof(command), "cat %s", path);
	rig_run(&r, command, PATIENCE_MS);
	unlink(path);
	assert_output(&r, want.data, want.len);
	rig_stop(&r);
}

static void test_output_too_long(void **state)
{
	struct rig r;

	rig_start(&r, sh, &patient, 1);
	rig_attach(&r, PATIENCE_MS);
	rig_run(&r, "head -c 1048577 /dev/zero", PATIENCE_MS);
	assert_int_equal(r.result.error, -EMSGSIZE);
	assert_int_equal(r.result.output_len, 0);
	/* Only the output was refused; the shell is still there. */
	rig_run(&r, "echo ok", PATIENCE_MS);
	assert_output(&r, "ok\n", 3);
	rig_stop(&r);
}

static void test_timeout_ends_the_command(void **state)
{
	struct rig r;

	rig_start(&r, sh, &patient, 1);
	rig_attach(&r, PATIENCE_MS);
	rig_run(&r, "sleep 1000", 300);
	assert_int_equal(r.result.error, -ETIMEDOUT);
	assert_int_equal(shell_run(r.shell, "true", 1000, rig_done, &r), -ENOTCONN);
	rig_attach(&r, PATIENCE_MS);
	assert_int_equal(r.result.error, 0);
	rig_run(&r, "echo ok", PATIENCE_MS);
	assert_output(&r, "ok\n", 3);
	rig_stop(&r);
}

static void test_nobody_answers(void **state)
{
	static const char *const argv[] = {"cat", NULL};
	struct rig r;

	/* cat gives all back, and so does the terminal's echo: neither is an answer. */
	rig_start(&r, argv, &patient, 1);
	rig_attach(&r, 600);
	assert_int_equal(r.result.error, -ETIMEDOUT);
	rig_stop(&r);
}

static void test_one_request_at_a_time(void **state)
{
	struct rig r;

	rig_start(&r, sh, &patient, 1);
	assert_int_equal(shell_run(r.shell, "true", 1000, rig_done, &r), -ENOTCONN);
	assert_int_equal(shell_attach(r.shell, 100, 10000, rig_done, &r), 0);
	assert_int_equal(shell_attach(r.shell, 100, 10000, rig_done, &r), -EBUSY);
	assert_int_equal(shell_run(r.shell, "true", 1000, rig_done, &r), -EBUSY);
	shell_reset(r.shell);
	assert_true(r.done);
	assert_int_equal(r.result.error, -ECANCELED);
	rig_attach(&r, PATIENCE_MS);
	assert_int_equal(r.result.error, 0);
	rig_stop(&r);
}

static void test_leave(void **state)
{
	char path[] = "/tmp/kjump-shell-XXXXXX", command[64];
	struct buf seen __free_buf = BUF_INIT;
	struct rig r;

	close(mkstemp(path));
	rig_start(&r, sh, &patient, 1);
	rig_attach(&r, PATIENCE_MS);
	snprintf(command, sizeof(command), "printf left >%s; exit 3", path);
	r.done = false;
	assert_int_equal(shell_leave(r.shell, command, 5000, rig_done, &r), 0);
	rig_wait(&r);
	assert_int_equal(r.result.error, 0);
	assert_int_equal(shell_run(r.shell, "true", 1000, rig_done, &r), -ENOTCONN);
	assert_int_equal(waitpid(r.pid, NULL, 0), r.pid);
	assert_int_equal(file_read(path, 100, &seen, NULL), 0);
	unlink(path);
	assert_string_equal(seen.data, "left");
	r.pid = fork(); /* something for rig_stop() to end */
	if (!r.pid)
		_exit(0);
	rig_stop(&r);
}

/*
 * Writes random text to a file, again and again, over a line with faults, and
 * compares what the shell says with what the target did.
 */
static void torture(const char *const *argv, const struct line_faults *faults,
		    const struct shell_opts *opts, uint64_t seed, unsigned int max_failed)
{
	char path[] = "/tmp/kjump-shell-XXXXXX";
	struct buf want __free_buf = BUF_INIT, seen __free_buf = BUF_INIT;
	unsigned int i, failed = 0;
	struct rig r;

	close(mkstemp(path));
	rig_start(&r, argv, opts, seed);
	r.faults = *faults;
	for (i = 0; i < 6; i++) {
		struct buf command __free_buf = BUF_INIT, text __free_buf = BUF_INIT;
		size_t n = (size_t)(rig_random(&r) * 300);

		while (text.len < n)
			buf_addch(&text, (char)(32 + rig_random(&r) * 95));
		buf_adds(&command, "x=");
		text_shell_quote(&command, text.data);
		buf_addf(&command,
			 "; printf %%s \"$x\" >%s; cat %s; printf '\\0\\377\\r\\n'; exit %u", path,
			 path, i);
		unlink(path);
		if (!i || r.result.error) {
			rig_attach(&r, 60000);
			if (r.result.error) {
				failed++;
				continue;
			}
		}
		rig_run(&r, command.data, 60000);
		if (r.result.error) {
			failed++;
		} else {
			buf_reset(&want);
			buf_add(&want, text.data, text.len);
			buf_add(&want, "\0\377\r\n", 4);
			assert_output(&r, want.data, want.len);
			assert_int_equal(r.result.status, i);
		}
		/* Whatever came of it: the target ran all of the command or none. */
		buf_reset(&seen);
		if (!file_read(path, 10000, &seen, NULL) && (seen.len || !r.result.error))
			assert_string_equal(seen.data, text.data);
	}
	unlink(path);
	rig_stop(&r);
	assert_true(failed <= max_failed);
}

static void torture_all(const struct line_faults *faults, const struct shell_opts *opts,
			uint64_t n_seeds, unsigned int max_failed)
{
	uint64_t seed;
	size_t i;

	for (i = 0; i < 3; i++) {
		if (!have(shells[i]))
			continue;
		for (seed = 1; seed <= n_seeds; seed++)
			torture(shells[i], faults, opts, seed, max_failed);
	}
}

static void test_kernel_messages_anywhere(void **state)
{
	const struct line_faults faults = {.record = 0.02, .sequence = 0.02};

	torture_all(&faults, &patient, 2, 0);
}

static void test_bytewise(void **state)
{
	const struct line_faults faults = {.record = 0.005, .sequence = 0.01, .bytewise = true};

	torture_all(&faults, &patient, 2, 0);
}

static void test_slow_echo(void **state)
{
	const struct line_faults faults = {.record = 0.001, .slow_us = 20, .bytewise = true};

	torture(sh, &faults, &patient, 1, 0);
}

/* A line that loses bytes may fail, on a slow host all the more; it may not lie. */
static void test_lost_input(void **state)
{
	const struct line_faults faults = {.drop_input = 0.002};

	torture_all(&faults, &hasty, 1, 2);
}

static void test_damaged_output(void **state)
{
	const struct line_faults faults = {.flip_output = 0.0005, .record = 0.005};

	torture_all(&faults, &hasty, 1, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_shell),
		cmocka_unit_test(test_any_bytes),
		cmocka_unit_test(test_output_too_long),
		cmocka_unit_test(test_timeout_ends_the_command),
		cmocka_unit_test(test_nobody_answers),
		cmocka_unit_test(test_one_request_at_a_time),
		cmocka_unit_test(test_leave),
		cmocka_unit_test(test_kernel_messages_anywhere),
		cmocka_unit_test(test_bytewise),
		cmocka_unit_test(test_slow_echo),
		cmocka_unit_test(test_lost_input),
		cmocka_unit_test(test_damaged_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
