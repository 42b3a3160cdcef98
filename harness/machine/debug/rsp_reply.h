/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rsp_reply.h - what the replies of a gdb stub say. Source: as rsp_packet.h.
 *
 * Replies are taken as they come off the line: @len bytes and a NUL behind them.
 */
#ifndef KJUMP_MACHINE_DEBUG_RSP_REPLY_H
#define KJUMP_MACHINE_DEBUG_RSP_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* A CPU, as the stub calls it: TID, or pPID.TID where it tells processes apart. */
struct rsp_thread {
	bool has_process;
	uint64_t process, thread;
};

/* As it is sent. */
void rsp_thread_add(struct buf *out, const struct rsp_thread *t);
bool rsp_thread_equal(const struct rsp_thread *a, const struct rsp_thread *b);
/* The one that *@p starts with, which it goes past; -EBADMSG. */
int rsp_thread_parse(const char **p, struct rsp_thread *ret);

/* "E14", "E.reason": the stub refuses. */
bool rsp_is_error(const char *reply, size_t len);
/* "OK". */
bool rsp_is_ok(const char *reply, size_t len);
/* "O" and hexadecimal digits: text for the user, which comes unasked. */
bool rsp_is_output(const char *reply, size_t len);

struct rsp_stop {
	bool ended; /* the program that was debugged is no more */
	unsigned int signal;
	bool has_thread;
	struct rsp_thread thread;
};

/* As the signals are numbered in the protocol. */
#define RSP_SIGNAL_INT	2
#define RSP_SIGNAL_TRAP 5

/* -EBADMSG: it is no stop reply. */
int rsp_stop_parse(const char *reply, size_t len, struct rsp_stop *ret);

struct rsp_features {
	size_t packet_max; /* bytes of a packet that the stub takes */
	bool reads_features;
	bool has_no_ack;
};

/* The answer to qSupported; what it does not say, or says badly, is the least there is. */
void rsp_features_parse(const char *reply, size_t len, struct rsp_features *ret);

#endif
