/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * esr.h - what an arm64 exception syndrome says, for a title.
 *
 * Source: Arm Architecture Reference Manual, ESR_ELx. The translation level is
 * left out: the same bad pointer faults at another level with another address.
 */
#ifndef KJUMP_JUDGE_ESR_H
#define KJUMP_JUDGE_ESR_H

#include <stddef.h>
#include <stdint.h>

/* "DABT, translation fault"; "EC 0x3f" when the class has no name. */
void esr_format(uint64_t esr, char *buf, size_t size);

#endif
