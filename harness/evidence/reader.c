// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "evidence/event_json.h"
#include "evidence/evidence.h"
#include "evidence/layout.h"

#define CHUNK_BYTES 65536

struct reader {
	int console_fd, tail_fd;
	uint64_t head_end;	       /* bytes in console.log */
	uint64_t tail_start, tail_end; /* console offsets that console.tail holds */
	struct tail_header tail;
	uint64_t at;   /* console bytes replayed or reported missing so far */
	uint64_t t_ns; /* of the newest event */
	uint64_t gap;  /* missing bytes not reported yet */
	uint64_t gap_ns;
	int (*each)(const struct event *ev, void *arg);
	void *arg;
	char chunk[CHUNK_BYTES];
};

static void reader_free(struct reader *r)
{
	if (r->console_fd >= 0)
		close(r->console_fd);
	if (r->tail_fd >= 0)
		close(r->tail_fd);
	free(r);
}
DEFINE_FREE(reader, struct reader *, reader_free(_v));

static ssize_t pread_all(int fd, void *data, size_t len, off_t at)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)data + done, len - done, at + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/* A header that is not ours, or cannot be, counts as no tail. */
static void read_tail_header(struct reader *r)
{
	struct tail_header *h = &r->tail;
	struct stat st;

	r->tail_start = r->tail_end = r->head_end;
	if (r->tail_fd < 0 || fstat(r->tail_fd, &st) ||
	    pread_all(r->tail_fd, h, sizeof(*h), 0) != (ssize_t)sizeof(*h) ||
	    memcmp(h->magic, TAIL_MAGIC, sizeof(h->magic)) || h->start != r->head_end ||
	    h->end <= h->start || h->ring_bytes <= TAIL_SLACK_BYTES)
		return;
	r->tail_end = h->end;
	if (h->end - h->start > h->ring_bytes - TAIL_SLACK_BYTES)
		r->tail_start = h->end - (h->ring_bytes - TAIL_SLACK_BYTES);
}

static int open_console(struct reader *r, const char *dir, struct err *e)
{
	char *console __free(str) = file_join(dir, CONSOLE_FILE);
	char *tail __free(str) = file_join(dir, TAIL_FILE);
	struct stat st;

	r->console_fd = open(console, O_RDONLY | O_CLOEXEC);
	if (r->console_fd < 0 || fstat(r->console_fd, &st))
		return err_errno(e, errno, "cannot read '%s'", console);
	r->head_end = (uint64_t)st.st_size;
	r->tail_fd = open(tail, O_RDONLY | O_CLOEXEC);
	read_tail_header(r);
	return 0;
}

static int flush_gap(struct reader *r)
{
	const struct event ev = {
		.t_ns = r->gap_ns,
		.type = EVENT_GAP,
		.gap = {r->gap, GAP_OVER_LIMIT},
	};

	if (!r->gap)
		return 0;
	r->gap = 0;
	return r->each(&ev, r->arg);
}

/* Up to one chunk of kept bytes at r->at, at most to @end; 0: they are missing. */
static ssize_t read_chunk(struct reader *r, uint64_t end)
{
	uint64_t at = r->at, room = end - at, pos;

	if (room > CHUNK_BYTES)
		room = CHUNK_BYTES;
	if (at < r->head_end) {
		if (room > r->head_end - at)
			room = r->head_end - at;
		return pread_all(r->console_fd, r->chunk, (size_t)room, (off_t)at);
	}
	if (at < r->tail_start || at >= r->tail_end)
		return 0;
	pos = (at - r->tail.start) % r->tail.ring_bytes;
	if (room > r->tail_end - at)
		room = r->tail_end - at;
	if (room > r->tail.ring_bytes - pos)
		room = r->tail.ring_bytes - pos;
	return pread_all(r->tail_fd, r->chunk, (size_t)room, (off_t)(sizeof(r->tail) + pos));
}

static void skip_missing(struct reader *r, uint64_t end)
{
	uint64_t to = end;

	if (r->at < r->tail_start && r->tail_start < end)
		to = r->tail_start;
	if (!r->gap)
		r->gap_ns = r->t_ns;
	r->gap += to - r->at;
	r->at = to;
}

static int replay_console(struct reader *r, uint64_t end)
{
	while (r->at < end) {
		struct event ev = {.t_ns = r->t_ns, .type = EVENT_CONSOLE};
		ssize_t n = read_chunk(r, end);
		int rc;

		if (n < 0)
			return (int)n;
		if (!n) {
			skip_missing(r, end);
			continue;
		}
		rc = flush_gap(r);
		if (rc)
			return rc;
		ev.bytes.data = r->chunk;
		ev.bytes.len = (size_t)n;
		r->at += (uint64_t)n;
		rc = r->each(&ev, r->arg);
		if (rc)
			return rc;
	}
	return 0;
}

static bool is_console(const struct json *j)
{
	const char *type = json_get_str(j, "type");

	return type && !strcmp(type, event_type_name(EVENT_CONSOLE));
}

/* *ret_foreign: the line is not ours; nothing was replayed then. */
static int replay_run(struct reader *r, const struct json *j, bool *ret_foreign)
{
	int64_t t = json_get_int(j, "t", -1), off = json_get_int(j, "off", -1);
	int64_t len = json_get_int(j, "len", 0);

	*ret_foreign =
		t < 0 || off < 0 || (uint64_t)off < r->at || len <= 0 || len > INT64_MAX - off;
	if (*ret_foreign)
		return 0;
	if ((uint64_t)t > r->t_ns)
		r->t_ns = (uint64_t)t;
	return replay_console(r, (uint64_t)(off + len));
}

static int replay_other(struct reader *r, const struct json *j, bool *ret_foreign)
{
	struct event_text text = {0};
	struct event ev;
	int rc = 0;

	*ret_foreign = event_from_json(j, &text, &ev) != 0;
	if (!*ret_foreign) {
		if (ev.t_ns < r->t_ns)
			ev.t_ns = r->t_ns;
		r->t_ns = ev.t_ns;
		rc = flush_gap(r);
		if (!rc)
			rc = r->each(&ev, r->arg);
	}
	event_text_fini(&text);
	return rc;
}

static int replay_line(struct reader *r, const char *line, size_t len, size_t *skipped)
{
	struct json *j __free(json) = NULL;
	bool foreign = true;
	int rc = 0;

	/* Without its newline it is the torn last one. */
	if (line[len - 1] == '\n' && !json_parse(line, len - 1, &j, NULL) && json_is_object(j))
		rc = is_console(j) ? replay_run(r, j, &foreign) : replay_other(r, j, &foreign);
	if (foreign)
		(*skipped)++;
	return rc;
}

int evidence_replay(const char *dir, int (*each)(const struct event *ev, void *arg), void *arg,
		    size_t *ret_skipped, struct err *e)
{
	char *path __free(str) = file_join(dir, EVENTS_FILE), *line __free(str) = NULL;
	FILE *events __free(file) = NULL;
	struct reader *r __free(reader) = NULL;
	size_t size = 0, skipped = 0;
	ssize_t len;
	int rc;

	xnew(r);
	r->console_fd = r->tail_fd = -1;
	r->each = each;
	r->arg = arg;
	rc = open_console(r, dir, e);
	if (rc)
		return rc;
	events = fopen(path, "re");
	if (!events)
		return err_errno(e, errno, "cannot read '%s'", path);
	while (!rc && (len = getline(&line, &size, events)) > 0)
		rc = replay_line(r, line, (size_t)len, &skipped);
	if (!rc && ferror(events))
		return err_errno(e, EIO, "cannot read '%s'", path);
	/* A writer that died had console bytes on disk that no line names yet. */
	if (!rc)
		rc = replay_console(r, r->tail_end);
	if (!rc)
		rc = flush_gap(r);
	if (ret_skipped)
		*ret_skipped = skipped;
	return rc;
}
