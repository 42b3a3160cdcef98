// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/console/line.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "machine/console/console.h"

#define READ_SIZE 65536
#define RETRY_US  200000

struct line {
	struct line_opts opts;
	int fd;	 /* -1: not open */
	bool up; /* up was told, and no down since */
	sd_event_source *io;
	sd_event_source *retry;
	struct buf queue;
	unsigned int busy; /* callbacks under way; free waits for them */
	bool dead;
	char block[READ_SIZE];
};

static void destroy(struct line *l)
{
	buf_fini(&l->queue);
	free(l);
}

static void shut(struct line *l)
{
	l->io = sd_event_source_disable_unref(l->io);
	if (l->fd >= 0)
		close(steal_fd(&l->fd));
	buf_reset(&l->queue);
	l->up = false;
}

void line_free(struct line *l)
{
	if (!l)
		return;
	shut(l);
	l->retry = sd_event_source_disable_unref(l->retry);
	l->dead = true;
	if (!l->busy)
		destroy(l);
}

int line_fd(const struct line *l)
{
	return l->fd;
}

static void try_later(struct line *l)
{
	sd_event_source_set_time_relative(l->retry, RETRY_US);
	sd_event_source_set_enabled(l->retry, SD_EVENT_ONESHOT);
}

static void end(struct line *l)
{
	bool was_up = l->up;

	shut(l);
	try_later(l);
	if (was_up)
		l->opts.down(l->opts.arg);
}

static bool read_some(struct line *l)
{
	ssize_t n;

	do {
		n = read(l->fd, l->block, sizeof(l->block));
	} while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return true;
	if (n <= 0)
		return false;
	l->opts.bytes(l->block, (size_t)n, l->opts.arg);
	return true;
}

/* A line that cannot be written to may still hold bytes to read: only its end ends it. */
static void flush_queue(struct line *l)
{
	while (l->queue.len) {
		ssize_t n = write(l->fd, l->queue.data, l->queue.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		buf_consume(&l->queue, n < 0 ? l->queue.len : (size_t)n);
	}
	sd_event_source_set_io_events(l->io, l->queue.len ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

/* A socket is connected when it can be written to and has no error; a tty at once. */
static bool has_error(int fd)
{
	int error = 0;
	socklen_t len = sizeof(error);

	return !getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) && error;
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct line *l = userdata;
	bool good = true;

	l->busy++;
	if (!l->up && (revents & EPOLLOUT)) {
		good = !has_error(fd);
		l->up = good;
		if (good)
			l->opts.up(l->opts.arg);
	}
	if (!l->dead && good && l->up && (revents & EPOLLOUT))
		flush_queue(l);
	if (!l->dead && good && (revents & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		good = read_some(l);
	if (!l->dead && !good)
		end(l);
	if (!--l->busy && l->dead)
		destroy(l);
	return 0;
}

static int try_open(struct line *l, struct err *e)
{
	int fd = l->opts.open(l->opts.arg, e), rc;

	if (fd < 0)
		return fd;
	rc = sd_event_add_io(l->opts.loop, &l->io, fd, EPOLLIN | EPOLLOUT, on_io, l);
	if (rc < 0) {
		close(fd);
		return err_errno(e, -rc, "cannot watch the line");
	}
	l->fd = fd;
	return 0;
}

static int on_retry(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct line *l = userdata;

	if (try_open(l, NULL))
		try_later(l);
	return 0;
}

int line_new(const struct line_opts *opts, struct line **ret, struct err *e)
{
	struct line *l;
	int rc;

	xnew(l);
	l->opts = *opts;
	l->fd = -1;
	buf_init(&l->queue);
	rc = sd_event_add_time_relative(opts->loop, &l->retry, CLOCK_MONOTONIC, 0, 1000, on_retry,
					l);
	if (rc >= 0)
		rc = sd_event_source_set_enabled(l->retry, SD_EVENT_OFF);
	rc = rc < 0 ? err_errno(e, -rc, "cannot make a timer") : try_open(l, e);
	if (rc) {
		line_free(l);
		return rc;
	}
	*ret = l;
	return 0;
}

int line_write(struct line *l, const void *data, size_t len)
{
	if (!l->up)
		return 0;
	if (len > CONSOLE_QUEUE_MAX - l->queue.len)
		return -ENOBUFS;
	buf_add(&l->queue, data, len);
	sd_event_source_set_io_events(l->io, EPOLLIN | EPOLLOUT);
	return 0;
}
