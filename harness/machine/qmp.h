/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qmp.h - a client of QEMU's monitor protocol on a connected socket.
 *
 * Source: QEMU, docs/interop/qmp-spec.rst. The peer is not trusted: what is not
 * the protocol, or too long, or ends early, closes the connection with a
 * reason. Calls never block; callbacks come from the loop.
 */
#ifndef KJUMP_MACHINE_QMP_H
#define KJUMP_MACHINE_QMP_H

#include <systemd/sd-event.h>

#include "base/err.h"
#include "base/json.h"

#define QMP_DOCUMENT_MAX 1048576 /* bytes of one reply or event */
#define QMP_PENDING_MAX	 64	 /* commands not yet answered */

struct qmp;

struct qmp_events {
	/* The greeting came and the monitor takes commands. */
	void (*ready)(int version_major, int version_minor, void *arg);
	/* @event is the whole object; borrowed. */
	void (*event)(const char *name, const struct json *event, void *arg);
	/*
	 * The connection ended; @text says why. @error: -EPIPE when the peer
	 * closed it, else what it said was not the protocol. The last callback.
	 */
	void (*closed)(int error, const char *text, void *arg);
	void *arg;
};

/*
 * @error: NULL, or the description that QEMU gave. @reply: the whole object,
 * borrowed; what the command returned is its "return".
 */
typedef void (*qmp_done_fn)(const char *error, const struct json *reply, void *arg);

/* @fd, connected and non-blocking, is *taken*, also on failure. */
int qmp_new(sd_event *loop, int fd, const struct qmp_events *events, struct qmp **ret,
	    struct err *e);

/* Legal in any state, also in a callback; no callback comes after it. */
void qmp_free(struct qmp *q);

/*
 * Sends a command; legal after ready. @args may be NULL and is *taken*. @done
 * is called once, unless the connection ends first. -ENOTCONN, -ENOBUFS.
 */
int qmp_command(struct qmp *q, const char *name, struct json *args, qmp_done_fn done, void *arg);

/* The peer's program has ended: handles what it had sent, without waiting. */
void qmp_finish(struct qmp *q);

#endif
