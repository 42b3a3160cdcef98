/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_edit.h - the one edit of memory that each fault of plan/inject.h is.
 *
 * What is not yet where it will run is edited where it lies now: a page of the
 * new kernel in its source page. The edit is only computed here; whoever makes
 * it does so while the target stands, and before the jump.
 */
#ifndef KJUMP_PROBE_TABLE_EDIT_H
#define KJUMP_PROBE_TABLE_EDIT_H

#include "plan/inject.h"
#include "probe/table_check.h"

#define TABLE_EDIT_MAX 4096

struct table_edit {
	uint64_t address; /* physical */
	size_t len;
	uint8_t old[TABLE_EDIT_MAX], new[TABLE_EDIT_MAX];
	/* What must be found then. */
	enum table_role role;
	uint64_t page;
};

/*
 * @c: of table_check(), without a finding. @seed picks among the pages that a
 * fault can hit. -ENOTSUP: no edit of memory makes this fault (none, stop-cpu);
 * -ENOENT: this kexec has no page for it.
 */
int table_edit(const struct table_check_input *in, const struct table_check *c, enum inject fault,
	       uint64_t seed, struct table_edit *ret, struct err *e);

#endif
