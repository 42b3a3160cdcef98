// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include <sys/wait.h>

#include "base/buf.h"
#include "base/json.h"
#include "cmd/cmd.h"

/* Runs the command in a child; returns its exit status, appends its stdout to @out. */
static int run_doctor(const char *argument, const char *path, struct buf *out)
{
	char *argv[] = {(char *)"doctor", (char *)argument, NULL};
	char block[4096];
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(fds[1], STDOUT_FILENO);
		if (path)
			setenv("PATH", path, 1);
		status = cmd_doctor(argument ? 2 : 1, argv);
		fflush(stdout);
		_exit(status);
	}
	close(fds[1]);
	while ((n = read(fds[0], block, sizeof(block))) > 0)
		buf_add(out, block, (size_t)n);
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void prints_one_document(void **state)
{
	struct buf out __free_buf = BUF_INIT;
	struct json *doc __free(json) = NULL;
	int status = run_doctor("--json", NULL, &out);
	struct json *checks;
	size_t i;

	assert_int_equal(json_parse(out.data, out.len, &doc, NULL), 0);
	assert_int_equal(status, json_get_bool(doc, "healthy", false) ? EXIT_EXPECTED : EXIT_INFRA);
	checks = json_get(doc, "checks");
	assert_true(json_len(checks) >= 7);
	for (i = 0; i < json_len(checks); i++) {
		struct json *c = json_at(checks, i);

		assert_non_null(json_get_str(c, "name"));
		assert_non_null(json_get_str(c, "found"));
		/* What is not well comes with what to do about it, and only that. */
		assert_int_equal(!strcmp(json_get_str(c, "health"), "ok"), !json_get_str(c, "fix"));
	}
}

static void misses_what_is_missing(void **state)
{
	struct buf out __free_buf = BUF_INIT;

	assert_int_equal(run_doctor(NULL, "/nonexistent", &out), EXIT_INFRA);
	assert_non_null(strstr(out.data, "missing  qemu-system-aarch64"));
	assert_non_null(strstr(out.data, "missing  apt-get"));
	assert_non_null(strstr(out.data, "make deps"));
}

static void knows_its_usage(void **state)
{
	struct buf out __free_buf = BUF_INIT;

	assert_int_equal(run_doctor("--help", NULL, &out), EXIT_EXPECTED);
	assert_non_null(strstr(out.data, "usage: kjump doctor"));
	buf_reset(&out);
	assert_int_equal(run_doctor("--cure", NULL, &out), EXIT_USAGE);
	assert_int_equal(out.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_one_document),
		cmocka_unit_test(misses_what_is_missing),
		cmocka_unit_test(knows_its_usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
