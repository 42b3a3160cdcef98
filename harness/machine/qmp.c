// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/qmp.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/alloc.h"
#include "base/text.h"

enum qmp_state { QMP_GREETING, QMP_NEGOTIATION, QMP_READY, QMP_CLOSED };

struct pending {
	int64_t id;
	qmp_done_fn done;
	void *arg;
};

struct qmp {
	struct qmp_events events;
	int fd;
	sd_event_source *io;
	struct json_stream *in;
	struct buf out;
	enum qmp_state state;
	int major, minor;
	int64_t next_id;
	struct pending *pending; /* in the order of sending */
	size_t n_pending;
	unsigned int busy; /* callbacks under way; free waits for them */
	bool dead;
	char block[16384];
};

static void destroy(struct qmp *q)
{
	json_stream_free(q->in);
	buf_fini(&q->out);
	free(q->pending);
	free(q);
}

static void disconnect(struct qmp *q)
{
	q->state = QMP_CLOSED;
	q->io = sd_event_source_disable_unref(q->io);
	if (q->fd >= 0)
		close(steal_fd(&q->fd));
}

void qmp_free(struct qmp *q)
{
	if (!q)
		return;
	disconnect(q);
	q->dead = true;
	if (!q->busy)
		destroy(q);
}

static void enter(struct qmp *q)
{
	q->busy++;
}

static void leave(struct qmp *q)
{
	if (!--q->busy && q->dead)
		destroy(q);
}

/* Ends the conversation; the caller is between enter() and leave(). */
static void fail(struct qmp *q, int error, const char *text)
{
	if (q->state == QMP_CLOSED)
		return;
	disconnect(q);
	q->events.closed(error, text, q->events.arg);
}

static void send_command(struct qmp *q, const char *name, struct json *args, qmp_done_fn done,
			 void *arg)
{
	struct json *cmd __free(json) = json_new_object();
	struct pending *p = array_push(q->pending, q->n_pending);

	p->id = q->next_id++;
	p->done = done;
	p->arg = arg;
	json_set_str(cmd, "execute", name);
	if (args)
		json_set(cmd, "arguments", args);
	json_set_int(cmd, "id", p->id);
	json_print(cmd, false, &q->out);
	buf_addch(&q->out, '\n');
	sd_event_source_set_io_events(q->io, EPOLLIN | EPOLLOUT);
}

int qmp_command(struct qmp *q, const char *name, struct json *args, qmp_done_fn done, void *arg)
{
	if (q->state != QMP_READY || q->n_pending >= QMP_PENDING_MAX) {
		json_free(args);
		return q->state != QMP_READY ? -ENOTCONN : -ENOBUFS;
	}
	send_command(q, name, args, done, arg);
	return 0;
}

static void on_negotiated(const char *error, const struct json *reply, void *arg)
{
	struct qmp *q = arg;

	if (error) {
		fail(q, -EBADMSG, "the monitor refused to leave its negotiation mode");
		return;
	}
	q->state = QMP_READY;
	q->events.ready(q->major, q->minor, q->events.arg);
}

static void take_greeting(struct qmp *q, const struct json *doc)
{
	const struct json *version;

	version = json_get(json_get(json_get(doc, "QMP"), "version"), "qemu");
	if (!json_is_object(version)) {
		fail(q, -EBADMSG, "the monitor sent something else than its greeting");
		return;
	}
	q->major = (int)json_get_int(version, "major", 0);
	q->minor = (int)json_get_int(version, "minor", 0);
	q->state = QMP_NEGOTIATION;
	send_command(q, "qmp_capabilities", NULL, on_negotiated, q);
}

static void take_reply(struct qmp *q, const struct json *doc)
{
	const struct json *error = json_get(doc, "error");
	int64_t id = json_get_int(doc, "id", -1);
	struct pending p;
	const char *desc;
	size_t i;

	for (i = 0; i < q->n_pending && q->pending[i].id != id; i++)
		;
	if (i == q->n_pending) {
		fail(q, -EBADMSG, "the monitor answered a command that was not sent");
		return;
	}
	p = q->pending[i];
	memmove(&q->pending[i], &q->pending[i + 1], (--q->n_pending - i) * sizeof(p));
	desc = json_get_str(error, "desc");
	if (p.done)
		p.done(error ? desc ? desc : "no reason given" : NULL, doc, p.arg);
}

static void on_document(struct json *doc, void *arg)
{
	struct qmp *q = arg;
	const char *event = json_get_str(doc, "event");

	if (q->state == QMP_CLOSED)
		return;
	if (q->state == QMP_GREETING)
		take_greeting(q, doc);
	else if (event)
		q->events.event(event, doc, q->events.arg);
	else if (json_is_object(doc))
		take_reply(q, doc);
	else
		fail(q, -EBADMSG, "the monitor sent something else than an object");
}

/* False when there is nothing to read now, or nothing any more. */
static bool read_some(struct qmp *q)
{
	struct err e __free_err = ERR_INIT;
	ssize_t n;

	do {
		n = read(q->fd, q->block, sizeof(q->block));
	} while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return false;
	if (n < 0)
		fail(q, -EPIPE, strerror(errno));
	else if (n == 0)
		fail(q, -EPIPE, "the monitor closed its connection");
	else if (json_stream_feed(q->in, q->block, (size_t)n, on_document, q, &e))
		fail(q, -EBADMSG, err_msg(&e));
	return q->state != QMP_CLOSED;
}

static void flush(struct qmp *q)
{
	while (q->out.len) {
		ssize_t n = send(q->fd, q->out.data, q->out.len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		/* What the peer had said before it went is still worth reading. */
		buf_consume(&q->out, n < 0 ? q->out.len : (size_t)n);
	}
	sd_event_source_set_io_events(q->io, q->out.len ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct qmp *q = userdata;

	enter(q);
	if (revents & EPOLLOUT)
		flush(q);
	if (revents & (EPOLLIN | EPOLLHUP | EPOLLERR))
		read_some(q);
	leave(q);
	return 0;
}

int qmp_new(sd_event *loop, int fd, const struct qmp_events *events, struct qmp **ret,
	    struct err *e)
{
	struct qmp *q;
	int rc;

	xnew(q);
	q->events = *events;
	q->fd = fd;
	q->in = json_stream_new(QMP_DOCUMENT_MAX);
	buf_init(&q->out);
	rc = sd_event_add_io(loop, &q->io, fd, EPOLLIN, on_io, q);
	if (rc < 0) {
		qmp_free(q);
		return err_errno(e, -rc, "monitor");
	}
	*ret = q;
	return 0;
}

void qmp_finish(struct qmp *q)
{
	enter(q);
	while (q->state != QMP_CLOSED && read_some(q))
		;
	leave(q);
}
