/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kjump.h - running the built program as a person would, for boot tests.
 *
 * Each test has a directory of its own for results and runtime files, so a
 * process belongs to the test if its command line names that directory.
 */
#ifndef KJUMP_TEST_BOOT_KJUMP_H
#define KJUMP_TEST_BOOT_KJUMP_H

#include "test/test.h"

#include "base/json.h"
#include "base/process.h"

struct bench {
	char *dir;     /* everything of this test */
	char *results; /* DIR/results */
};

/* cmocka set-up and tear-down: a fresh struct bench in *state. */
int bench_setup(void **state);
int bench_teardown(void **state);

/* Starts build/san/kjump with @args (NULL at the end) and --results; stdout to @out_path. */
void bench_start(struct bench *b, struct process *p, const char *out_path, const char *const *args);

/* Runs it to its end; returns the exit status and the JSON on stdout (or NULL). */
int bench_run(struct bench *b, struct json **ret, const char *const *args);

/* Pids whose command line names this bench; at most @max. */
size_t bench_processes(const struct bench *b, pid_t *pids, size_t max);

/* Those of them that run a guest of a job, by the token on its command line. */
size_t bench_guests(const struct bench *b, pid_t *pids, size_t max);

/* Polls until @done is true; fails the test after @timeout_s. */
void bench_wait(bool (*done)(void *arg), void *arg, unsigned int timeout_s);

/* Writes @text to DIR/@name and returns the path, *returned*. */
char *bench_file(struct bench *b, const char *name, const char *text);

#define ARGV(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
