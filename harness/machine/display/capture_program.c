// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/display/capture_program.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/process.h"
#include "machine/last_words.h"

/* Read in one turn of the loop, so that others get theirs. */
#define READ_MAX (1 << 20)

struct capture_program {
	struct capture_program_events events;
	struct process process;
	struct process_watch *watch;
	struct last_words last_words;
	int to_fd, from_fd;
	sd_event_source *io;
	struct buf in;
	unsigned int busy; /* callbacks under way; free waits for them */
	bool dead;
};

static void end(struct capture_program *p)
{
	p->io = sd_event_source_disable_unref(p->io);
	process_unwatch(steal_ptr(p->watch));
	process_stop(&p->process, 0);
	last_words_close(&p->last_words);
	if (p->to_fd >= 0)
		close(steal_fd(&p->to_fd));
	if (p->from_fd >= 0)
		close(steal_fd(&p->from_fd));
}

static void enter(struct capture_program *p)
{
	p->busy++;
}

static void leave(struct capture_program *p)
{
	if (--p->busy || !p->dead)
		return;
	buf_fini(&p->in);
	free(p);
}

void capture_program_free(struct capture_program *p)
{
	if (!p)
		return;
	end(p);
	p->dead = true;
	enter(p);
	leave(p);
}

/* Hands over what is complete; negative when it is no stream. */
static int take(struct capture_program *p, struct err *e)
{
	struct capture_message m;
	size_t bytes = 0;
	int rc = 0;

	while (!p->dead && (rc = capture_stream_parse(&p->in, &m, &bytes, e)) > 0) {
		p->events.message(&m, p->events.arg);
		buf_consume(&p->in, bytes);
	}
	return rc;
}

static int on_readable(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	struct capture_program *p = arg;
	struct err e __free_err = ERR_INIT;
	char block[65536];
	size_t all = 0;
	ssize_t n = 1;
	int rc = 0;

	enter(p);
	while (!p->dead && rc >= 0 && all < READ_MAX &&
	       (n = read(p->from_fd, block, sizeof(block))) > 0) {
		buf_add(&p->in, block, (size_t)n);
		all += (size_t)n;
		rc = take(p, &e);
	}
	if (!p->dead && rc < 0) {
		end(p);
		p->events.ended(true, err_msg(&e), p->events.arg);
	} else if (!p->dead && !n) {
		/* The program's end follows, with a reason. */
		p->io = sd_event_source_disable_unref(p->io);
	}
	leave(p);
	return 0;
}

static void on_ended(int status, void *arg)
{
	struct capture_program *p = arg;
	char *text __free(str) = NULL;

	last_words_read(&p->last_words);
	text = last_words_explain(&p->last_words, "the grabber's program", status, false, NULL,
				  NULL);
	enter(p);
	/* Its last picture may still be in the pipe. */
	on_readable(NULL, p->from_fd, 0, p);
	if (!p->dead && p->from_fd >= 0) {
		end(p);
		p->events.ended(!WIFEXITED(status), text, p->events.arg);
	}
	leave(p);
}

void capture_program_pace(struct capture_program *p, bool fast)
{
	/* A full pipe holds what it has not read yet, which is as good. */
	if (send(p->to_fd, fast ? "f" : "s", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return;
}

static int launch(struct capture_program *p, sd_event *loop, const char *const *argv, struct err *e)
{
	int to_end __free(fd) = -1, from_end __free(fd) = -1, words __free(fd) = -1;
	struct process_opts opts = {.argv = argv};
	int to[2], from[2], rc;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to))
		return err_errno(e, errno, "cannot make a socket");
	p->to_fd = to[0];
	opts.stdin_fd = to_end = to[1];
	if (pipe2(from, O_CLOEXEC))
		return err_errno(e, errno, "cannot make a pipe");
	p->from_fd = from[0];
	opts.stdout_fd = from_end = from[1];
	fcntl(p->from_fd, F_SETFL, O_NONBLOCK);
	fcntl(p->from_fd, F_SETPIPE_SZ, READ_MAX);
	rc = last_words_open(&p->last_words, loop, &words, e);
	opts.stderr_fd = words;
	if (!rc)
		rc = process_start(&p->process, &opts, e);
	if (!rc)
		rc = process_watch(&p->process, loop, on_ended, p, &p->watch, e);
	if (rc)
		return rc;
	rc = sd_event_add_io(loop, &p->io, p->from_fd, EPOLLIN, on_readable, p);
	return rc < 0 ? err_errno(e, -rc, "cannot watch a pipe") : 0;
}

int capture_program_start(sd_event *loop, const char *const *argv,
			  const struct capture_program_events *events, struct capture_program **ret,
			  struct err *e)
{
	struct capture_program *p;
	int rc;

	xnew(p);
	p->events = *events;
	p->process = (struct process)PROCESS_INIT;
	p->last_words = (struct last_words)LAST_WORDS_INIT;
	p->to_fd = p->from_fd = -1;
	buf_init(&p->in);
	rc = launch(p, loop, argv, e);
	if (rc) {
		capture_program_free(p);
		return rc;
	}
	*ret = p;
	return 0;
}
