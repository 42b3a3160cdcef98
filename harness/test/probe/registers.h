/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registers.h - register sets of a CPU as a test writes them.
 */
#ifndef KJUMP_TEST_PROBE_REGISTERS_H
#define KJUMP_TEST_PROBE_REGISTERS_H

#include "test/test.h"

#include "probe/cpu_state.h"

static inline void registers_set(struct debug_regs *r, const char *name, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < r->n; i++) {
		if (!strcmp(r->names[i], name)) {
			r->value[i] = value;
			return;
		}
	}
	fail_msg("there is no register %s", name);
}

static inline uint64_t registers_get(const struct debug_regs *r, const char *name)
{
	uint64_t value = 0;

	if (!debug_regs_get(r, name, &value))
		fail_msg("there is no register %s", name);
	return value;
}

/* All of them zero and present but for those of EL2, which are so only with @el2. */
static inline void registers_init(struct debug_regs *r, bool el2)
{
	unsigned int i;

	*r = (struct debug_regs){.names = cpu_all_registers, .n = CPU_N_ALL};
	for (i = 0; i < r->n; i++)
		r->present[i] = el2 || !strstr(r->names[i], "_el2");
}

#endif
