// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "evidence/event_json.h"
#include "evidence/evidence.h"
#include "evidence/layout.h"

/*
 * Chunks that arrive within a window share one line of events.jsonl, and an
 * attempt that has many lines gets a wide window: a flood costs a line a
 * second, not a line a read.
 */
#define WINDOW_NS      NS_PER_MS
#define WIDE_WINDOW_NS NS_PER_S
#define MANY_LINES     20000

struct evidence_writer {
	char *dir;
	struct evidence_limits limits;
	int dir_fd, console_fd, tail_fd, events_fd;
	int failed;   /* first error, negative; 0 while all is well */
	uint64_t end; /* console bytes received */
	uint64_t lines;

	/* Console bytes on disk that no line names yet. */
	uint64_t run_start, run_ns;

	char **files; /* names of those that were added */
	size_t n_files;
};

static void writer_free(struct evidence_writer *w)
{
	int fds[] = {w->dir_fd, w->console_fd, w->tail_fd, w->events_fd};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	for (i = 0; i < w->n_files; i++)
		free(w->files[i]);
	free(w->files);
	free(w->dir);
	free(w);
}

static int create(const struct evidence_writer *w, const char *name, int flags)
{
	return openat(w->dir_fd, name, O_CREAT | O_EXCL | O_CLOEXEC | flags, 0644);
}

int evidence_create(const char *dir, const struct evidence_limits *limits,
		    struct evidence_writer **ret, struct err *e)
{
	struct evidence_writer *w;
	int rc = 0;

	if (mkdir(dir, 0755))
		return err_errno(e, errno, "cannot create '%s'", dir);
	xnew(w);
	w->dir = xstrdup(dir);
	w->limits = *limits;
	w->console_fd = w->tail_fd = w->events_fd = -1;
	w->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w->dir_fd >= 0)
		w->console_fd = create(w, CONSOLE_FILE, O_WRONLY | O_APPEND);
	if (w->console_fd >= 0)
		w->events_fd = create(w, EVENTS_FILE, O_WRONLY | O_APPEND);
	if (w->events_fd < 0) {
		rc = err_errno(e, errno, "cannot write evidence in '%s'", dir);
		writer_free(w);
		return rc;
	}
	*ret = w;
	return 0;
}

static int write_line(struct evidence_writer *w, struct json *j)
{
	struct buf line __free_buf = BUF_INIT;

	json_print(j, false, &line);
	buf_addch(&line, '\n');
	w->lines++;
	return file_write_all(w->events_fd, line.data, line.len);
}

/* Names the console bytes since the last line, so that what follows stands after them. */
static int end_run(struct evidence_writer *w)
{
	struct json *j __free(json) = NULL;

	if (w->run_start == w->end)
		return 0;
	j = json_new_object();
	json_set_int(j, "t", (int64_t)w->run_ns);
	json_set_str(j, "type", event_type_name(EVENT_CONSOLE));
	json_set_int(j, "off", (int64_t)w->run_start);
	json_set_int(j, "len", (int64_t)(w->end - w->run_start));
	w->run_start = w->end;
	return write_line(w, j);
}

static int pwrite_all(int fd, const void *data, size_t len, off_t at)
{
	const char *p = data;

	while (len) {
		ssize_t n = pwrite(fd, p, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

static int write_ring(struct evidence_writer *w, const char *p, size_t len, uint64_t at)
{
	uint64_t ring = w->limits.tail_bytes + TAIL_SLACK_BYTES;

	while (len) {
		uint64_t pos = (at - w->limits.head_bytes) % ring;
		size_t n = len < ring - pos ? len : (size_t)(ring - pos);
		int rc = pwrite_all(w->tail_fd, p, n, (off_t)(sizeof(struct tail_header) + pos));

		if (rc)
			return rc;
		p += n;
		at += n;
		len -= n;
	}
	return 0;
}

/* @at is the console offset of the first byte. */
static int write_tail(struct evidence_writer *w, const char *p, size_t len, uint64_t at)
{
	struct tail_header header = {
		.ring_bytes = w->limits.tail_bytes + TAIL_SLACK_BYTES,
		.start = w->limits.head_bytes,
	};

	if (w->tail_fd < 0)
		w->tail_fd = create(w, TAIL_FILE, O_RDWR);
	if (w->tail_fd < 0)
		return -errno;
	memcpy(header.magic, TAIL_MAGIC, sizeof(header.magic));
	while (len) {
		size_t n = len < TAIL_SLACK_BYTES ? len : TAIL_SLACK_BYTES;
		int rc = write_ring(w, p, n, at);

		header.end = at + n;
		if (!rc)
			rc = pwrite_all(w->tail_fd, &header, sizeof(header), 0);
		if (rc)
			return rc;
		p += n;
		at += n;
		len -= n;
	}
	return 0;
}

static int write_console(struct evidence_writer *w, const struct event *ev)
{
	uint64_t window = w->lines < MANY_LINES ? WINDOW_NS : WIDE_WINDOW_NS;
	const char *p = ev->bytes.data;
	size_t len = ev->bytes.len, head = 0;
	int rc = 0;

	if (w->run_start != w->end && ev->t_ns - w->run_ns >= window)
		rc = end_run(w);
	if (rc)
		return rc;
	if (w->run_start == w->end)
		w->run_ns = ev->t_ns;
	if (w->end < w->limits.head_bytes) {
		uint64_t room = w->limits.head_bytes - w->end;

		head = len < room ? len : (size_t)room;
		rc = file_write_all(w->console_fd, p, head);
	}
	if (!rc && head < len)
		rc = write_tail(w, p + head, len - head, w->end + head);
	if (!rc)
		w->end += len;
	return rc;
}

static int write_other(struct evidence_writer *w, const struct event *ev)
{
	struct json *j __free(json) = event_to_json(ev);
	int rc = end_run(w);

	return rc ? rc : write_line(w, j);
}

int evidence_write(struct evidence_writer *w, const struct event *ev, struct err *e)
{
	if (!w->failed)
		w->failed = ev->type == EVENT_CONSOLE ? write_console(w, ev) : write_other(w, ev);
	if (w->failed)
		return err_errno(e, -w->failed, "cannot write evidence in '%s'", w->dir);
	return 0;
}

static int add_file(struct evidence_writer *w, const char *name, const void *data, size_t len)
{
	int fd __free(fd) = create(w, name, O_WRONLY);

	if (fd < 0)
		return -errno;
	*array_push(w->files, w->n_files) = xstrdup(name);
	return file_write_all(fd, data, len);
}

/* Waits for the disk, which a target that is being watched would not do for us. */
static int flush_files(const struct evidence_writer *w)
{
	size_t i;

	for (i = 0; i < w->n_files; i++) {
		int fd __free(fd) =
			openat(w->dir_fd, w->files[i], O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

		if (fd < 0 || fsync(fd))
			return -errno;
	}
	return 0;
}

int evidence_add_file(struct evidence_writer *w, const char *name, const void *data, size_t len,
		      struct err *e)
{
	if (!w->failed)
		w->failed = add_file(w, name, data, len);
	if (w->failed)
		return err_errno(e, -w->failed, "cannot write '%s' in '%s'", name, w->dir);
	return 0;
}

int evidence_close(struct evidence_writer *w, struct err *e)
{
	int rc = w->failed ? w->failed : end_run(w);

	if (!rc)
		rc = flush_files(w);
	if (fsync(w->console_fd) || fsync(w->events_fd) || (w->tail_fd >= 0 && fsync(w->tail_fd)) ||
	    fsync(w->dir_fd))
		rc = rc ? rc : -errno;
	if (rc)
		err_errno(e, -rc, "cannot write evidence in '%s'", w->dir);
	writer_free(w);
	return rc;
}
