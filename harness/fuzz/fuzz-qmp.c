// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-qmp.c - a monitor that says anything, then hangs up.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "machine/qmp.h"

/* What one read of the client may take; more would need a peer that waits. */
#define INPUT_MAX 65536

struct client {
	struct qmp *qmp;
	int n_closed;
};

static void on_done(const char *error, const struct json *reply, void *arg)
{
	if (!error && !reply)
		abort();
}

static void on_ready(int major, int minor, void *arg)
{
	struct client *c = arg;

	qmp_command(c->qmp, "cont", NULL, on_done, c);
}

static void on_event(const char *name, const struct json *event, void *arg)
{
	if (!name || !event)
		abort();
}

static void on_closed(int error, const char *text, void *arg)
{
	struct client *c = arg;

	if (error >= 0 || !text || c->n_closed++)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static sd_event *loop;
	struct client c = {0};
	const struct qmp_events events = {on_ready, on_event, on_closed, &c};
	int fds[2];

	if (!loop && sd_event_new(&loop) < 0)
		abort();
	if (size > INPUT_MAX)
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds))
		abort();
	if (send(fds[1], data, size, 0) != (ssize_t)size)
		abort();
	close(fds[1]);
	if (qmp_new(loop, fds[0], &events, &c.qmp, NULL))
		abort();
	while (!c.n_closed && sd_event_run(loop, 0) > 0)
		;
	if (c.n_closed != 1)
		abort();
	qmp_free(c.qmp);
	return 0;
}
