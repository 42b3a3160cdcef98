// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/last_words.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/process.h"
#include "base/text.h"

#define KEPT_MAX 4096

void last_words_read(struct last_words *w)
{
	char block[4096];
	ssize_t n;

	while (w->fd >= 0 && (n = read(w->fd, block, sizeof(block))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return;
		buf_add(&w->text, block, (size_t)n);
		if (w->text.len > KEPT_MAX)
			buf_consume(&w->text, w->text.len - KEPT_MAX);
	}
	/* At its end it would stay readable for ever. */
	w->io = sd_event_source_disable_unref(w->io);
}

static int on_readable(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	last_words_read(userdata);
	return 0;
}

int last_words_open(struct last_words *w, sd_event *loop, int *ret_write_fd, struct err *e)
{
	int write_end __free(fd) = -1;
	int fds[2], rc;

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return err_errno(e, errno, "cannot make a pipe");
	w->fd = fds[0];
	write_end = fds[1];
	/* Only our end is non-blocking: the child is to wait rather than lose its words. */
	fcntl(write_end, F_SETFL, 0);
	rc = sd_event_add_io(loop, &w->io, w->fd, EPOLLIN, on_readable, w);
	if (rc < 0)
		return err_errno(e, -rc, "cannot watch a child's stderr");
	*ret_write_fd = steal_fd(&write_end);
	return 0;
}

void last_words_add(const struct last_words *w, struct buf *out)
{
	const char *p = w->text.data, *end = p + w->text.len;

	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((newline ? newline : end) - p);

		if (len) {
			buf_adds(out, out->len ? "; " : "");
			text_escape(out, p, len);
		}
		p += len + 1;
	}
}

char *last_words_explain(const struct last_words *w, const char *name, int status, bool killed,
			 const char *failure, const char *reason)
{
	struct buf text __free_buf = BUF_INIT;
	char how[64];

	if (failure)
		buf_adds(&text, failure);
	if (!killed) {
		process_describe(status, how, sizeof(how));
		buf_addf(&text, "%s%s ended: %s", text.len ? "; " : "", name, how);
		if (reason)
			buf_addf(&text, " (%s)", reason);
	}
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && !killed)
		buf_adds(&text, " (not by kjump: most likely the host ran out of memory)");
	last_words_add(w, &text);
	return buf_steal(&text);
}

void last_words_close(struct last_words *w)
{
	w->io = sd_event_source_disable_unref(w->io);
	if (w->fd >= 0)
		close(steal_fd(&w->fd));
	buf_fini(&w->text);
}
