// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/cpu_state.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

#define CORE                                                                                    \
	"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", \
		"x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24",    \
		"x25", "x26", "x27", "x28", "x29", "x30", "sp", "pc", "cpsr"

const char *const cpu_core_registers[CPU_N_CORE] = {CORE};

const char *const cpu_all_registers[CPU_N_ALL] = {
	CORE,	     "sctlr_el1", "vbar_el1",  "esr_el1", "elr_el1",  "far_el1",
	"spsr_el1",  "ttbr0_el1", "ttbr1_el1", "tcr_el1", "mair_el1", "sctlr_el2",
	"vbar_el2",  "esr_el2",	  "elr_el2",   "far_el2", "spsr_el2", "ttbr0_el2",
	"ttbr1_el2", "tcr_el2",	  "mair_el2",  "hcr_el2",
};

#define PSTATE_NRW	    (1u << 4)
#define PSTATE_F	    (1u << 6)
#define PSTATE_I	    (1u << 7)
#define PSTATE_A	    (1u << 8)
#define PSTATE_AIF	    (PSTATE_A | PSTATE_I | PSTATE_F)

#define SCTLR_M		    1u

#define HCR_E2H		    (1ull << 34)

#define VECTOR_SYNC_SAME_SP 0x200

#define PSCI_CPU_OFF	    0x84000002

/* "NAME_elN" of the CPU's own exception level; EL0 has none and uses EL1's. */
static bool own(const struct debug_regs *r, const char *name, unsigned int el, uint64_t *ret)
{
	char full[16];
	size_t n = strlen(name);

	memcpy(full, name, n);
	memcpy(full + n, "_elN", 5);
	full[n + 3] = (char)('0' + (el ? el : 1));
	return debug_regs_get(r, full, ret);
}

static void read_system(const struct debug_regs *r, struct cpu_state *s)
{
	uint64_t sctlr, hcr;

	if (!own(r, "sctlr", s->el, &sctlr) || !own(r, "vbar", s->el, &s->vbar) ||
	    !own(r, "elr", s->el, &s->elr))
		return;
	s->knows_system = true;
	s->mmu_on = sctlr & SCTLR_M;
	own(r, "esr", s->el, &s->esr);
	own(r, "far", s->el, &s->far);
	own(r, "ttbr0", s->el, &s->ttbr0);
	own(r, "tcr", s->el, &s->tcr);
	if (s->el < 2 || (debug_regs_get(r, "hcr_el2", &hcr) && (hcr & HCR_E2H)))
		own(r, "ttbr1", s->el, &s->ttbr1);
}

int cpu_state_read(const struct debug_regs *r, struct cpu_state *ret)
{
	struct cpu_state s = {0};
	uint64_t cpsr;

	if (!debug_regs_get(r, "pc", &s.pc) || !debug_regs_get(r, "cpsr", &cpsr))
		return -ENODATA;
	if (cpsr & PSTATE_NRW)
		return -ENOTSUP;
	s.el = (unsigned int)(cpsr >> 2) & 3;
	s.masked = (cpsr & PSTATE_AIF) == PSTATE_AIF;
	read_system(r, &s);
	*ret = s;
	return 0;
}

bool cpu_state_vector_faults(const struct cpu_state *s)
{
	unsigned int class = (unsigned int)(s->esr >> 26) & 0x3f;

	return s->knows_system && s->pc == s->vbar + VECTOR_SYNC_SAME_SP && s->elr == s->pc &&
	       (class == 0x20 || class == 0x21) && s->far == s->pc;
}

bool cpu_state_never_started(const struct debug_regs *r)
{
	unsigned int i;

	for (i = 0; i < CPU_N_CORE - 1; i++) {
		uint64_t value;

		if (!debug_regs_get(r, cpu_core_registers[i], &value) || value)
			return false;
	}
	return true;
}

bool cpu_state_asked_for_off(const struct debug_regs *r)
{
	uint64_t x0;

	return debug_regs_get(r, "x0", &x0) && x0 == PSCI_CPU_OFF;
}
