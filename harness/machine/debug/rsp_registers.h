/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rsp_registers.h - the registers of a target, as its stub describes them.
 *
 * Source: Debugging with GDB, appendix G "Target Descriptions". A register has
 * the number that its description gives, or one more than the register before;
 * a whole set ("g") holds them in the order of their numbers.
 */
#ifndef KJUMP_MACHINE_DEBUG_RSP_REGISTERS_H
#define KJUMP_MACHINE_DEBUG_RSP_REGISTERS_H

#include <stdint.h>

#include "base/err.h"

#define RSP_REGISTERS_MAX     4096
#define RSP_REGISTER_NAME_MAX 32 /* with the NUL */

struct rsp_register {
	char name[RSP_REGISTER_NAME_MAX]; /* in lower case */
	uint32_t number;
	uint32_t size_bytes;
	uint32_t offset; /* in a whole set, if that reaches so far */
};

struct rsp_registers {
	struct rsp_register *list; /* by name */
	size_t n;
	uint32_t next_number; /* of one that has none of its own */
};

#define RSP_REGISTERS_INIT \
	{                  \
		NULL, 0, 0 \
	}

void rsp_registers_fini(struct rsp_registers *r);

/* @number NULL: the next. -EBADMSG, -E2BIG. */
int rsp_registers_add(struct rsp_registers *r, const char *name, const uint32_t *number,
		      uint32_t size_bits, struct err *e);
/* All are there. -EBADMSG: two have one number. */
int rsp_registers_finish(struct rsp_registers *r, struct err *e);

/*
 * By its architectural name in lower case; NULL: there is none. "sctlr_el1"
 * also finds "sctlr": QEMU names those without the level that AArch32 has too.
 */
const struct rsp_register *rsp_registers_find(const struct rsp_registers *r, const char *name);

#endif
