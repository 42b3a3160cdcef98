/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pty_rig.h - a real shell of this host on a pty, behind a console line that
 * loses input and puts kernel messages and control sequences into the output.
 */
#ifndef KJUMP_TEST_RUN_PTY_RIG_H
#define KJUMP_TEST_RUN_PTY_RIG_H

#include <ctype.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <systemd/sd-event.h>

#include "base/buf.h"
#include "run/shell.h"

struct line_faults {
	double drop_input;    /* probability that a typed byte is lost */
	double flip_output;   /* that a byte from the target arrives wrong */
	double record;	      /* that a kernel message stands before a byte */
	double sequence;      /* that a control sequence does, but not in another */
	bool bytewise;	      /* output arrives byte by byte */
	unsigned int slow_us; /* and this far apart */
};

struct rig {
	sd_event *loop;
	sd_event_source *io, *pace;
	struct shell *shell;
	int master;
	pid_t pid;
	struct line_faults faults;
	uint64_t seed;
	bool in_sequence;   /* of the shell's own */
	struct buf waiting; /* output that is still on the line */

	bool done;
	struct shell_result result; /* output is output.data */
	struct buf output;
};

/* 0..1 */
static double rig_random(struct rig *r)
{
	r->seed ^= r->seed << 13;
	r->seed ^= r->seed >> 7;
	r->seed ^= r->seed << 17;
	return (double)(r->seed >> 11) / (double)(1ULL << 53);
}

static int rig_type(const void *data, size_t len, void *arg)
{
	struct rig *r = arg;
	const char *p = data;
	size_t i;

	for (i = 0; i < len; i++) {
		if (rig_random(r) < r->faults.drop_input)
			continue;
		assert_int_equal(write(r->master, p + i, 1), 1);
	}
	return 0;
}

static void add_noise(struct rig *r)
{
	static const char *const sequences[] = {"\033[?2004h",	  "\033[1;32m", "\033[6n",
						"\033]0;x\007",	  "\033(B",	"\033[K",
						"\033]2;y\033\\", "\033[?2004l"};
	unsigned int n = (unsigned int)(rig_random(r) * 1000);

	if (rig_random(r) < r->faults.record) {
		static const char *const heads[] = {"[%5u.%06u] ", "<6>[%5u.%06u] ",
						    "[%5u.%06u][    T0] "};

		buf_addf(&r->waiting, heads[n % 3], n, n * 31);
		buf_addf(&r->waiting, "device eth0[%u]: link <up> at _x%u;\r\n", n, n);
	}
	if (!r->in_sequence && rig_random(r) < r->faults.sequence)
		buf_adds(&r->waiting, sequences[n % 8]);
}

static void deliver(struct rig *r, size_t n)
{
	char block[4096];

	if (n > r->waiting.len)
		n = r->waiting.len;
	if (n > sizeof(block))
		n = sizeof(block);
	memcpy(block, r->waiting.data, n);
	buf_consume(&r->waiting, n);
	if (n)
		shell_feed(r->shell, block, n);
}

static int on_pace(sd_event_source *source, uint64_t usec, void *arg)
{
	struct rig *r = arg;

	deliver(r, 1);
	if (r->waiting.len) {
		sd_event_source_set_time_relative(source, r->faults.slow_us);
		sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	}
	return 0;
}

static int on_output(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	struct rig *r = arg;
	char block[1024];
	ssize_t n = read(fd, block, sizeof(block)), i;

	if (n <= 0) {
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
		return 0;
	}
	for (i = 0; i < n; i++) {
		add_noise(r);
		/* As far as shells go: they end in a letter, or in BEL. */
		if (r->in_sequence)
			r->in_sequence = !isalpha((unsigned char)block[i]) && block[i] != '\a';
		else
			r->in_sequence = block[i] == '\033';
		buf_addch(&r->waiting, rig_random(r) < r->faults.flip_output ? '#' : block[i]);
	}
	if (r->faults.slow_us) {
		sd_event_source_set_enabled(r->pace, SD_EVENT_ONESHOT);
		return 0;
	}
	while (r->waiting.len)
		deliver(r, r->faults.bytewise ? 1 : 4096);
	return 0;
}

static void rig_start(struct rig *r, const char *const *argv, const struct shell_opts *opts,
		      uint64_t seed)
{
	struct shell_opts own = *opts;
	struct err e __free_err = ERR_INIT;

	*r = (struct rig){
		.seed = seed * 0x9e3779b97f4a7c15ULL + 1, .waiting = BUF_INIT, .output = BUF_INIT};
	assert_true(sd_event_new(&r->loop) >= 0);
	r->pid = forkpty(&r->master, NULL, NULL, NULL);
	assert_true(r->pid >= 0);
	if (!r->pid) {
		/* What a test was started with, say by nohup, is not a terminal's. */
		signal(SIGHUP, SIG_DFL);
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		setenv("PS1", "~ # ", 1);
		setenv("TERM", "vt102", 1);
		unsetenv("ENV");
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	fcntl(r->master, F_SETFL, O_NONBLOCK);
	own.loop = r->loop;
	own.write = rig_type;
	own.arg = r;
	assert_int_equal(shell_new(&own, &r->shell, &e), 0);
	assert_true(sd_event_add_io(r->loop, &r->io, r->master, EPOLLIN, on_output, r) >= 0);
	assert_true(sd_event_add_time(r->loop, &r->pace, CLOCK_MONOTONIC, 0, 1, on_pace, r) >= 0);
	sd_event_source_set_enabled(r->pace, SD_EVENT_OFF);
}

static void rig_stop(struct rig *r)
{
	char left[32];

	shell_free(r->shell);
	sd_event_source_disable_unref(r->io);
	sd_event_source_disable_unref(r->pace);
	kill(r->pid, SIGKILL);
	close(r->master);
	waitpid(r->pid, NULL, 0);
	/* A killed agent leaves its file. */
	snprintf(left, sizeof(left), "/run/kj.%d", (int)r->pid);
	unlink(left);
	sd_event_unref(r->loop);
	buf_fini(&r->waiting);
	buf_fini(&r->output);
}

static void rig_done(const struct shell_result *result, void *arg)
{
	struct rig *r = arg;

	assert_false(r->done);
	r->done = true;
	r->result = *result;
	buf_reset(&r->output);
	buf_add(&r->output, result->output, result->output_len);
}

static void rig_wait(struct rig *r)
{
	while (!r->done)
		assert_true(sd_event_run(r->loop, UINT64_MAX) >= 0);
}

static void rig_attach(struct rig *r, uint64_t timeout_ms)
{
	r->done = false;
	assert_int_equal(shell_attach(r->shell, 100, timeout_ms, rig_done, r), 0);
	assert_false(r->done);
	rig_wait(r);
}

static void rig_run(struct rig *r, const char *command, uint64_t timeout_ms)
{
	r->done = false;
	assert_int_equal(shell_run(r->shell, command, timeout_ms, rig_done, r), 0);
	assert_false(r->done);
	rig_wait(r);
}

#endif
