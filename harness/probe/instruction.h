/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instruction.h - what one A64 instruction can depend on and change, as far as
 * a proof that a CPU goes round in circles has to know. No disassembler.
 *
 * Source: Arm Architecture Reference Manual, "A64 instruction set encoding".
 */
#ifndef KJUMP_PROBE_INSTRUCTION_H
#define KJUMP_PROBE_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

enum instruction_kind {
	/*
	 * The next state of general registers, flags and PC is a function of
	 * them alone; barriers, hints and branches with them.
	 */
	INSTRUCTION_PURE,
	INSTRUCTION_MEMORY,    /* loads, stores, atomics */
	INSTRUCTION_SYSTEM,    /* reads or writes system state: MRS, MSR, TLBI, ERET, ... */
	INSTRUCTION_WAIT,      /* WFI, WFE and their timed kin */
	INSTRUCTION_CALL,      /* SVC, HVC, SMC: whoever answers may do anything */
	INSTRUCTION_UNDEFINED, /* UDF: always an exception */
	INSTRUCTION_OTHER,     /* SIMD, floating point, what is not known here */
};

enum instruction_kind instruction_kind(uint32_t word);

/* "reads memory" and the like, to follow "the loop"; NULL for INSTRUCTION_PURE. */
const char *instruction_why_not_pure(enum instruction_kind kind);

/* B and BL with an offset: where it goes from @pc. */
bool instruction_is_b(uint32_t word, uint64_t pc, uint64_t *ret_target);
bool instruction_is_bl(uint32_t word, uint64_t pc, uint64_t *ret_target);
/* BR Xn: *ret_n is 0..31. */
bool instruction_is_br(uint32_t word, unsigned int *ret_n);

#endif
