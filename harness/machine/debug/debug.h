/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug.h - the port through which a target is looked at from outside: a gdb
 * stub (QEMU, OpenOCD, a probe on a board).
 *
 * Requests are queued and answered in order, each by exactly one call of its
 * callback, never before the request has returned. A target runs or is halted
 * as a whole. While it runs, as it does until it is attached, only DEBUG_ATTACH
 * and DEBUG_HALT are served, the first of which attaches; any other request
 * ends with -EBUSY. free is legal in any state and no callback comes after it.
 *
 * Whatever the other end sends is hostile: a broken or silent peer ends as
 * lost(), and each request that waits with -ENOTCONN.
 */
#ifndef KJUMP_MACHINE_DEBUG_DEBUG_H
#define KJUMP_MACHINE_DEBUG_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct debug;

#define DEBUG_QUEUE_MAX	 256 /* requests that wait: one more is refused with -ENOBUFS */
#define DEBUG_CPUS_MAX	 512
#define DEBUG_REGS_MAX	 64    /* registers of one request */
#define DEBUG_MEMORY_MAX 65536 /* bytes of one request */

/*
 * Values of registers by their names in lower case ("x0", "sp", "pc", "cpsr",
 * "vbar_el1"), as the target's own description has them. The list of names is
 * borrowed and has static storage, so that a copy of this struct stays valid.
 */
struct debug_regs {
	const char *const *names;
	unsigned int n;
	uint64_t value[DEBUG_REGS_MAX];
	bool present[DEBUG_REGS_MAX]; /* the target has it */
};

/* Two readings of the same list are the same state. */
bool debug_regs_equal(const struct debug_regs *a, const struct debug_regs *b);
/* @name's value; false: it was not asked for or the target does not have it. */
bool debug_regs_get(const struct debug_regs *r, const char *name, uint64_t *ret);

enum debug_op {
	DEBUG_ATTACH, /* the target is halted by it and stays so */
	DEBUG_HALT,   /* all CPUs; answered when they stand */
	DEBUG_RESUME, /* all CPUs; answered when they may run */
	DEBUG_STEP,   /* one instruction of one CPU; -ETIME: it completes none (off, WFI) */
	DEBUG_READ_REGISTERS,
	DEBUG_WRITE_REGISTER, /* -EIO: the target ignored it */
	DEBUG_READ_MEMORY,    /* -EFAULT: the target refuses the address */
	DEBUG_WRITE_MEMORY,
	DEBUG_SET_BREAKPOINT, /* hardware, on a virtual address, all CPUs; idempotent */
	DEBUG_CLEAR_BREAKPOINT,
};

enum debug_space {
	DEBUG_VIRTUAL,	/* as the CPU that is named translates it now */
	DEBUG_PHYSICAL, /* -EOPNOTSUPP where the target cannot */
};

struct debug_reply {
	int error;			    /* 0 or a negative errno */
	const char *text;		    /* of an error, for people; borrowed */
	const struct debug_regs *registers; /* READ_REGISTERS; borrowed */
	const void *data;		    /* READ_MEMORY; borrowed */
	size_t len;
};

struct debug_request {
	enum debug_op op;
	unsigned int cpu; /* 0 .. debug->n_cpus - 1 */
	/* READ_REGISTERS: static storage. WRITE_REGISTER: names[0]. */
	const char *const *names;
	unsigned int n_names;
	uint64_t value;
	enum debug_space space;
	uint64_t address;
	const void *data; /* WRITE_MEMORY; copied */
	size_t len;
	void (*done)(const struct debug_reply *reply, void *arg);
	void *arg;
};

enum debug_stop {
	DEBUG_STOP_BREAKPOINT,
	DEBUG_STOP_OTHER, /* the target stopped for a reason of its own */
};

struct debug_events {
	/* It stopped unasked. */
	void (*halted)(enum debug_stop why, unsigned int cpu, void *arg);
	/* Nothing more comes; the port is of no use from now on. */
	void (*lost)(const char *why, void *arg);
	void *arg;
};

struct debug_ops {
	const char *name;
	/* 0: accepted. -ENOBUFS, -EINVAL (no such CPU, too much), -ENOTCONN. */
	int (*submit)(struct debug *d, const struct debug_request *request);
	void (*free)(struct debug *d);
};

struct debug {
	const struct debug_ops *ops;
	struct debug_events events;
	unsigned int n_cpus; /* 0 until DEBUG_ATTACH was answered */
	bool running;
};

static inline int debug_submit(struct debug *d, const struct debug_request *request)
{
	return d->ops->submit(d, request);
}

static inline void debug_free(struct debug *d)
{
	if (d)
		d->ops->free(d);
}

#endif
