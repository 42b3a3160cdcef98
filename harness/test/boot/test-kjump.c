// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program as a whole, on real kernels in real QEMU: what it does when all
 * is well, and when the host, QEMU or kjump itself goes away under it.
 */
#include "test/boot/kjump.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"

#define SMOKE "cases/smoke.yaml"

static size_t count_outcome(const struct json *run, const char *outcome)
{
	const struct json *attempts = json_get(run, "attempts");
	size_t i, n = 0;

	for (i = 0; i < json_len(attempts); i++) {
		const char *seen = json_get_str(json_at(attempts, i), "outcome");

		n += seen && !strcmp(seen, outcome);
	}
	return n;
}

static void smoke_reaches_userspace(void **state)
{
	struct bench *b = *state;
	struct json *run __free(json) = NULL;
	const struct json *first;
	pid_t pids[8];

	assert_int_equal(bench_run(b, &run, ARGV("run", SMOKE, "--json")), 0);
	assert_true(json_len(json_get(run, "attempts")) >= 2);
	assert_int_equal(count_outcome(run, "userspace-reached"),
			 json_len(json_get(run, "attempts")));
	first = json_at(json_get(run, "attempts"), 0);
	assert_true(json_get_bool(first, "expected", false));
	assert_true(json_get_int(first, "userspace_ms", -1) > 0);
	assert_true(json_get_int(json_get(first, "stages"), "userspace-b", -1) > 0);
	assert_int_equal(bench_processes(b, pids, ARRAY_SIZE(pids)), 0);
}

static void two_runs_at_once(void **state)
{
	struct bench *b = *state;
	char *one __free(str) = file_join(b->dir, "one"),
		  *two __free(str) = file_join(b->dir, "two");
	struct process p = PROCESS_INIT, q = PROCESS_INIT;
	struct json *runs __free(json) = NULL;
	int status = -1;

	bench_start(b, &p, one, ARGV("run", SMOKE, "--jobs", "1", "--json"));
	bench_start(b, &q, two, ARGV("run", SMOKE, "--jobs", "1", "--json"));
	assert_int_equal(process_wait(&p, 300 * NS_PER_S, &status), 0);
	assert_int_equal(status, 0);
	assert_int_equal(process_wait(&q, 300 * NS_PER_S, &status), 0);
	assert_int_equal(status, 0);
	assert_int_equal(bench_run(b, &runs, ARGV("show", "--json")), 0);
	assert_int_equal(json_len(json_is_array(runs) ? runs : json_get(runs, "runs")), 2);
}

static bool qemu_runs(void *arg)
{
	pid_t pids[8];

	return bench_guests(arg, pids, ARRAY_SIZE(pids)) > 0;
}

static bool nothing_runs(void *arg)
{
	pid_t pids[8];

	return bench_processes(arg, pids, ARRAY_SIZE(pids)) == 0;
}

static void killed_and_resumed(void **state)
{
	struct bench *b = *state;
	char *out __free(str) = file_join(b->dir, "out");
	struct json *run __free(json) = NULL;
	struct process p = PROCESS_INIT;
	int status;

	bench_start(b, &p, out, ARGV("run", SMOKE, "--json"));
	bench_wait(qemu_runs, b, 60);
	assert_int_equal(kill(p.pid, SIGKILL), 0);
	assert_int_equal(process_wait(&p, 10 * NS_PER_S, &status), 0);
	bench_wait(nothing_runs, b, 10); /* no QEMU survives */

	assert_int_equal(bench_run(b, &run, ARGV("run", SMOKE, "--resume", "last", "--json")), 0);
	assert_true(json_len(json_get(run, "attempts")) >= 2);
	assert_int_equal(count_outcome(run, "userspace-reached"),
			 json_len(json_get(run, "attempts")));
}

static void interrupted_leaves_nothing(void **state)
{
	struct bench *b = *state;
	char *out __free(str) = file_join(b->dir, "out");
	struct process p = PROCESS_INIT;
	int status = 0;

	bench_start(b, &p, out, ARGV("run", SMOKE));
	bench_wait(qemu_runs, b, 60);
	assert_int_equal(kill(p.pid, SIGINT), 0);
	assert_int_equal(process_wait(&p, 20 * NS_PER_S, &status), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
	bench_wait(nothing_runs, b, 1);
}

static void qemu_that_dies(void **state)
{
	struct bench *b = *state;
	char *out __free(str) = file_join(b->dir, "out");
	struct json *run __free(json) = NULL;
	struct buf text __free_buf = BUF_INIT;
	struct process p = PROCESS_INIT;
	pid_t pids[8];
	size_t n, i;
	int status = 0;

	bench_start(b, &p, out, ARGV("run", SMOKE, "--jobs", "1", "--json"));
	bench_wait(qemu_runs, b, 60);
	n = bench_guests(b, pids, ARRAY_SIZE(pids));
	for (i = 0; i < n; i++)
		kill(pids[i], SIGKILL);
	assert_int_equal(process_wait(&p, 300 * NS_PER_S, &status), 0);
	assert_int_equal(WEXITSTATUS(status), 3);
	assert_int_equal(file_read(out, 16 << 20, &text, NULL), 0);
	assert_int_equal(json_parse(text.data, text.len, &run, NULL), 0);
	assert_int_equal(count_outcome(run, "infra-error"), 1);
	assert_int_equal(count_outcome(run, "userspace-reached"),
			 json_len(json_get(run, "attempts")) - 1);
}

static void qemu_that_cannot_start(void **state)
{
	static const char script[] =
		"#!/bin/sh\ncase $1 in --version) echo 'QEMU emulator version 10.0.0' ;;\n"
		"*) echo 'qemu: broken on purpose' >&2; exit 1 ;; esac\n";
	struct bench *b = *state;
	char *qemu __free(str) = bench_file(b, "qemu-system-aarch64", script);
	char *old __free(str) = xstrdup(getenv("PATH"));
	char *path __free(str) = xasprintf("%s:%s", b->dir, old);
	struct json *run __free(json) = NULL;
	int status;

	chmod(qemu, 0755);
	setenv("PATH", path, 1);
	status = bench_run(b, &run, ARGV("run", SMOKE, "--json"));
	setenv("PATH", old, 1);
	assert_int_equal(status, 3);
}

static void kernel_that_left_the_archive(void **state)
{
	struct bench *b = *state;
	char *kernels __free(str) = bench_file(b, "kernels.yaml",
					       "userland: {suite: trixie}\n"
					       "kernels:\n"
					       "  gone:\n"
					       "    source: debian\n"
					       "    suite: trixie-backports\n"
					       "    version: 7.2.1\n"
					       "    flavour: cloud\n");
	char *c __free(str) = bench_file(b, "gone.yaml",
					 "name: gone\n"
					 "machines: [{board: qemu-virt, ram: 2G, cpu: max}]\n"
					 "kernels: [gone]\n"
					 "from: [minimal]\n"
					 "to: [minimal]\n"
					 "jumps: [kexec]\n");
	struct json *run __free(json) = NULL;
	const char *why;

	assert_int_equal(bench_run(b, &run, ARGV("run", c, "--kernels", kernels, "--json")), 3);
	assert_int_equal(count_outcome(run, "infra-error"), 1);
	why = json_get_str(json_at(json_get(run, "attempts"), 0), "signature");
	assert_non_null(why);
	assert_non_null(strstr(why, "7.2.6")); /* the nearest there */
}

/* A tiny file system for the results fills up in the middle of a run. */
static void full_disk(void **state)
{
	struct bench *b = *state;
	struct json *ignored = NULL;
	char *db __free(str) = file_join(b->results, "kjump.db");
	struct buf out __free_buf = BUF_INIT;
	int status;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		skip_because("needs a mount namespace of its own (root)");
	assert_int_equal(file_mkdir(b->results, 0755, NULL), 0);
	assert_int_equal(mount("none", b->results, "tmpfs", 0, "size=200k"), 0);
	status = bench_run(b, &ignored, ARGV("run", SMOKE, "--jobs", "1", "--json"));
	json_free(ignored);
	assert_int_equal(status, 3);
	assert_int_equal(
		process_run(ARGV("sqlite3", db, "PRAGMA integrity_check"), 100, &out, NULL, NULL),
		0);
	assert_string_equal(out.data, "ok\n");
	umount(b->results);
}

static void mistakes_start_nothing(void **state)
{
	struct bench *b = *state;
	char *c __free(str) = bench_file(b, "bad.yaml",
					 "name: bad\n"
					 "machines: [{board: qemu-virt, ram: 2X, cpu: max}]\n"
					 "kernels: [debian-7.2.6-clowd]\n"
					 "from: [minimal]\n"
					 "to: [minimal]\n"
					 "jumps: [kexce]\n");

	assert_int_equal(bench_run(b, NULL, ARGV("run", c)), 2);
	assert_false(file_exists(b->results));
}

#define BENCH_TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(mistakes_start_nothing),
		BENCH_TEST(smoke_reaches_userspace),
		BENCH_TEST(two_runs_at_once),
		BENCH_TEST(killed_and_resumed),
		BENCH_TEST(interrupted_leaves_nothing),
		BENCH_TEST(qemu_that_dies),
		BENCH_TEST(qemu_that_cannot_start),
		BENCH_TEST(kernel_that_left_the_archive),
		BENCH_TEST(full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
