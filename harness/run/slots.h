/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slots.h - admission: how many machines this host holds at once.
 *
 * A machine is admitted while a slot is free and its estimated host memory
 * fits beside that of the others. A slot's number is what a live view calls
 * its line. No loop, no clock: a plain account.
 */
#ifndef KJUMP_RUN_SLOTS_H
#define KJUMP_RUN_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slots {
	uint64_t *taken_bytes; /* per slot; 0: free */
	size_t n;
	uint64_t budget_bytes, used_bytes;
};

void slots_init(struct slots *s, size_t n, uint64_t budget_bytes);
void slots_fini(struct slots *s);

/*
 * Takes a slot for a machine of @bytes; its number or -EAGAIN. A machine that
 * is larger than the whole budget is admitted when it would be alone: the
 * budget is an estimate, and preflight has already refused what cannot be.
 */
int slots_take(struct slots *s, uint64_t bytes);
void slots_give(struct slots *s, int slot);
bool slots_idle(const struct slots *s);

#endif
