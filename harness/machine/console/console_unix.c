// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/console/console_unix.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "machine/listener.h"

#define READ_SIZE 65536

struct console_unix {
	struct console console;
	sd_event *loop;
	struct listener *listener;
	int fd; /* -1: nobody is connected */
	sd_event_source *io;
	struct buf queue;  /* bytes not yet written */
	unsigned int busy; /* callbacks under way; free waits for them */
	bool dead;
	char block[READ_SIZE];
};

static const struct console_ops console_unix_ops;

static struct console_unix *to_unix(struct console *c)
{
	return container_of(c, struct console_unix, console);
}

static void destroy(struct console_unix *u)
{
	buf_fini(&u->queue);
	free(u);
}

static void disconnect(struct console_unix *u)
{
	u->io = sd_event_source_disable_unref(u->io);
	if (u->fd >= 0)
		close(steal_fd(&u->fd));
	buf_reset(&u->queue);
	listener_enable(u->listener, true);
}

static void console_unix_free(struct console *c)
{
	struct console_unix *u = to_unix(c);

	disconnect(u);
	listener_free(steal_ptr(u->listener));
	u->dead = true;
	if (!u->busy)
		destroy(u);
}

/* Callbacks may free the console: enter() before, leave() after; leave() says if it is gone. */
static void enter(struct console_unix *u)
{
	u->busy++;
}

static bool leave(struct console_unix *u)
{
	bool dead = u->dead;

	if (!--u->busy && dead)
		destroy(u);
	return dead;
}

enum line { LINE_GOT, LINE_EMPTY, LINE_ENDED };

static enum line read_some(struct console_unix *u)
{
	ssize_t n;

	do {
		n = read(u->fd, u->block, sizeof(u->block));
	} while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return LINE_EMPTY;
	if (n <= 0)
		return LINE_ENDED;
	u->console.events.bytes(u->block, (size_t)n, u->console.events.arg);
	return LINE_GOT;
}

/* A line that cannot be written to may still hold bytes to read: only EOF ends it. */
static void flush_queue(struct console_unix *u)
{
	while (u->queue.len) {
		ssize_t n = send(u->fd, u->queue.data, u->queue.len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		buf_consume(&u->queue, n < 0 ? u->queue.len : (size_t)n);
	}
	sd_event_source_set_io_events(u->io, u->queue.len ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct console_unix *u = userdata;
	enum line line = LINE_GOT;

	enter(u);
	if (revents & EPOLLOUT)
		flush_queue(u);
	if (revents & (EPOLLIN | EPOLLHUP | EPOLLERR))
		line = read_some(u);
	if (!u->dead && line == LINE_ENDED) {
		disconnect(u);
		if (u->console.events.hangup)
			u->console.events.hangup(u->console.events.arg);
	}
	leave(u);
	return 0;
}

static void on_connected(int fd, void *arg)
{
	struct console_unix *u = arg;

	if (sd_event_add_io(u->loop, &u->io, fd, EPOLLIN, on_io, u) < 0) {
		close(fd);
		return;
	}
	u->fd = fd;
	listener_enable(u->listener, false);
	enter(u);
	if (u->console.events.back)
		u->console.events.back(u->console.events.arg);
	leave(u);
}

int console_unix_new(sd_event *loop, const char *path, const struct console_events *events,
		     struct console **ret, struct err *e)
{
	struct console_unix *u;
	int rc;

	xnew(u);
	u->console.ops = &console_unix_ops;
	u->console.events = *events;
	u->loop = loop;
	u->fd = -1;
	buf_init(&u->queue);
	rc = listener_new(loop, path, on_connected, u, &u->listener, e);
	if (rc) {
		destroy(u);
		return err_prefix(e, rc, "console");
	}
	*ret = &u->console;
	return 0;
}

bool console_unix_connected(const struct console *c)
{
	return ((const struct console_unix *)c)->fd >= 0;
}

void console_unix_finish(struct console *c)
{
	struct console_unix *u = to_unix(c);
	int fd;

	enter(u);
	u->io = sd_event_source_disable_unref(u->io);
	/* It may have connected and ended before the loop came round to look. */
	if (u->fd < 0)
		u->fd = listener_accept(u->listener);
	while (u->fd >= 0 && read_some(u) == LINE_GOT && !u->dead)
		;
	if (!u->dead) {
		disconnect(u);
		while ((fd = listener_accept(u->listener)) >= 0)
			close(fd);
	}
	leave(u);
}

static int console_unix_write(struct console *c, const void *data, size_t len)
{
	struct console_unix *u = to_unix(c);

	if (!u->io)
		return 0;
	if (len > CONSOLE_QUEUE_MAX - u->queue.len)
		return -ENOBUFS;
	buf_add(&u->queue, data, len);
	sd_event_source_set_io_events(u->io, EPOLLIN | EPOLLOUT);
	return 0;
}

static const struct console_ops console_unix_ops = {
	.name = "unix",
	.write = console_unix_write,
	.free = console_unix_free,
};
