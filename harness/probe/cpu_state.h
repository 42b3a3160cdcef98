/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_state.h - what the registers of a halted arm64 CPU say.
 *
 * Source: Arm Architecture Reference Manual, PSTATE, SCTLR_ELx and the vector
 * table. At EL2 the registers of EL2 count, those of EL1 are what was left.
 */
#ifndef KJUMP_PROBE_CPU_STATE_H
#define KJUMP_PROBE_CPU_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/debug/debug.h"

/* x0..x30, sp, pc, cpsr: what changes when a CPU does anything at all. */
#define CPU_N_CORE 34
extern const char *const cpu_core_registers[CPU_N_CORE];

/* The same, then what decides on exceptions and translation at EL1 and EL2. */
#define CPU_N_ALL 55
extern const char *const cpu_all_registers[CPU_N_ALL];

/* What only the second of these has is zero and its flag false after a core reading. */
struct cpu_state {
	unsigned int el;
	bool masked; /* SError, IRQ and FIQ, all three */
	uint64_t pc;
	bool knows_system; /* the registers of its own exception level were read: */
	bool mmu_on;
	uint64_t vbar, esr, elr, far;
	uint64_t ttbr0, ttbr1, tcr; /* TTBR1 is 0 at EL2 without VHE */
};

/* -ENODATA: pc or cpsr is not among them; -ENOTSUP: it runs AArch32. */
int cpu_state_read(const struct debug_regs *r, struct cpu_state *ret);

/*
 * PC stands on the vector that a synchronous exception, taken by the very
 * instruction fetch at PC, goes to: every fetch ends in the next exception.
 */
bool cpu_state_vector_faults(const struct cpu_state *s);

/*
 * As PSCI leaves a CPU that is off: never started (all core registers but cpsr
 * are zero), or it asked for CPU_OFF and had no answer.
 */
bool cpu_state_never_started(const struct debug_regs *r);
bool cpu_state_asked_for_off(const struct debug_regs *r);

#endif
