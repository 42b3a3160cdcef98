// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/build_log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"

#define MAX_LINE_BYTES 65536
#define GRACE_NS       2000000000ULL

void build_log_fini(struct build_log *l)
{
	free(l->first_error);
	free(l->last_line);
	buf_fini(&l->pending);
	l->first_error = l->last_line = NULL;
}

/* "FILE:LINE:COL: error: ..." of a compiler, "FILE:LINE: error" of others. */
static bool is_error(const char *line)
{
	const char *at = strstr(line, "error:");
	const char *colon = strchr(line, ':');

	if (at && colon && colon < at && colon[1] >= '0' && colon[1] <= '9')
		return true;
	return !strncmp(line, "ERROR: ", 7) || strstr(line, "undefined reference to ");
}

/* A compiler names files from where it runs: "../mm/mmu.c" is mm/mmu.c. */
static const char *in_tree(const char *line)
{
	while (!strncmp(line, "../", 3))
		line += 3;
	return line;
}

static void take_line(struct build_log *l, const char *line, size_t len)
{
	struct buf text __free_buf = BUF_INIT;

	text_escape(&text, line, len);
	if (!text.len)
		return;
	if (!l->first_error && is_error(text.data))
		l->first_error = xstrdup(in_tree(text.data));
	free(l->last_line);
	l->last_line = xstrdup(text.data);
	if (strncmp(text.data, "  ", 2) || text.data[2] < 'A' || text.data[2] > 'Z')
		return;
	l->n_steps++;
	if (l->step)
		l->step(l->n_steps, text.data + 2, l->arg);
}

void build_log_feed(struct build_log *l, const void *data, size_t len)
{
	const char *end;

	buf_add(&l->pending, data, len);
	while ((end = memchr(l->pending.data, '\n', l->pending.len)) ||
	       l->pending.len > MAX_LINE_BYTES) {
		size_t n = end ? (size_t)(end - l->pending.data) : l->pending.len;

		take_line(l, l->pending.data, n);
		buf_consume(&l->pending, end ? n + 1 : n);
	}
}

static int copy_output(struct build_log *l, int fd, struct err *e)
{
	char block[16384];
	ssize_t n;

	while ((n = read(fd, block, sizeof(block))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(e, errno, "cannot read a build's output");
		if (file_write_all(l->fd, block, (size_t)n))
			return err_errno(e, errno, "cannot write a build's log");
		build_log_feed(l, block, (size_t)n);
	}
	build_log_feed(l, "\n", 1);
	return 0;
}

int build_log_run(struct build_log *l, const char *dir, const char *const *argv, struct err *e)
{
	struct process p = PROCESS_INIT;
	struct process_opts opts = {.argv = argv, .dir = dir, .stdin_fd = -1};
	int fds[2], r __free(fd) = -1, w __free(fd) = -1, rc, status = 0;
	char what[48];

	if (pipe2(fds, O_CLOEXEC))
		return err_errno(e, errno, "cannot run '%s'", argv[0]);
	r = fds[0];
	w = fds[1];
	opts.stdout_fd = opts.stderr_fd = w;
	rc = process_start(&p, &opts, e);
	if (rc)
		return rc;
	close(steal_fd(&w));
	rc = copy_output(l, r, e);
	if (rc)
		process_stop(&p, GRACE_NS);
	else
		rc = process_wait(&p, UINT64_MAX / 4, &status);
	if (rc || !status)
		return rc;
	process_describe(status, what, sizeof(what));
	return err_set(e, EIO, "%s",
		       l->first_error ? l->first_error : (l->last_line ? l->last_line : what));
}
