// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-judge-flood.c - a gigabyte of hostile console: how fast the judge and
 * `grep -E -c` with the same patterns read it, and how much memory they need.
 *
 * The flood is made as it is read, so neither side can hold on to it; each side
 * is a process of its own, the time is what its processor spent on reading, the
 * memory the most that it ever had.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/process.h"
#include "judge/judge.h"
#include "test/bench/flood.h"
#include "test/bench/grep_patterns.h"

#define FLOOD_BYTES (1UL << 30)
#define CHUNK_BYTES 65536

/* What one side came to. */
struct result {
	double seconds;
	long memory_kb;
	size_t matches; /* grep: lines; judge: what it named */
};

__attribute__((noreturn)) static void die(const char *what)
{
	fprintf(stderr, "bench-judge-flood: %s\n", what);
	exit(1);
}

static double process_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void feed(struct judge *j, const struct buf *log)
{
	struct event ev = {.type = EVENT_CONSOLE};
	size_t i;

	for (i = 0; i < log->len; i += ev.bytes.len) {
		ev.bytes.data = log->data + i;
		ev.bytes.len = log->len - i < CHUNK_BYTES ? log->len - i : CHUNK_BYTES;
		judge_feed(j, &ev);
	}
}

/* In a child; the result goes to @fd. Only the judge's own time counts. */
static void judge_child(const struct rule_set *rules, int fd)
{
	const struct judge_opts opts = {.bare = true};
	struct flood flood = FLOOD_INIT;
	struct buf stretch __free_buf = BUF_INIT;
	struct result r = {0};
	struct rusage usage;
	struct verdict *v;
	struct judge *j = NULL;
	size_t done;

	if (judge_new(rules, &opts, &j, NULL))
		die("no judge");
	for (done = 0; done < FLOOD_BYTES; done += stretch.len) {
		double start;

		buf_reset(&stretch);
		flood_stretch(&flood, &stretch);
		start = process_seconds();
		feed(j, &stretch);
		r.seconds += process_seconds() - start;
	}
	if (judge_settled(j))
		die("something settled the flood: what came after was not read");
	v = judge_finish(j);
	r.matches = v->n_consequences + v->n_degradations + v->n_ranges;
	getrusage(RUSAGE_SELF, &usage);
	r.memory_kb = usage.ru_maxrss;
	verdict_free(v);
	judge_free(j);
	if (file_write_all(fd, &r, sizeof(r)))
		die("no result");
}

static void flood_child(int fd)
{
	struct flood flood = FLOOD_INIT;
	struct buf stretch __free_buf = BUF_INIT;
	size_t done;

	for (done = 0; done < FLOOD_BYTES; done += stretch.len) {
		buf_reset(&stretch);
		flood_stretch(&flood, &stretch);
		if (file_write_all(fd, stretch.data, stretch.len))
			die("grep went away");
	}
}

static struct result run_judge(const struct rule_set *rules)
{
	struct result r = {0};
	int ends[2], status;
	pid_t pid = pipe2(ends, O_CLOEXEC) ? -1 : fork();

	if (pid < 0)
		die("cannot fork");
	if (!pid) {
		judge_child(rules, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	if (waitpid(pid, &status, 0) != pid || status || read(ends[0], &r, sizeof(r)) != sizeof(r))
		die("the judge failed");
	close(ends[0]);
	return r;
}

/* Into a file: grep stops at the first match when its output goes to /dev/null. */
static struct result run_grep(const char *patterns, const char *dir)
{
	const char *const argv[] = {"env", "LC_ALL=C", "grep",	 "-a", "-E",
				    "-c",  "-f",       patterns, NULL};
	int out __free(fd) = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	struct process_opts opts = {.argv = argv, .stdout_fd = out, .stderr_fd = 2};
	struct process p = PROCESS_INIT;
	struct rusage before, after;
	struct result r = {0};
	char count[32] = "";
	int ends[2], status;
	pid_t pid = pipe2(ends, O_CLOEXEC) ? -1 : fork();

	if (pid < 0)
		die("cannot fork");
	if (!pid) {
		close(ends[0]);
		flood_child(ends[1]);
		_exit(0);
	}
	close(ends[1]);
	opts.stdin_fd = ends[0];
	getrusage(RUSAGE_CHILDREN, &before);
	if (process_start(&p, &opts, NULL))
		die("cannot start grep");
	close(ends[0]);
	if (process_wait(&p, 3600 * NS_PER_S, &status) || status)
		die("grep failed");
	getrusage(RUSAGE_CHILDREN, &after);
	if (waitpid(pid, &status, 0) != pid || status || pread(out, count, 31, 0) <= 0)
		die("grep did not read it all");
	r.seconds = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec +
			     after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
		    (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec +
			     after.ru_stime.tv_usec - before.ru_stime.tv_usec) /
			    1e6;
	r.memory_kb = after.ru_maxrss; /* no other child was waited for before */
	r.matches = strtoul(count, NULL, 10);
	return r;
}

static void print(const char *name, const struct result *r, const char *found)
{
	printf("flood      %-8s %5.0f MB/s, at most %ld MB of memory, %zu %s\n", name,
	       (double)FLOOD_BYTES / 1e6 / r->seconds, (r->memory_kb + 1023) / 1024, r->matches,
	       found);
	fflush(stdout);
}

int main(void)
{
	char dir[] = "/tmp/kjump-bench-XXXXXX";
	struct diag diag __free_diag = DIAG_INIT;
	struct rule_set *rules __free(rule_set) = NULL;
	char *patterns __free(str) = NULL;
	struct result ours, theirs;

	if (rule_set_load("cases/symptoms.yaml", &diag, &rules) || !mkdtemp(dir)) {
		diag_print(&diag, stderr);
		return 1;
	}
	patterns = file_join(dir, "patterns");
	printf("a flood of %lu MB, %zu rules, %zu of them as grep can say them\n",
	       FLOOD_BYTES >> 20, rules->n, grep_write_patterns(rules, patterns));
	fflush(stdout);
	theirs = run_grep(patterns, dir);
	ours = run_judge(rules);
	print("judge", &ours, "failures named");
	print("grep -E", &theirs, "lines match");
	return file_remove_tree(dir, NULL) ? 1 : 0;
}
