/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kimage_list.h - the list by which a kexec copies pages to where they go, read
 * as the relocation code reads it.
 *
 * An entry is a physical address and flags in its low bits. The list starts in
 * kimage.head and goes on in indirection pages; a destination is followed by
 * the sources of the pages from there on.
 *
 * Source: include/linux/kexec.h and arch/arm64/kernel/relocate_kernel.S of Linux.
 */
#ifndef KJUMP_PROBE_KIMAGE_LIST_H
#define KJUMP_PROBE_KIMAGE_LIST_H

#include "probe/phys_memory.h"

enum kimage_end {
	KIMAGE_DONE,	   /* as it should */
	KIMAGE_UNREADABLE, /* an entry that is not in memory */
	KIMAGE_NO_FLAG,	   /* an entry that says nothing */
	KIMAGE_NOWHERE,	   /* a source before any destination */
	KIMAGE_PAST_PAGE,  /* an indirection page without a last entry */
	KIMAGE_CYCLE,	   /* an indirection page for the second time */
	KIMAGE_TOO_LONG,   /* more copies than there are pages */
};
#define N_KIMAGE_ENDS (KIMAGE_TOO_LONG + 1)
/* "does not end", ...; indexed by enum kimage_end; NULL for KIMAGE_DONE. */
extern const char *const kimage_end_names[N_KIMAGE_ENDS];

struct kimage_copy {
	uint64_t source, destination; /* physical, whole pages */
};

struct kimage_indirection {
	uint64_t page;
	size_t until; /* copies made when its last entry is read */
};

struct kimage_list {
	struct kimage_copy *copies; /* in the order in which they are made */
	size_t n_copies;
	struct kimage_indirection *indirections; /* also in order */
	size_t n_indirections;
	enum kimage_end end;
	uint64_t end_entry, end_at; /* the entry that ended it, and where it lies */
	uint64_t page_bytes;
	size_t *by_source, *by_destination; /* indices of copies, sorted by that page */
};

#define KIMAGE_LIST_INIT \
	{                \
		0        \
	}

/* Always gives what could be read of it; @at: where kimage.head lies. */
void kimage_list_read(const struct phys_memory *m, uint64_t at, unsigned int page_shift,
		      struct kimage_list *ret);
void kimage_list_fini(struct kimage_list *l);

#define KIMAGE_NEVER SIZE_MAX

/* The copy (an index) that first writes to the page of @address, or KIMAGE_NEVER. */
size_t kimage_list_written(const struct kimage_list *l, uint64_t address);
/* The copy that reads it. */
size_t kimage_list_read_by(const struct kimage_list *l, uint64_t address);
/* Is it a page of the list itself? An index of indirections, or KIMAGE_NEVER. */
size_t kimage_list_indirection(const struct kimage_list *l, uint64_t address);

#endif
