/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * esr.h - what an arm64 exception syndrome says.
 *
 * Source: Arm Architecture Reference Manual, ESR_ELx and its ISS encodings.
 */
#ifndef KJUMP_BASE_ESR_H
#define KJUMP_BASE_ESR_H

#include <stddef.h>
#include <stdint.h>

/*
 * "DABT, translation fault"; "EC 0x3f" when the class has no name. For a title:
 * the translation level is left out, as the same bad pointer faults at another
 * level with another address.
 */
void esr_format(uint64_t esr, char *buf, size_t size);

enum esr_access {
	ESR_OTHER, /* no access to memory */
	ESR_FETCH, /* of an instruction */
	ESR_READ,
	ESR_WRITE,
};

enum esr_access esr_access(uint64_t esr);

/* "translation fault" and the like of an aborted access; NULL: not an abort. */
const char *esr_fault(uint64_t esr);

/* Level of the tables at which an access was aborted, -1..3; ESR_NO_LEVEL: it tells none. */
#define ESR_NO_LEVEL (-2)
int esr_fault_level(uint64_t esr);

#endif
