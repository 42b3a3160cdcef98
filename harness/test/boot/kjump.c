// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/boot/kjump.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"

int bench_setup(void **state)
{
	char template[] = "/tmp/kjump-boot-XXXXXX";
	struct bench *b;

	xnew(b);
	b->dir = xstrdup(mkdtemp(template));
	b->results = file_join(b->dir, "results");
	setenv("XDG_RUNTIME_DIR", b->dir, 1);
	*state = b;
	return 0;
}

int bench_teardown(void **state)
{
	struct bench *b = *state;
	pid_t pids[32];
	size_t n = bench_processes(b, pids, ARRAY_SIZE(pids)), i;

	for (i = 0; i < n; i++)
		kill(pids[i], SIGKILL);
	file_remove_tree(b->dir, NULL);
	free(b->results);
	free(b->dir);
	free(b);
	return 0;
}

void bench_start(struct bench *b, struct process *p, const char *out_path, const char *const *args)
{
	const char *argv[32];
	struct process_opts opts = {.argv = argv, .stdin_fd = -1, .stderr_fd = STDERR_FILENO};
	int out __free(fd) = open(out_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct err e __free_err = ERR_INIT;
	size_t n = 0;

	argv[n++] = "build/san/kjump";
	for (; *args; args++)
		argv[n++] = *args;
	argv[n++] = "--results";
	argv[n++] = b->results;
	argv[n] = NULL;
	opts.stdout_fd = out;
	if (process_start(p, &opts, &e))
		fail_msg("%s", err_msg(&e));
}

int bench_run(struct bench *b, struct json **ret, const char *const *args)
{
	char *out_path __free(str) = file_join(b->dir, "stdout");
	struct buf text __free_buf = BUF_INIT;
	struct process p = PROCESS_INIT;
	struct err e __free_err = ERR_INIT;
	int status = 0;

	bench_start(b, &p, out_path, args);
	if (process_wait(&p, 600 * NS_PER_S, &status)) {
		process_stop(&p, NS_PER_S);
		fail_msg("kjump did not end within 600 s");
	}
	if (!WIFEXITED(status))
		fail_msg("kjump was ended by a signal: 0x%x", status);
	if (ret) {
		*ret = NULL;
		assert_int_equal(file_read(out_path, 16 << 20, &text, NULL), 0);
		if (json_parse(text.data, text.len, ret, &e))
			print_error("%s in: %s\n", err_msg(&e), text.data);
	}
	return WEXITSTATUS(status);
}

static bool names(const char *pid, const char *dir, const char *also)
{
	char path[64];
	struct buf line __free_buf = BUF_INIT;

	snprintf(path, sizeof(path), "/proc/%.16s/cmdline", pid);
	if (file_read(path, 1 << 20, &line, NULL))
		return false;
	return memmem(line.data, line.len, dir, strlen(dir)) &&
	       memmem(line.data, line.len, also, strlen(also));
}

static size_t find_processes(const struct bench *b, const char *also, pid_t *pids, size_t max)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	size_t n = 0;

	while (n < max && (d = readdir(proc))) {
		if (isdigit((unsigned char)d->d_name[0]) && names(d->d_name, b->dir, also))
			pids[n++] = (pid_t)atoi(d->d_name);
	}
	closedir(proc);
	return n;
}

size_t bench_processes(const struct bench *b, pid_t *pids, size_t max)
{
	return find_processes(b, "", pids, max);
}

size_t bench_guests(const struct bench *b, pid_t *pids, size_t max)
{
	return find_processes(b, " kjump=", pids, max);
}

void bench_wait(bool (*done)(void *arg), void *arg, unsigned int timeout_s)
{
	uint64_t end = clock_ns() + timeout_s * NS_PER_S;
	const struct timespec pause = {.tv_nsec = 20 * NS_PER_MS};

	while (!done(arg)) {
		if (clock_ns() > end)
			fail_msg("waited %u s in vain", timeout_s);
		nanosleep(&pause, NULL);
	}
}

char *bench_file(struct bench *b, const char *name, const char *text)
{
	char *path = file_join(b->dir, name);

	assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
	return path;
}
