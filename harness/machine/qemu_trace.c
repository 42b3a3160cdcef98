// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/qemu_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* QEMU waits for us when it is full: that much is a second of a busy display. */
#define PIPE_BYTES (256 * 1024)

/* Before what else of QEMU is there to read. */
#define PRIORITY   (SD_EVENT_PRIORITY_NORMAL - 10)

static bool starts_with(const char *line, const char *word)
{
	return !strncmp(line, word, strlen(word));
}

enum qemu_trace_event qemu_trace_parse(const char *line)
{
	if (starts_with(line, "virtio_gpu_cmd_res_flush "))
		return QEMU_TRACE_FLUSH;
	/* Resource 0 is none. */
	if (starts_with(line, "virtio_gpu_cmd_set_scanout "))
		return strstr(line, " res 0x0,") ? QEMU_TRACE_BLANK : QEMU_TRACE_SCANOUT;
	/* A reset. Of which device it does not say. */
	if (starts_with(line, "virtio_set_status ") && strstr(line, " val 0"))
		return QEMU_TRACE_BLANK;
	return QEMU_TRACE_OTHER;
}

static void take(struct qemu_trace *t, const char *p, size_t len)
{
	const char *end = p + len;

	for (; p < end; p++) {
		if (*p != '\n') {
			if (t->len < sizeof(t->line) - 1)
				t->line[t->len++] = *p;
			continue;
		}
		t->line[t->len] = '\0';
		t->len = 0;
		t->event(qemu_trace_parse(t->line), t->arg);
	}
}

static int on_readable(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	struct qemu_trace *t = arg;
	char block[16384];
	ssize_t n;

	while ((n = read(fd, block, sizeof(block))) > 0 || (n < 0 && errno == EINTR)) {
		if (n > 0)
			take(t, block, (size_t)n);
	}
	return 0;
}

int qemu_trace_open(struct qemu_trace *t, sd_event *loop, const char *path,
		    void (*event)(enum qemu_trace_event event, void *arg), void *arg, struct err *e)
{
	int rc;

	if (mkfifo(path, 0600))
		return err_errno(e, errno, "cannot make the FIFO '%s'", path);
	/* For writing, too: it has no end when one QEMU goes and the next comes. */
	t->fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (t->fd < 0)
		return err_errno(e, errno, "cannot open '%s'", path);
	fcntl(t->fd, F_SETPIPE_SZ, PIPE_BYTES);
	t->event = event;
	t->len = 0;
	t->arg = arg;
	rc = sd_event_add_io(loop, &t->io, t->fd, EPOLLIN, on_readable, t);
	if (rc >= 0)
		rc = sd_event_source_set_priority(t->io, PRIORITY);
	return rc < 0 ? err_errno(e, -rc, "cannot watch '%s'", path) : 0;
}

void qemu_trace_close(struct qemu_trace *t)
{
	t->io = sd_event_source_disable_unref(t->io);
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}
