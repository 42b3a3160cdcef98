/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * phys_memory.h - a guest's physical memory, to be read.
 *
 * Either one range that is mapped here (the file that QEMU's memory-backend-file
 * shares), or a function that reads (through a debug port). Every address comes
 * from a guest: what is not all inside the range is refused with -EFAULT.
 *
 * A function that does not have the bytes yet may note the address and fail:
 * those who read go on without them, and say what they could not see.
 */
#ifndef KJUMP_PROBE_PHYS_MEMORY_H
#define KJUMP_PROBE_PHYS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PHYS_MEMORY_PAGE 65536 /* bytes of the largest read: the largest page there is */

struct phys_memory {
	uint64_t address; /* of the first byte */
	uint64_t size_bytes;
	const uint8_t *bytes; /* mapped, borrowed; NULL: read() is asked */
	int fd;		      /* of what is mapped, to know its holes; -1: it has none. Borrowed */
	int (*read)(uint64_t address, void *ret, size_t len, void *arg); /* 0 or -errno */
	void *arg;
};

/* Is all of it inside the range? */
bool phys_memory_holds(const struct phys_memory *m, uint64_t address, uint64_t len);

/*
 * @len bytes at @address, at most PHYS_MEMORY_PAGE: in place, or read into
 * @scratch (of @len bytes). NULL: they cannot be had.
 */
const void *phys_memory_get(const struct phys_memory *m, uint64_t address, size_t len,
			    void *scratch);

int phys_memory_read(const struct phys_memory *m, uint64_t address, void *ret, size_t len);
/* Little-endian, as arm64 Linux runs. */
int phys_memory_u64(const struct phys_memory *m, uint64_t address, uint64_t *ret);

/*
 * The next part, from *at on, that a guest may ever have written: what a sparse
 * file does not hold is not touched, for a touch would make it grow. false: none.
 */
bool phys_memory_next(const struct phys_memory *m, uint64_t *at, uint64_t *ret_end);

#endif
