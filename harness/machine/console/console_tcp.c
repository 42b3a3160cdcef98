// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/console/console_tcp.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "machine/console/line.h"
#include "machine/console/telnet.h"

struct console_tcp {
	struct console console;
	struct addrinfo *addresses;
	const struct addrinfo *next; /* of several, tried in turn */
	bool rfc2217;
	unsigned int baud;
	struct telnet telnet;
	struct line *line;
};

static struct console_tcp *to_tcp(struct console *c)
{
	return container_of(c, struct console_tcp, console);
}

/* A peer that vanished without a word must not pass for a silent target. */
static void keep_alive(int fd)
{
	static const int on = 1, idle_s = 5, interval_s = 2, count = 3;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof(interval_s));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static int open_tcp(void *arg, struct err *e)
{
	struct console_tcp *t = arg;
	const struct addrinfo *a = t->next;
	int fd __free(fd) =
		socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);

	t->next = a->ai_next ? a->ai_next : t->addresses;
	if (fd < 0)
		return err_errno(e, errno, "cannot make a socket");
	keep_alive(fd);
	if (connect(fd, a->ai_addr, a->ai_addrlen) && errno != EINPROGRESS)
		return err_errno(e, errno, "cannot connect");
	return steal_fd(&fd);
}

static void on_up(void *arg)
{
	struct console_tcp *t = arg;
	struct buf first __free_buf = BUF_INIT;

	if (t->rfc2217) {
		telnet_start(&t->telnet, t->baud, &first);
		line_write(t->line, first.data, first.len);
	}
	if (t->console.events.back)
		t->console.events.back(t->console.events.arg);
}

static void on_bytes(const void *bytes, size_t len, void *arg)
{
	struct console_tcp *t = arg;
	struct buf data __free_buf = BUF_INIT, reply __free_buf = BUF_INIT;

	if (!t->rfc2217) {
		t->console.events.bytes(bytes, len, t->console.events.arg);
		return;
	}
	telnet_feed(&t->telnet, bytes, len, &data, &reply);
	if (reply.len)
		line_write(t->line, reply.data, reply.len);
	if (data.len)
		t->console.events.bytes(data.data, data.len, t->console.events.arg);
}

static void on_down(void *arg)
{
	struct console_tcp *t = arg;

	if (t->console.events.hangup)
		t->console.events.hangup(t->console.events.arg);
}

static int console_tcp_write(struct console *c, const void *data, size_t len)
{
	struct console_tcp *t = to_tcp(c);
	struct buf escaped __free_buf = BUF_INIT;

	if (!t->rfc2217)
		return line_write(t->line, data, len);
	telnet_escape(&escaped, data, len);
	return line_write(t->line, escaped.data, escaped.len);
}

static int console_tcp_set_baud(struct console *c, unsigned int baud)
{
	struct console_tcp *t = to_tcp(c);
	struct buf out __free_buf = BUF_INIT;

	t->baud = baud;
	telnet_set_baud(&t->telnet, baud, &out);
	return out.len ? line_write(t->line, out.data, out.len) : 0;
}

static void console_tcp_free(struct console *c)
{
	struct console_tcp *t = to_tcp(c);

	line_free(t->line);
	freeaddrinfo(t->addresses);
	free(t);
}

static const struct console_ops raw_ops = {
	.name = "tcp",
	.write = console_tcp_write,
	.free = console_tcp_free,
};

static const struct console_ops rfc2217_ops = {
	.name = "rfc2217",
	.write = console_tcp_write,
	.set_baud = console_tcp_set_baud,
	.free = console_tcp_free,
};

static int look_up(const struct console_tcp_opts *opts, struct addrinfo **ret, struct err *e)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	int rc = getaddrinfo(opts->host, opts->port, &hints, ret);

	if (rc)
		return err_set(e, EHOSTUNREACH, "console: cannot find host '%s': %s", opts->host,
			       gai_strerror(rc));
	return 0;
}

int console_tcp_new(sd_event *loop, const struct console_tcp_opts *opts,
		    const struct console_events *events, struct console **ret, struct err *e)
{
	struct line_opts line = {
		.loop = loop, .open = open_tcp, .up = on_up, .bytes = on_bytes, .down = on_down};
	struct console_tcp *t;
	int rc;

	xnew(t);
	t->console.ops = opts->rfc2217 ? &rfc2217_ops : &raw_ops;
	t->console.events = *events;
	t->rfc2217 = opts->rfc2217;
	t->baud = opts->baud;
	rc = look_up(opts, &t->addresses, e);
	if (rc) {
		free(t);
		return rc;
	}
	t->next = t->addresses;
	line.arg = t;
	rc = line_new(&line, &t->line, e);
	if (rc) {
		console_tcp_free(&t->console);
		return err_prefix(e, rc, "console");
	}
	*ret = &t->console;
	return 0;
}
