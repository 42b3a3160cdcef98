/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kexec_image.h - the struct kimage of a loaded kexec, in a guest's memory.
 *
 * Its content is a guest's: what is read is bounded and checked for sense, so
 * that something else that lies there is not taken for it.
 */
#ifndef KJUMP_PROBE_KEXEC_IMAGE_H
#define KJUMP_PROBE_KEXEC_IMAGE_H

#include "probe/arm64_tables.h"
#include "probe/kexec_layout.h"

struct kexec_segment {
	uint64_t mem, memsz; /* physical, whole pages */
	uint64_t bufsz;
};

struct kexec_image {
	uint64_t address; /* of struct kimage, physical */
	uint64_t head;	  /* the first entry of its list */
	uint64_t start;	  /* where the new system is entered: purgatory, or the kernel */
	struct kexec_segment segments[KEXEC_SEGMENTS_MAX];
	unsigned int n_segments;
	uint64_t kern_reloc, el2_vectors, ttbr0, ttbr1, zero_page; /* physical; 0: none */
	uint64_t phys_offset; /* physical minus virtual in the linear map, modulo 2^64 */
	uint64_t t0sz;
};

/* Nothing is moved: a crash kernel, or all of it lies where it goes. There are no tables. */
bool kexec_image_in_place(const struct kexec_image *i);

/* What struct kimage at the physical @address says; -EINVAL: it is none. */
int kexec_image_read(const struct phys_memory *m, const struct kexec_layout *l, uint64_t address,
		     struct kexec_image *ret, struct err *e);

/*
 * Through the kernel's variable kexec_image at @va, with the tables the CPU has.
 * -ENOENT: nothing is loaded.
 */
int kexec_image_from_symbol(const struct phys_memory *m, const struct kexec_layout *l,
			    const struct arm64_tables *live, uint64_t va, struct kexec_image *ret,
			    struct err *e);

/*
 * Where that variable's address is not known: looks through memory, which must
 * be mapped, for what makes sense as one that has tables. -ENOENT: there is
 * none; -EEXIST: several (an unloaded one may still lie there).
 */
int kexec_image_scan(const struct phys_memory *m, const struct kexec_layout *l,
		     struct kexec_image *ret, struct err *e);

/*
 * How many pages the kernel took for the jump (code, tables, vectors), along its
 * list of them. -ENODATA: the layout lacks what it takes; -EFAULT: a broken list.
 */
int kexec_image_control_pages(const struct phys_memory *m, const struct kexec_layout *l,
			      const struct kexec_image *i, const struct arm64_tables *live,
			      uint64_t *ret, struct err *e);

#endif
