// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/esr.h"

#include <stdio.h>

#define EC_IABT_LOWER 0x20
#define EC_IABT_SAME  0x21
#define EC_DABT_LOWER 0x24
#define EC_DABT_SAME  0x25
#define ESR_WNR	      (1u << 6)
#define ESR_CM	      (1u << 8)

static unsigned int exception_class(uint64_t esr)
{
	return (unsigned int)(esr >> 26) & 0x3f;
}

static const char *const classes[64] = {
	[0x00] = "undefined instruction",
	[0x01] = "trapped WFx",
	[0x07] = "FP/SIMD access",
	[0x0d] = "BTI",
	[0x0e] = "illegal execution state",
	[0x11] = "SVC",
	[0x15] = "SVC",
	[0x16] = "HVC",
	[0x17] = "SMC",
	[0x18] = "trapped MSR/MRS",
	[0x19] = "SVE access",
	[0x1c] = "FPAC",
	[0x1d] = "SME access",
	[0x20] = "IABT",
	[0x21] = "IABT",
	[0x22] = "PC alignment",
	[0x24] = "DABT",
	[0x25] = "DABT",
	[0x26] = "SP alignment",
	[0x27] = "MOPS",
	[0x2c] = "FP exception",
	[0x2d] = "GCS",
	[0x2f] = "SError",
	[0x30] = "breakpoint",
	[0x31] = "breakpoint",
	[0x32] = "single step",
	[0x33] = "single step",
	[0x34] = "watchpoint",
	[0x35] = "watchpoint",
	[0x3c] = "BRK",
};

static const char *fault_status(unsigned int fsc)
{
	if (fsc <= 0x03 || fsc == 0x29)
		return "address size fault";
	if (fsc <= 0x07 || fsc == 0x2a || fsc == 0x2b)
		return "translation fault";
	if (fsc <= 0x0b)
		return "access flag fault";
	if (fsc <= 0x0f)
		return "permission fault";
	if (fsc == 0x10)
		return "synchronous external abort";
	if (fsc == 0x11)
		return "tag check fault";
	if (fsc >= 0x12 && fsc <= 0x17)
		return "external abort on table walk";
	if (fsc == 0x18)
		return "synchronous parity or ECC error";
	if (fsc >= 0x1b && fsc <= 0x1f)
		return "ECC error on table walk";
	if (fsc == 0x21)
		return "alignment fault";
	if (fsc == 0x30)
		return "TLB conflict";
	return NULL;
}

enum esr_access esr_access(uint64_t esr)
{
	unsigned int ec = exception_class(esr);

	if (ec == EC_IABT_LOWER || ec == EC_IABT_SAME)
		return ESR_FETCH;
	if (ec != EC_DABT_LOWER && ec != EC_DABT_SAME)
		return ESR_OTHER;
	/* Cache maintenance counts as a write for the hardware, not for a reader. */
	return (esr & ESR_WNR) && !(esr & ESR_CM) ? ESR_WRITE : ESR_READ;
}

const char *esr_fault(uint64_t esr)
{
	return esr_access(esr) == ESR_OTHER ? NULL : fault_status((unsigned int)esr & 0x3f);
}

int esr_fault_level(uint64_t esr)
{
	unsigned int fsc = (unsigned int)esr & 0x3f;

	if (esr_access(esr) == ESR_OTHER)
		return ESR_NO_LEVEL;
	if (fsc == 0x29 || fsc == 0x2b)
		return -1;
	if (fsc <= 0x0f || (fsc >= 0x14 && fsc <= 0x17) || (fsc >= 0x1c && fsc <= 0x1f))
		return (int)(fsc & 3);
	return ESR_NO_LEVEL;
}

void esr_format(uint64_t esr, char *buf, size_t size)
{
	unsigned int ec = exception_class(esr);
	const char *status = esr_fault(esr);

	if (!classes[ec])
		snprintf(buf, size, "EC 0x%02x", ec);
	else if (status)
		snprintf(buf, size, "%s, %s", classes[ec], status);
	else
		snprintf(buf, size, "%s", classes[ec]);
}
