// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/clock.h"

static int pidfd_open(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* In the child, between fork and exec: async-signal-safe calls only. */
static void child_exec(const struct process_opts *o, pid_t parent, int report_fd, int null_fd)
{
	const int fds[3] = {o->stdin_fd, o->stdout_fd, o->stderr_fd};
	int high[3], i, code;
	sigset_t none;

	setpgid(0, 0);
	/* Signals that the event loop blocks must not stay blocked in the child. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (!o->survive_parent) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(127);
	}
	/* First out of the way of 0..2, then into place: the three may overlap. */
	for (i = 0; i < 3; i++) {
		high[i] = fcntl(fds[i] >= 0 ? fds[i] : null_fd, F_DUPFD_CLOEXEC, 10);
		if (high[i] < 0)
			goto fail;
	}
	for (i = 0; i < 3; i++) {
		if (dup2(high[i], i) < 0)
			goto fail;
	}
	if (o->dir && chdir(o->dir))
		goto fail;
	execvp(o->argv[0], (char *const *)o->argv);
fail:
	code = errno;
	if (write(report_fd, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

int process_start(struct process *p, const struct process_opts *opts, struct err *e)
{
	int report_r __free(fd) = -1, report_w __free(fd) = -1, null_fd __free(fd) = -1;
	int pipe_fds[2], code = 0;
	pid_t parent = getpid(), pid;
	ssize_t n;

	null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null_fd < 0 || pipe2(pipe_fds, O_CLOEXEC))
		return err_errno(e, errno, "cannot start '%s'", opts->argv[0]);
	report_r = pipe_fds[0];
	report_w = pipe_fds[1];
	pid = fork();
	if (pid < 0)
		return err_errno(e, errno, "cannot start '%s'", opts->argv[0]);
	if (!pid)
		child_exec(opts, parent, report_w, null_fd);
	close(steal_fd(&report_w));
	do {
		n = read(report_r, &code, sizeof(code));
	} while (n < 0 && errno == EINTR);
	if (n != 0) { /* the pipe closes without a byte when exec succeeds */
		waitpid(pid, NULL, 0);
		return err_errno(e, code ? code : EIO, "cannot run '%s'", opts->argv[0]);
	}
	p->pid = pid;
	p->pidfd = pidfd_open(pid);
	if (p->pidfd < 0) {
		code = errno;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		p->pid = 0;
		return err_errno(e, code, "cannot watch '%s'", opts->argv[0]);
	}
	fcntl(p->pidfd, F_SETFD, FD_CLOEXEC);
	return 0;
}

int process_signal(struct process *p, int sig)
{
	if (!p->pid)
		return -ESRCH;
	/* We have not reaped it, so neither the pid nor its group can be another's. */
	if (kill(-p->pid, sig) && syscall(SYS_pidfd_send_signal, p->pidfd, sig, NULL, 0))
		return -errno;
	return 0;
}

static int reap(struct process *p, int *ret_status)
{
	int status = 0;
	pid_t got;

	do {
		got = waitpid(p->pid, &status, 0);
	} while (got < 0 && errno == EINTR);
	close(p->pidfd);
	*p = (struct process)PROCESS_INIT;
	if (ret_status)
		*ret_status = status;
	return got < 0 ? -errno : 0;
}

int process_wait(struct process *p, uint64_t timeout_ns, int *ret_status)
{
	uint64_t end = clock_ns() + timeout_ns;

	if (!p->pid)
		return -ESRCH;
	for (;;) {
		uint64_t now = clock_ns();
		struct pollfd pfd = {.fd = p->pidfd, .events = POLLIN};
		struct timespec left = {0};
		int n;

		if (now < end) {
			left.tv_sec = (time_t)((end - now) / NS_PER_S);
			left.tv_nsec = (long)((end - now) % NS_PER_S);
		}
		n = ppoll(&pfd, 1, &left, NULL);
		if (n > 0)
			return reap(p, ret_status);
		if (n == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

void process_stop(struct process *p, uint64_t grace_ns)
{
	if (!p->pid)
		return;
	process_signal(p, SIGTERM);
	if (process_wait(p, grace_ns, NULL) != -ETIMEDOUT)
		return;
	process_signal(p, SIGKILL);
	reap(p, NULL);
}

struct process_watch {
	struct process *process;
	sd_event_source *source;
	void (*ended)(int status, void *arg);
	void *arg;
};

static int on_pidfd(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct process_watch *w = userdata;
	int status = 0;

	sd_event_source_set_enabled(source, SD_EVENT_OFF);
	if (w->process->pid)
		reap(w->process, &status);
	w->ended(status, w->arg);
	return 0;
}

int process_watch(struct process *p, sd_event *loop, void (*ended)(int status, void *arg),
		  void *arg, struct process_watch **ret, struct err *e)
{
	struct process_watch *w;
	int rc;

	xnew(w);
	w->process = p;
	w->ended = ended;
	w->arg = arg;
	rc = sd_event_add_io(loop, &w->source, p->pidfd, EPOLLIN, on_pidfd, w);
	if (rc < 0) {
		free(w);
		return err_errno(e, -rc, "cannot watch a child process");
	}
	*ret = w;
	return 0;
}

void process_unwatch(struct process_watch *w)
{
	if (!w)
		return;
	sd_event_source_disable_unref(w->source);
	free(w);
}

void process_describe(int status, char *buf, size_t size)
{
	if (WIFEXITED(status)) {
		snprintf(buf, size, "exit status %d", WEXITSTATUS(status));
	} else if (WIFSIGNALED(status)) {
		const char *name = sigabbrev_np(WTERMSIG(status));

		snprintf(buf, size, "killed by SIG%s", name ? name : "?");
	} else {
		snprintf(buf, size, "wait status 0x%x", (unsigned int)status);
	}
}

/* Reads what is there; false at the end of the stream. */
static bool drain(int fd, size_t max_bytes, struct buf *out)
{
	char block[16384];
	ssize_t n = read(fd, block, sizeof(block));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (out && n > 0 && out->len < max_bytes) {
		size_t room = max_bytes - out->len;

		buf_add(out, block, (size_t)n < room ? (size_t)n : room);
	}
	return n > 0;
}

static void last_line(const struct buf *b, const char **ret, int *ret_len)
{
	size_t end = b->len, start;

	while (end && (b->data[end - 1] == '\n' || b->data[end - 1] == ' '))
		end--;
	for (start = end; start && b->data[start - 1] != '\n'; start--)
		;
	*ret = b->data + start;
	*ret_len = (int)(end - start > 400 ? 400 : end - start);
}

int process_run(const char *const *argv, size_t max_bytes, struct buf *out, struct buf *err_out,
		struct err *e)
{
	int r[2];
	int out_r __free(fd) = -1, out_w __free(fd) = -1;
	int err_r __free(fd) = -1, err_w __free(fd) = -1;
	struct buf own_err __free_buf = BUF_INIT;
	struct process p = PROCESS_INIT;
	struct process_opts opts = {.argv = argv, .stdin_fd = -1};
	char what[48];
	int rc, status = 0;

	if (!err_out)
		err_out = &own_err;
	if (pipe2(r, O_CLOEXEC))
		return err_errno(e, errno, "cannot run '%s'", argv[0]);
	out_r = r[0];
	out_w = r[1];
	if (pipe2(r, O_CLOEXEC))
		return err_errno(e, errno, "cannot run '%s'", argv[0]);
	err_r = r[0];
	err_w = r[1];
	opts.stdout_fd = out_w;
	opts.stderr_fd = err_w;
	rc = process_start(&p, &opts, e);
	if (rc)
		return rc;
	close(steal_fd(&out_w));
	close(steal_fd(&err_w));
	while (out_r >= 0 || err_r >= 0) {
		struct pollfd pfd[2] = {{.fd = out_r, .events = POLLIN},
					{.fd = err_r, .events = POLLIN}};

		if (poll(pfd, 2, -1) < 0 && errno != EINTR)
			break;
		if (pfd[0].revents && !drain(out_r, max_bytes, out))
			close(steal_fd(&out_r));
		if (pfd[1].revents && !drain(err_r, max_bytes, err_out))
			close(steal_fd(&err_r));
	}
	rc = reap(&p, &status);
	if (rc)
		return err_errno(e, -rc, "cannot wait for '%s'", argv[0]);
	if (status) {
		const char *line;
		int len;

		process_describe(status, what, sizeof(what));
		last_line(err_out, &line, &len);
		return err_set(e, EIO, "%s: %s%s%.*s", argv[0], what, len ? ": " : "", len, line);
	}
	return 0;
}
