/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hang_card.h - where a target hangs and why, in words.
 *
 * Pure functions of what was seen: the proof's registers, the first exception
 * if it was caught, and what is known of the two kernels and of the loaded
 * image. A title holds nothing that another boot has elsewhere; the text has
 * the addresses.
 */
#ifndef KJUMP_PROBE_HANG_CARD_H
#define KJUMP_PROBE_HANG_CARD_H

#include "base/buf.h"
#include "probe/hang_proof.h"
#include "probe/kernel_map.h"

/* [start, start + bytes) of physical memory; 0 bytes: not known. */
struct hang_range {
	uint64_t start, bytes;
};

struct hang_scene {
	const struct kernel_map *a, *b; /* NULL: not known */
	uint64_t a_base, b_base;	/* virtual addresses of their first bytes; 0: not known */
	struct hang_range relocation;	/* A's code that copies B into place */
	struct hang_range purgatory;	/* what checks the copy */
	struct hang_range b_image;	/* where B was put */
	uint64_t phys_offset;		/* of the transitional table: pa = va + phys_offset */
	uint64_t ttbr0, ttbr1;		/* the transitional tables; 0: not known */
	/* Role of a physical page in the loaded image, "destination page"; NULL: none. */
	const char *(*role)(uint64_t physical, void *arg);
	void *arg;
	/* All registers at the first exception that nothing handles; n = 0: none was caught. */
	struct debug_regs exception;
	unsigned int exception_cpu;
};

/* Of a proven or suspected hang; *returned*, without "hang: ". */
char *hang_card_title(const struct hang_scene *s, const struct hang_evidence *e);

/*
 * A sentence, then lines "label<TAB>value": the place, the first exception, the
 * tables, each CPU, how it is known.
 */
void hang_card_text(const struct hang_scene *s, const struct hang_evidence *e, struct buf *out);

/* Of an exception that was caught, before anybody knows what becomes of it; *returned*. */
char *hang_card_exception(const struct hang_scene *s);

#endif
