// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/debug/rsp_link.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "base/alloc.h"
#include "machine/debug/rsp_packet.h"

/* Damaged packets in a row, in either direction, until the line is given up. */
#define DAMAGED_MAX 8
/* Bytes that belong to no packet, between two packets. */
#define JUNK_MAX    4096
/* Bytes that wait because the stub does not read. */
#define OUT_MAX	    262144

struct rsp_link {
	struct rsp_link_events events;
	sd_event *loop;
	int fd; /* -1: the line has ended */
	sd_event_source *io;
	sd_event_source *timer;
	struct rsp_reader reader;
	struct buf out;
	struct buf last; /* the packet that was not acknowledged yet; empty: none */
	int send_error;	 /* why nothing more can be sent; what was said is read still */
	bool acks;
	unsigned int damaged, refused; /* in a row, by us and by the stub */
	size_t junk;
	unsigned int busy; /* callbacks under way; free waits for them */
	bool dead;
	char block[16384];
};

static void destroy(struct rsp_link *l)
{
	rsp_reader_fini(&l->reader);
	buf_fini(&l->out);
	buf_fini(&l->last);
	free(l);
}

static void disconnect(struct rsp_link *l)
{
	l->io = sd_event_source_disable_unref(l->io);
	l->timer = sd_event_source_disable_unref(l->timer);
	if (l->fd >= 0)
		close(steal_fd(&l->fd));
}

void rsp_link_free(struct rsp_link *l)
{
	if (!l)
		return;
	disconnect(l);
	l->dead = true;
	if (!l->busy)
		destroy(l);
}

static void enter(struct rsp_link *l)
{
	l->busy++;
}

static void leave(struct rsp_link *l)
{
	if (!--l->busy && l->dead)
		destroy(l);
}

/* The caller is between enter() and leave(). */
static void fail(struct rsp_link *l, const char *why)
{
	if (l->fd < 0)
		return;
	disconnect(l);
	l->events.failed(why, l->events.arg);
}

/* What cannot be sent any more shows when the socket is read. */
static void flush(struct rsp_link *l)
{
	while (l->out.len) {
		ssize_t n = send(l->fd, l->out.data, l->out.len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0 && !l->send_error)
			l->send_error = errno;
		buf_consume(&l->out, n < 0 ? l->out.len : (size_t)n);
	}
	sd_event_source_set_io_events(l->io, l->out.len ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void rsp_link_send(struct rsp_link *l, const void *body, size_t len)
{
	if (l->fd < 0)
		return;
	buf_reset(&l->last);
	rsp_packet_add(&l->last, body, len);
	buf_add(&l->out, l->last.data, l->last.len);
	if (!l->acks)
		buf_reset(&l->last);
	l->refused = 0;
	flush(l);
}

void rsp_link_interrupt(struct rsp_link *l)
{
	if (l->fd < 0)
		return;
	buf_addch(&l->out, RSP_INTERRUPT);
	flush(l);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct rsp_link *l = userdata;

	enter(l);
	l->timer = sd_event_source_disable_unref(l->timer);
	l->events.late(l->events.arg);
	leave(l);
	return 0;
}

void rsp_link_set_deadline(struct rsp_link *l, uint64_t ns)
{
	l->timer = sd_event_source_disable_unref(l->timer);
	if (ns && l->fd >= 0)
		sd_event_add_time_relative(l->loop, &l->timer, CLOCK_MONOTONIC, ns / 1000, 1000,
					   on_timer, l);
}

void rsp_link_stop_acks(struct rsp_link *l)
{
	l->acks = false;
	buf_reset(&l->last);
}

/* The body stays in place until the next byte is read, also if the link is freed. */
static void take_packet(struct rsp_link *l)
{
	l->damaged = 0;
	l->junk = 0;
	buf_reset(&l->last); /* an answer acknowledges too */
	if (l->acks)
		buf_addch(&l->out, '+');
	l->events.packet(l->reader.body.data, l->reader.body.len, l->events.arg);
}

static void refuse(struct rsp_link *l)
{
	if (!l->acks || ++l->damaged > DAMAGED_MAX)
		fail(l, "the stub sends damaged packets");
	else
		buf_addch(&l->out, '-');
}

static void take_junk(struct rsp_link *l)
{
	if (++l->junk > JUNK_MAX)
		fail(l, "what comes is not the gdb remote protocol");
}

static void take_ack(struct rsp_link *l)
{
	if (!l->last.len) {
		take_junk(l);
		return;
	}
	buf_reset(&l->last);
	l->events.taken(l->events.arg);
}

static void send_again(struct rsp_link *l)
{
	if (!l->last.len)
		take_junk(l);
	else if (++l->refused > DAMAGED_MAX)
		fail(l, "the stub cannot read what is sent to it");
	else
		buf_add(&l->out, l->last.data, l->last.len);
}

static void take(struct rsp_link *l, enum rsp_item item)
{
	switch (item) {
	case RSP_NOTHING:
		break;
	case RSP_ACK:
		take_ack(l);
		break;
	case RSP_NAK:
		send_again(l);
		break;
	case RSP_PACKET:
		take_packet(l);
		break;
	case RSP_DAMAGED:
		refuse(l);
		break;
	case RSP_TOO_LONG:
		fail(l, "the stub sends a packet without an end");
		break;
	case RSP_NOTIFICATION:
	case RSP_JUNK:
		take_junk(l);
		break;
	}
}

/* False when there is nothing to read now, or nothing any more. */
static bool read_some(struct rsp_link *l)
{
	ssize_t n, i;

	do {
		n = read(l->fd, l->block, sizeof(l->block));
	} while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return false;
	if (n < 0 || (n == 0 && l->send_error && l->send_error != EPIPE))
		fail(l, strerror(n < 0 ? errno : l->send_error));
	else if (n == 0)
		fail(l, "the stub closed the connection");
	for (i = 0; i < n && l->fd >= 0; i++)
		take(l, rsp_reader_byte(&l->reader, l->block[i]));
	if (l->fd >= 0)
		flush(l);
	if (l->fd >= 0 && l->out.len > OUT_MAX)
		fail(l, "the stub does not read what is sent to it");
	return l->fd >= 0;
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct rsp_link *l = userdata;

	enter(l);
	if (revents & EPOLLOUT)
		flush(l);
	if (revents & (EPOLLIN | EPOLLHUP | EPOLLERR))
		read_some(l);
	leave(l);
	return 0;
}

int rsp_link_new(sd_event *loop, int fd, const struct rsp_link_events *events,
		 struct rsp_link **ret, struct err *e)
{
	struct rsp_link *l;
	int rc;

	xnew(l);
	l->events = *events;
	l->loop = loop;
	l->fd = fd;
	l->acks = true;
	l->reader = (struct rsp_reader)RSP_READER_INIT;
	buf_init(&l->out);
	buf_init(&l->last);
	rc = sd_event_add_io(loop, &l->io, fd, EPOLLIN, on_io, l);
	if (rc < 0) {
		rsp_link_free(l);
		return err_errno(e, -rc, "debug port");
	}
	*ret = l;
	return 0;
}

void rsp_link_finish(struct rsp_link *l)
{
	enter(l);
	while (l->fd >= 0 && read_some(l))
		;
	leave(l);
}
