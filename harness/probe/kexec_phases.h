/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kexec_phases.h - follows a kexec through a debug port: where it is, from A's
 * last code to B's own address space, and the first exception on the way.
 *
 * Hardware breakpoints mark the way: the relocation code, the purgatory, B's
 * first instruction, the one after B turned its MMU on, and its jump to where
 * it is linked. From the relocation on nothing handles an exception, and the
 * second one overwrites what the first says: so A's vectors are watched, too,
 * until B has its own. The vector of a call from a lower level is not: that is
 * how A gets back to EL2.
 */
#ifndef KJUMP_PROBE_KEXEC_PHASES_H
#define KJUMP_PROBE_KEXEC_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/debug/debug.h"
#include "probe/cpu_state.h"

enum kexec_phase {
	KEXEC_RELOCATE,
	KEXEC_PURGATORY,
	KEXEC_ENTRY,
	KEXEC_MMU_ON,
	KEXEC_B_KERNEL,
};
#define N_KEXEC_PHASES (KEXEC_B_KERNEL + 1)

/* Where each phase begins: addresses as the CPU has them in PC then; 0: not known. */
struct kexec_route {
	uint64_t at[N_KEXEC_PHASES];
	unsigned int b_register; /* at the last of them: Xn holds where B goes on */
};

struct kexec_phases_events {
	/*
	 * It was reached. @r: all registers, the target is halted. @b_address: where
	 * B goes on, at the last phase; 0 elsewhere.
	 */
	void (*phase)(enum kexec_phase phase, unsigned int cpu, const struct debug_regs *r,
		      uint64_t b_address, void *arg);
	/* A CPU takes an exception that nothing handles. At most one. */
	void (*exception)(unsigned int cpu, const struct debug_regs *r, void *arg);
	/* It cannot be followed any further; -errno. The target may be halted. */
	void (*failed)(int error, const char *what, void *arg);
	void *arg;
};

struct kexec_phases;

/*
 * Sets the first breakpoint of a halted target, whose port is borrowed; the
 * caller resumes it. Events come from the loop.
 */
int kexec_phases_start(struct debug *d, const struct kexec_route *route,
		       const struct kexec_phases_events *events, struct kexec_phases **ret);

/*
 * The port's halted(BREAKPOINT) belongs here. True: it was one of these, and the
 * target will be resumed; false: the caller's to deal with.
 */
bool kexec_phases_halted(struct kexec_phases *p, unsigned int cpu);

/* Not over: there are breakpoints that may still be hit. */
bool kexec_phases_pending(const struct kexec_phases *p);

/* Not while the port has a request of it, unless the port was freed before. */
void kexec_phases_free(struct kexec_phases *p);

#endif
