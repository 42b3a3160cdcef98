/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loop_proof.h - does one CPU of a halted target go round in circles?
 *
 * It is stepped until its general registers, flags and PC are those of an
 * earlier step, then for two more rounds, in which every state must come back
 * and the system registers too. Such a recurrence is a proof only where nothing
 * from outside can end it: SError, IRQ and FIQ masked in every state and no
 * instruction that depends on anything but the registers that were compared.
 *
 * Calls never block; done comes from the loop, or at once when the port takes no
 * request any more. The target stays halted.
 */
#ifndef KJUMP_PROBE_LOOP_PROOF_H
#define KJUMP_PROBE_LOOP_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/debug/debug.h"
#include "probe/cpu_state.h"

#define LOOP_MAX_PERIOD 64 /* instructions: the longest loop that is looked for */

struct loop_proof {
	/* What came of it; valid in done and until the next start. */
	int error;	     /* of the debug port; the rest says nothing then */
	bool recurs;	     /* its state does */
	bool stalls;	     /* it completes no instruction */
	unsigned int period; /* instructions of a round */
	/* Why the recurrence proves nothing, to follow "the loop"; NULL: it is a proof. */
	const char *doubt;
	struct debug_regs registers; /* all, at the end of a round */
	unsigned int n_steps;

	/* Its own. */
	bool stopped;
	struct debug *debug;
	unsigned int cpu;
	void (*done)(struct loop_proof *p, void *arg);
	void *arg;
	uint64_t (*states)[CPU_N_CORE]; /* those before the recurrence, then of one round */
	unsigned int n_states, first, round, at;
};

/* @p is all zero the first time. One at a time; it may be started anew in done. */
void loop_proof_start(struct loop_proof *p, struct debug *d, unsigned int cpu,
		      void (*done)(struct loop_proof *p, void *arg), void *arg);

/* It ends with -ECANCELED at the next answer of the port. */
void loop_proof_stop(struct loop_proof *p);

/* Is it a state of the round that was found? @core: a reading of cpu_core_registers. */
bool loop_proof_has(const struct loop_proof *p, const struct debug_regs *core);

/* Not while it runs, unless the debug port was freed. */
void loop_proof_fini(struct loop_proof *p);

#endif
