/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.h - child processes.
 *
 * A child runs in its own process group, gets only the descriptors named here,
 * and is killed by the kernel when the thread that started it dies, however it
 * dies. Children are watched and signalled through a pidfd, so that a recycled
 * pid is never hit.
 */
#ifndef KJUMP_BASE_PROCESS_H
#define KJUMP_BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#include "base/buf.h"
#include "base/err.h"

struct process_opts {
	const char *const *argv; /* argv[0] is looked up in PATH; NULL at the end */
	const char *dir;	 /* working directory, or NULL */
	int stdin_fd;		 /* -1: /dev/null; borrowed, as are the next two */
	int stdout_fd;		 /* -1: /dev/null */
	int stderr_fd;		 /* -1: /dev/null */
	bool survive_parent;	 /* do not ask for SIGKILL when we die */
};

struct process {
	pid_t pid; /* 0: not running */
	int pidfd;
};

#define PROCESS_INIT  \
	{             \
		0, -1 \
	}

/* Starts a child. An exec failure is reported here, with its reason. */
int process_start(struct process *p, const struct process_opts *opts, struct err *e);

/* Signals the child's process group; -ESRCH when it has ended. */
int process_signal(struct process *p, int sig);

/*
 * Waits until the child ends or @timeout_ns passes (-ETIMEDOUT). On success the
 * child is reaped, @p is reset, and @ret_status is a wait status.
 */
int process_wait(struct process *p, uint64_t timeout_ns, int *ret_status);

/* SIGTERM, @grace_ns, SIGKILL, reap. Legal in any state. */
void process_stop(struct process *p, uint64_t grace_ns);

/*
 * Calls @ended once from @loop when the child has ended and been reaped; @p is
 * reset before. The watch is *returned*; process_unwatch() ends it, also from
 * inside @ended.
 */
struct process_watch;
int process_watch(struct process *p, sd_event *loop, void (*ended)(int status, void *arg),
		  void *arg, struct process_watch **ret, struct err *e);
void process_unwatch(struct process_watch *w);

/* "exit status 3", "killed by SIGKILL": text of a wait status. @size >= 48. */
void process_describe(int status, char *buf, size_t size);

/*
 * Runs a command to its end and appends its stdout to @out (NULL: discarded)
 * and its stderr to @err_out (NULL: discarded), each at most @max_bytes long.
 * Returns 0 if it exits 0; otherwise -EIO with the last line of stderr in @e.
 */
int process_run(const char *const *argv, size_t max_bytes, struct buf *out, struct buf *err_out,
		struct err *e);

#endif
