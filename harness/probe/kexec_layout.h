/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kexec_layout.h - where an arm64 kernel keeps what a loaded kexec consists of.
 *
 * Byte offsets inside three structures of the kernel, as its own type
 * information (BTF) has them. They differ between kernels and configurations:
 * struct kimage grew members, and an older kernel has no transitional tables.
 *
 * Source of the names: include/linux/kexec.h, arch/arm64/include/asm/kexec.h
 * and include/linux/mm_types.h of Linux.
 */
#ifndef KJUMP_PROBE_KEXEC_LAYOUT_H
#define KJUMP_PROBE_KEXEC_LAYOUT_H

#include <stdbool.h>

/* The offset of a member (or the size of a structure) that this kernel lacks. */
#define KEXEC_ABSENT	   (-1)

/* KEXEC_SEGMENT_MAX: the length of kimage.segment[]; part of the system call's interface. */
#define KEXEC_SEGMENTS_MAX 16

struct kexec_layout {
	/* struct kimage; from dtb_mem on inside its member arch (struct kimage_arch). */
	struct {
		int size; /* sizeof(struct kimage) */
		int head;
		int start;
		int control_code_page; /* a struct page * */
		int nr_segments;
		int segment; /* struct kexec_segment [KEXEC_SEGMENTS_MAX] */
		int segment_cma;
		int control_pages; /* a list_head, linked through page.lru */
		int dtb_mem;
		int kern_reloc;
		int el2_vectors;
		int ttbr0;
		int ttbr1;
		int zero_page;
		int phys_offset;
		int t0sz;
	} kimage;
	/* struct kexec_segment */
	struct {
		int size;
		int bufsz;
		int mem;
		int memsz;
	} segment;
	/* struct page */
	struct {
		int size;
		int lru;
		int private; /* the order of a block of control pages */
	} page;
};

/*
 * Every member is there without which there are no transitional tables to look
 * at. What is not asked for here may be KEXEC_ABSENT: a check says what it
 * could not do.
 */
static inline bool kexec_layout_has_tables(const struct kexec_layout *l)
{
	return l->kimage.size > 0 && l->kimage.head >= 0 && l->kimage.start >= 0 &&
	       l->kimage.nr_segments >= 0 && l->kimage.segment >= 0 && l->segment.size > 0 &&
	       l->segment.mem >= 0 && l->segment.memsz >= 0 && l->kimage.kern_reloc >= 0 &&
	       l->kimage.ttbr0 >= 0 && l->kimage.ttbr1 >= 0 && l->kimage.phys_offset >= 0 &&
	       l->kimage.t0sz >= 0;
}

#endif
