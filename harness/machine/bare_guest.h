/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bare_guest.h - guests of a few arm64 instructions, as files that a loader
 * takes for a kernel.
 *
 * Sources: Linux, Documentation/arch/arm64/booting.rst (Image header); Arm
 * Architecture Reference Manual (encodings); Arm DEN0022 (PSCI).
 */
#ifndef KJUMP_MACHINE_BARE_GUEST_H
#define KJUMP_MACHINE_BARE_GUEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Encodings; Rd and Rn are numbers 0..30. */
#define A64_MOVZ(rd, imm16, lsl)    (0xd2800000u | ((lsl) / 16u) << 21 | (imm16) << 5 | (rd))
#define A64_MOVK(rd, imm16, lsl)    (0xf2800000u | ((lsl) / 16u) << 21 | (imm16) << 5 | (rd))
#define A64_SUBS_IMM(rd, rn, imm12) (0xf1000000u | (imm12) << 10 | (rn) << 5 | (rd))
#define A64_B_NE(words)		    (0x54000001u | ((uint32_t)(words)&0x7ffffu) << 5)
#define A64_B(words)		    (0x14000000u | ((uint32_t)(words)&0x3ffffffu))
#define A64_HVC_0		    0xd4000002u
#define A64_SMC_0		    0xd4000003u

#define PSCI_SYSTEM_OFF		    0x84000008u
#define PSCI_SYSTEM_RESET	    0x84000009u

/* Appends an arm64 Image that runs @n instruction words at @code. */
void bare_guest_image(struct buf *out, const uint32_t *code, size_t n);

#endif
