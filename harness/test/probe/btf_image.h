/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btf_image.h - an Image with types: a struct kimage as kernels have it, but
 * smaller, with what makes its members hard to find.
 */
#ifndef KJUMP_TEST_PROBE_BTF_IMAGE_H
#define KJUMP_TEST_PROBE_BTF_IMAGE_H

#include <bpf/btf.h>
#include <stdlib.h>

#include "base/buf.h"

/* Offsets in the structures that are made, in bytes. */
#define MADE_KIMAGE_SIZE 96
#define MADE_START	 24
#define MADE_ARCH	 64
#define MADE_TTBR1	 8  /* in kimage_arch */
#define MADE_LRU	 16 /* two anonymous levels deep in struct page */

/* struct kimage_arch, as a constant of a typedef: both are to be seen through. */
static inline int made_arch(struct btf *btf, int word)
{
	int inner = btf__add_struct(btf, "kimage_arch", 32);

	btf__add_field(btf, "ttbr0", word, 0, 0);
	btf__add_field(btf, "ttbr1", word, 8 * MADE_TTBR1, 0);
	btf__add_field(btf, "t0sz", word, 129, 3); /* not at a byte */
	return btf__add_const(btf, btf__add_typedef(btf, "arch_t", inner));
}

static inline void made_page(struct btf *btf, int word)
{
	int inner, outer;

	inner = btf__add_struct(btf, NULL, 24);
	btf__add_field(btf, "flags", word, 0, 0);
	btf__add_field(btf, "lru", word, 64, 0);
	outer = btf__add_union(btf, NULL, 24);
	btf__add_field(btf, NULL, inner, 0, 0);
	btf__add_struct(btf, "page", 64);
	btf__add_field(btf, "first", word, 0, 0);
	btf__add_field(btf, NULL, outer, 64, 0);
}

/* Appends the BTF behind a few bytes of something else, as in an Image. */
static inline void made_btf_image(struct buf *out)
{
	struct btf *btf = btf__new_empty();
	int word = btf__add_int(btf, "unsigned long", 8, 0), arch = made_arch(btf, word);
	const void *raw;
	uint32_t len;

	btf__add_struct(btf, "kimage", MADE_KIMAGE_SIZE);
	btf__add_field(btf, "head", word, 0, 0);
	btf__add_field(btf, "start", word, 8 * MADE_START, 0);
	btf__add_field(btf, "arch", arch, 8 * MADE_ARCH, 0);
	made_page(btf, word);
	raw = btf__raw_data(btf, &len);
	buf_adds(out, "something of 32 bytes, no header");
	buf_add(out, raw, len);
	buf_adds(out, "something else");
	btf__free(btf);
}

#endif
