/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listener.h - a unix socket that a program of ours connects to.
 *
 * kjump listens and QEMU connects, so that neither has to poll for the other
 * and no byte is sent before somebody reads. Owns the socket and its path.
 */
#ifndef KJUMP_MACHINE_LISTENER_H
#define KJUMP_MACHINE_LISTENER_H

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "base/err.h"

struct listener;

/*
 * Binds @path, which must be shorter than a socket address may be
 * (-ENAMETOOLONG) and be in a directory of our own. @connected gets each
 * connection from the loop; @fd, non-blocking, is *taken* by it.
 */
int listener_new(sd_event *loop, const char *path, void (*connected)(int fd, void *arg), void *arg,
		 struct listener **ret, struct err *e);
/* Unlinks the path. Legal inside @connected. */
void listener_free(struct listener *l);

/* While it is off, who connects waits. On at first. */
void listener_enable(struct listener *l, bool on);

/* Takes a connection that the loop has not reported yet; -1: there is none. */
int listener_accept(struct listener *l);

#endif
