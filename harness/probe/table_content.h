/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_content.h - the part of table_check.h that looks into pages: is what will
 * run, and what was loaded, what it should be?
 */
#ifndef KJUMP_PROBE_TABLE_CONTENT_H
#define KJUMP_PROBE_TABLE_CONTENT_H

#include "probe/table_check.h"

typedef void (*table_finding_fn)(struct table_check *c, struct table_finding f);

/* @c: its list was read. Each fault goes to @add once. */
void table_content_check(const struct table_check_input *in, struct table_check *c,
			 table_finding_fn add);

/*
 * Where the bytes lie now that will be at the physical @address after the
 * copying: the page's source, or the page itself if nothing is copied there.
 */
uint64_t table_content_now(const struct kimage_list *l, uint64_t address);

/* The segment that is an arm64 Image, by its magic; NULL: none is. Borrowed from @i. */
const struct kexec_segment *table_content_kernel(const struct phys_memory *m,
						 const struct kexec_image *i,
						 const struct kimage_list *l);

#endif
