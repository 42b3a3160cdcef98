/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rsp_client.h - what the files of debug_rsp share; for nobody else.
 *
 * One request is under way at a time. It is a chain of exchanges: rsp_say()
 * sends a packet and names the function that gets its answer, which says the
 * next or ends the request with rsp_done(). Each of these functions ends with
 * exactly one of rsp_say(), rsp_await_stop(), rsp_done(), rsp_fail(), rsp_lose()
 * or a function that does, and touches nothing after it.
 */
#ifndef KJUMP_MACHINE_DEBUG_RSP_CLIENT_H
#define KJUMP_MACHINE_DEBUG_RSP_CLIENT_H

#include "base/buf.h"
#include "machine/debug/debug_queue.h"
#include "machine/debug/debug_rsp.h"
#include "machine/debug/rsp_link.h"
#include "machine/debug/rsp_registers.h"
#include "machine/debug/rsp_reply.h"
#include "machine/debug/rsp_target_xml.h"

#define RSP_BREAKPOINTS_MAX 64

struct rsp_client;
typedef void (*rsp_next_fn)(struct rsp_client *c);
typedef void (*rsp_reply_fn)(struct rsp_client *c, const char *reply, size_t len);
typedef void (*rsp_stop_fn)(struct rsp_client *c, const struct rsp_stop *stop);

struct rsp_client {
	struct debug debug;
	sd_event_source *defer; /* the next request is to be begun */
	struct rsp_link *link;
	struct debug_queue queue;
	bool working; /* request is under way: */
	struct debug_request request;
	rsp_reply_fn on_reply; /* one of these waits for the stub, or none: */
	rsp_stop_fn on_stop;
	rsp_next_fn on_taken; /* also when the packet is acknowledged; NULL: nobody */
	rsp_next_fn on_late;  /* instead of giving it up; NULL: it is given up */
	rsp_next_fn then;     /* what a CPU or an address space is chosen for */

	/* Since it is attached. */
	bool attached;
	struct rsp_features features;
	struct rsp_thread threads[DEBUG_CPUS_MAX];
	unsigned int n_threads;
	struct rsp_target_xml xml; /* until its registers are known */
	struct rsp_registers registers;
	size_t set_bytes; /* of a whole set of registers */
	bool has_physical;

	/* What the stub was told last. */
	int cpu; /* -1: it may be any */
	bool physical;
	bool acks;
	uint64_t breakpoints[RSP_BREAKPOINTS_MAX];
	unsigned int n_breakpoints;

	/* Of the request under way. */
	const struct rsp_register *found[DEBUG_REGS_MAX];
	struct debug_regs regs;
	unsigned int next_reg;
	struct buf data;
	size_t n_written;

	unsigned int strays; /* stop replies that nobody waited for */
	bool lost;
	unsigned int busy; /* callbacks under way; free waits for them */
	bool dead;
};

/* Sends @fmt, or @len bytes of @body; @reply gets the answer. */
void rsp_say(struct rsp_client *c, rsp_reply_fn reply, const char *fmt, ...) __printf(3, 4);
void rsp_say_bytes(struct rsp_client *c, rsp_reply_fn reply, const void *body, size_t len);
/* @stop gets the next stop reply. After @ms without one: @late, or NULL: the port is lost. */
void rsp_await_stop(struct rsp_client *c, rsp_stop_fn stop, uint64_t ms, rsp_next_fn late);

/* The request ends well, with what is in @c->regs or @c->data; or with @error. */
void rsp_done(struct rsp_client *c);
void rsp_fail(struct rsp_client *c, int error, const char *text);
/* What came is not the protocol, or nothing came: the port is of no use any more. */
void rsp_lose(struct rsp_client *c, const char *why);

/* Makes the stub talk of the request's CPU, or of @space, and goes on with @then. */
void rsp_with_cpu(struct rsp_client *c, rsp_next_fn then);
void rsp_with_space(struct rsp_client *c, enum debug_space space, rsp_next_fn then);

/* The index of the CPU that @stop names; the first if it names none that there is. */
unsigned int rsp_stopped_cpu(const struct rsp_client *c, const struct rsp_stop *stop);
/* The target stands now, for whatever reason. */
void rsp_stands(struct rsp_client *c);

/* Each begins a request of its kind. */
void rsp_attach(struct rsp_client *c);
void rsp_halt(struct rsp_client *c);
void rsp_resume(struct rsp_client *c);
void rsp_step(struct rsp_client *c);
void rsp_read_registers(struct rsp_client *c);
void rsp_write_register(struct rsp_client *c);
void rsp_read_memory(struct rsp_client *c);
void rsp_write_memory(struct rsp_client *c);
void rsp_set_breakpoint(struct rsp_client *c);
void rsp_clear_breakpoint(struct rsp_client *c);

#endif
