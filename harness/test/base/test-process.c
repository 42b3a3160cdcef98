// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/process.h"

#define ARGV(...) ((const char *const[]){__VA_ARGS__, NULL})

static void run_collects_output(void **state)
{
	struct buf out __free_buf = BUF_INIT, err_out __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;

	assert_int_equal(process_run(ARGV("sh", "-c", "printf 'a\\0b'; echo no >&2"), 100, &out,
				     &err_out, &e),
			 0);
	assert_int_equal(out.len, 3);
	assert_memory_equal(out.data, "a\0b", 3);
	assert_string_equal(err_out.data, "no\n");
}

static void run_bounds_output(void **state)
{
	struct buf out __free_buf = BUF_INIT;

	assert_int_equal(
		process_run(ARGV("sh", "-c", "head -c 300000 /dev/zero"), 1000, &out, NULL, NULL),
		0);
	assert_int_equal(out.len, 1000);
}

static void run_tells_why(void **state)
{
	struct err e __free_err = ERR_INIT;

	assert_int_equal(process_run(ARGV("sh", "-c", "echo first >&2; echo last >&2; exit 3"), 100,
				     NULL, NULL, &e),
			 -EIO);
	assert_string_equal(err_msg(&e), "sh: exit status 3: last");
	assert_true(process_run(ARGV("/no/such/program"), 100, NULL, NULL, &e) < 0);
	assert_non_null(strstr(err_msg(&e), "cannot run '/no/such/program'"));
}

static void stop_kills_what_ignores_term(void **state)
{
	struct process p = PROCESS_INIT;
	struct process_opts opts = {
		.argv = ARGV("sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"),
		.stdin_fd = -1,
		.stderr_fd = -1,
	};
	int fds[2];
	char c;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	opts.stdout_fd = fds[1];
	assert_int_equal(process_start(&p, &opts, NULL), 0);
	assert_int_equal(read(fds[0], &c, 1), 1);
	pid = p.pid;
	process_stop(&p, 50 * NS_PER_MS);
	assert_int_equal(p.pid, 0);
	assert_int_equal(kill(pid, 0), -1);
	close(fds[0]);
	close(fds[1]);
}

/* A harness that is killed takes its children with it. */
static void children_die_with_us(void **state)
{
	int fds[2];
	pid_t child;
	char c;

	assert_int_equal(pipe(fds), 0);
	child = fork();
	if (!child) {
		struct process p = PROCESS_INIT;
		struct process_opts opts = {
			.argv = ARGV("sh", "-c", "echo x; exec sleep 1000"),
			.stdin_fd = -1,
			.stdout_fd = fds[1],
			.stderr_fd = -1,
		};

		process_start(&p, &opts, NULL);
		close(fds[1]);
		pause();
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &c, 1), 1); /* the grandchild runs and holds the pipe */
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	/* The pipe ends only when its last holder, the grandchild, is gone. */
	assert_int_equal(read(fds[0], &c, 1), 1);
	assert_int_equal(read(fds[0], &c, 1), 0);
	close(fds[0]);
}

struct watched {
	sd_event *loop;
	int status, calls;
};

static void on_end(int status, void *arg)
{
	struct watched *w = arg;

	w->status = status;
	w->calls++;
	sd_event_exit(w->loop, 0);
}

static void watch_reports_once(void **state)
{
	struct process p = PROCESS_INIT;
	struct process_opts opts = {.argv = ARGV("sh", "-c", "exit 7"), .stdin_fd = -1};
	struct process_watch *watch;
	struct watched w = {0};
	char text[48];

	opts.stdout_fd = opts.stderr_fd = -1;
	assert_true(sd_event_new(&w.loop) >= 0);
	assert_int_equal(process_start(&p, &opts, NULL), 0);
	assert_int_equal(process_watch(&p, w.loop, on_end, &w, &watch, NULL), 0);
	assert_true(sd_event_loop(w.loop) >= 0);
	assert_int_equal(w.calls, 1);
	process_describe(w.status, text, sizeof(text));
	assert_string_equal(text, "exit status 7");
	process_unwatch(watch);
	sd_event_unref(w.loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_collects_output),
		cmocka_unit_test(run_bounds_output),
		cmocka_unit_test(run_tells_why),
		cmocka_unit_test(stop_kills_what_ignores_term),
		cmocka_unit_test(children_die_with_us),
		cmocka_unit_test(watch_reports_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
