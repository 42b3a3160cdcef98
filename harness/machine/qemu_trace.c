// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/qemu_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

/* QEMU waits for us when it is full: that much is a second of a busy display. */
#define PIPE_BYTES (256 * 1024)

static int on_readable(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	struct qemu_trace *t = arg;
	char block[16384];
	ssize_t n;
	bool any = false;

	while ((n = read(fd, block, sizeof(block))) > 0 || (n < 0 && errno == EINTR))
		any |= n > 0;
	if (any)
		t->written(t->arg);
	return 0;
}

int qemu_trace_open(struct qemu_trace *t, sd_event *loop, const char *path,
		    void (*written)(void *arg), void *arg, struct err *e)
{
	int rc;

	if (mkfifo(path, 0600))
		return err_errno(e, errno, "cannot make the FIFO '%s'", path);
	/* For writing, too: it has no end when one QEMU goes and the next comes. */
	t->fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (t->fd < 0)
		return err_errno(e, errno, "cannot open '%s'", path);
	fcntl(t->fd, F_SETPIPE_SZ, PIPE_BYTES);
	t->written = written;
	t->arg = arg;
	rc = sd_event_add_io(loop, &t->io, t->fd, EPOLLIN, on_readable, t);
	return rc < 0 ? err_errno(e, -rc, "cannot watch '%s'", path) : 0;
}

void qemu_trace_close(struct qemu_trace *t)
{
	t->io = sd_event_source_disable_unref(t->io);
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}
