/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hang_proof.h - does anything but a reset end what a target does?
 *
 * All its CPUs are asked at one halt. A hang is proven where each one is off or
 * goes round in circles (loop_proof.h), found again in the same circle after
 * the target ran freely, twice. A slow phase moves its registers on and is
 * none. What a CPU that waits will do is decided outside of it, so that it
 * never is part of a proof.
 *
 * Limits: SIMD registers and memory are not compared (no instruction of a
 * proven loop depends on them), and a device that writes to the code or the
 * tables of the loop by itself is taken not to exist.
 */
#ifndef KJUMP_PROBE_HANG_PROOF_H
#define KJUMP_PROBE_HANG_PROOF_H

#include <systemd/sd-event.h>

#include "machine/debug/debug.h"
#include "probe/loop_proof.h"

enum cpu_finding {
	CPU_UNSEEN, /* another one moves: that was enough */
	CPU_MOVES,
	CPU_LOOPS,   /* nothing but a reset ends it */
	CPU_REPEATS, /* its state recurs, but something from outside may end that */
	CPU_STANDS,  /* completes no instruction, and it is not known why */
	CPU_PARKED,  /* waits (WFI, WFE) with SError, IRQ and FIQ masked */
	CPU_IDLE,    /* waits for an interrupt */
	CPU_OFF,     /* never started, or switched off */
};

/* "unseen", "moves", "loops", ... */
const char *cpu_finding_name(enum cpu_finding f);

enum hang_verdict {
	HANG_NO,	/* a CPU moves, or waits for what may come */
	HANG_SUSPECTED, /* none does, but there is no proof */
	HANG_PROVEN,
};

struct cpu_evidence {
	enum cpu_finding finding;
	unsigned int period;	     /* instructions; CPU_LOOPS, CPU_REPEATS */
	const char *doubt;	     /* of CPU_REPEATS, to follow "the loop"; static */
	struct debug_regs registers; /* the core ones; all, when the verdict is not HANG_NO */
};

struct hang_evidence {
	int error; /* of the debug port: nothing else is valid */
	enum hang_verdict verdict;
	unsigned int n_cpus;
	const struct cpu_evidence *cpus; /* borrowed until the next ask */
	unsigned int n_steps;		 /* instructions that were stepped */
	uint64_t halted_ns;		 /* how long the target was not running */
};

struct hang_proof;

/* @d is borrowed and attached. */
int hang_proof_new(sd_event *loop, struct debug *d, struct hang_proof **ret, struct err *e);

/*
 * Halts the running target and looks. @done comes from the loop with the target
 * halted: the caller resumes it. -EBUSY: it is being asked already, or what was
 * cancelled has not come to its end; -ENOTCONN and the like: as debug_submit().
 */
int hang_proof_ask(struct hang_proof *p, void (*done)(const struct hang_evidence *e, void *arg),
		   void *arg);

/* The target stopped for another reason: done does not come. The target is left as it is. */
void hang_proof_cancel(struct hang_proof *p);

/* Not while it is being asked, unless the debug port was freed or lost before. */
void hang_proof_free(struct hang_proof *p);

#endif
