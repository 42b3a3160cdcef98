// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/instruction.h"

#include <stddef.h>

#define BITS(word, high, low) (((word) >> (low)) & ((1u << ((high) - (low) + 1)) - 1))

/* CRm of the hint space, and op2 in its group 0. */
enum { HINT_BASIC = 0, HINT_PAC = 1, HINT_PAC_SP = 3, HINT_BTI = 4 };
enum { HINT_WFE = 2, HINT_WFI = 3 };

static enum instruction_kind hint_kind(uint32_t word)
{
	unsigned int group = BITS(word, 11, 8), op2 = BITS(word, 7, 5);

	switch (group) {
	case HINT_BASIC:
		return op2 == HINT_WFE || op2 == HINT_WFI ? INSTRUCTION_WAIT : INSTRUCTION_PURE;
	case HINT_PAC:
	case HINT_PAC_SP:
	case HINT_BTI:
		return INSTRUCTION_PURE;
	}
	return INSTRUCTION_OTHER; /* ESB looks for an SError, the rest is for tracers */
}

static enum instruction_kind system_kind(uint32_t word)
{
	if ((word & 0xfffff01f) == 0xd503201f)
		return hint_kind(word);
	if ((word & 0xfffff01f) == 0xd503301f)
		return INSTRUCTION_PURE; /* CLREX, DSB, DMB, ISB, SB */
	if ((word & 0xffffff00) == 0xd5031000)
		return INSTRUCTION_WAIT; /* WFET, WFIT */
	return INSTRUCTION_SYSTEM;
}

static enum instruction_kind branch_register_kind(uint32_t word)
{
	unsigned int opc = BITS(word, 24, 21);

	/* BR, BLR and RET, with pointer authentication too; then ERET and DRPS. */
	if (opc <= 2 || opc == 8 || opc == 9)
		return INSTRUCTION_PURE;
	return opc == 4 ? INSTRUCTION_SYSTEM : INSTRUCTION_OTHER;
}

static enum instruction_kind branch_kind(uint32_t word)
{
	if (BITS(word, 30, 26) == 0x05 || BITS(word, 30, 25) == 0x1a || BITS(word, 30, 25) == 0x1b)
		return INSTRUCTION_PURE; /* B, BL; CBZ, CBNZ; TBZ, TBNZ */
	if (BITS(word, 31, 25) == 0x2a)
		return INSTRUCTION_PURE; /* B.cond, BC.cond */
	if (BITS(word, 31, 24) == 0xd4)
		return BITS(word, 23, 21) ? INSTRUCTION_OTHER : INSTRUCTION_CALL;
	if (BITS(word, 31, 24) == 0xd5)
		return system_kind(word);
	if (BITS(word, 31, 25) == 0x6b)
		return branch_register_kind(word);
	return INSTRUCTION_OTHER;
}

enum instruction_kind instruction_kind(uint32_t word)
{
	unsigned int op0 = BITS(word, 28, 25);

	if ((op0 & 0xe) == 0x8) /* immediate; ADDG and SUBG look at a system register */
		return BITS(word, 28, 23) == 0x23 ? INSTRUCTION_OTHER : INSTRUCTION_PURE;
	if ((op0 & 0xe) == 0xa)
		return branch_kind(word);
	if ((op0 & 0x5) == 0x4)
		return INSTRUCTION_MEMORY;
	if ((op0 & 0x7) == 0x5)
		return INSTRUCTION_PURE;
	if (!(word >> 16))
		return INSTRUCTION_UNDEFINED;
	return INSTRUCTION_OTHER;
}

const char *instruction_why_not_pure(enum instruction_kind kind)
{
	switch (kind) {
	case INSTRUCTION_PURE:
		return NULL;
	case INSTRUCTION_MEMORY:
		return "accesses memory";
	case INSTRUCTION_SYSTEM:
		return "accesses system registers";
	case INSTRUCTION_WAIT:
		return "waits for an event";
	case INSTRUCTION_CALL:
		return "calls another exception level";
	case INSTRUCTION_UNDEFINED:
		return "has an undefined instruction";
	case INSTRUCTION_OTHER:
		return "has an instruction that is not understood";
	}
	return NULL;
}

static uint64_t branch_target(uint32_t word, uint64_t pc)
{
	int64_t offset = (int64_t)((uint64_t)BITS(word, 25, 0) << 38) >> 36;

	return pc + (uint64_t)offset;
}

bool instruction_is_b(uint32_t word, uint64_t pc, uint64_t *ret_target)
{
	if (BITS(word, 31, 26) != 0x05)
		return false;
	*ret_target = branch_target(word, pc);
	return true;
}

bool instruction_is_bl(uint32_t word, uint64_t pc, uint64_t *ret_target)
{
	if (BITS(word, 31, 26) != 0x25)
		return false;
	*ret_target = branch_target(word, pc);
	return true;
}

bool instruction_is_br(uint32_t word, unsigned int *ret_n)
{
	if ((word & 0xfffffc1f) != 0xd61f0000)
		return false;
	*ret_n = BITS(word, 9, 5);
	return true;
}
