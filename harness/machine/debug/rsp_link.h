/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rsp_link.h - packets to and from a gdb stub over a stream socket.
 *
 * Owns the socket. Acknowledges, sends again what the stub could not read, and
 * ends the line when what comes is not the protocol. Calls never block and
 * never call back; callbacks come from the loop.
 */
#ifndef KJUMP_MACHINE_DEBUG_RSP_LINK_H
#define KJUMP_MACHINE_DEBUG_RSP_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/err.h"

struct rsp_link;

struct rsp_link_events {
	/* A packet, with a NUL behind it; borrowed. */
	void (*packet)(const char *body, size_t len, void *arg);
	/* The stub has acknowledged what was sent last. */
	void (*taken)(void *arg);
	/* The time of rsp_link_set_deadline() has passed. */
	void (*late)(void *arg);
	/* The line is of no use any more. The last callback. */
	void (*failed)(const char *why, void *arg);
	void *arg;
};

/* @fd, non-blocking and connected or about to be, is *taken*, also on failure. */
int rsp_link_new(sd_event *loop, int fd, const struct rsp_link_events *events,
		 struct rsp_link **ret, struct err *e);
/* Legal in any state, also in a callback; NULL is ignored. */
void rsp_link_free(struct rsp_link *l);

/* One packet. What happens to it shows in the callbacks. */
void rsp_link_send(struct rsp_link *l, const void *body, size_t len);
/* Asks a running target to stop. */
void rsp_link_interrupt(struct rsp_link *l);
/* late() comes once, @ns from now; 0: it does not. */
void rsp_link_set_deadline(struct rsp_link *l, uint64_t ns);
/* Packets are not acknowledged from now on, in either direction. */
void rsp_link_stop_acks(struct rsp_link *l);
/* Handles what the other end had sent before it went, without waiting. */
void rsp_link_finish(struct rsp_link *l);

#endif
