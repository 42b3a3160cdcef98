/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_check.h - will a loaded kexec get through its relocation? Said before the
 * jump, from what lies in memory: doc/table-check.md has the rules and their
 * sources.
 *
 * Pure: memory is only read, and must not change meanwhile (the guest stands).
 */
#ifndef KJUMP_PROBE_TABLE_CHECK_H
#define KJUMP_PROBE_TABLE_CHECK_H

#include "base/buf.h"
#include "probe/kexec_image.h"
#include "probe/kimage_list.h"

/* What a page is for, in the order in which a page that is several is named. */
enum table_role {
	TABLE_ROLE_LIST, /* the list as a whole */
	TABLE_ROLE_RELOCATION,
	TABLE_ROLE_INDIRECTION,
	TABLE_ROLE_SOURCE,
	TABLE_ROLE_DESTINATION,
	TABLE_ROLE_TABLE,   /* of the transitional tables or the identity map */
	TABLE_ROLE_ZERO,    /* the empty table between two tables */
	TABLE_ROLE_VECTORS, /* of EL2 (nVHE), until the new system is entered */
	TABLE_ROLE_PURGATORY,
	TABLE_ROLE_ENTRY, /* of the new kernel */
	TABLE_ROLE_SEGMENT,
};
#define N_TABLE_ROLES (TABLE_ROLE_SEGMENT + 1)
/* "source page", ...; indexed by enum table_role. */
extern const char *const table_role_names[N_TABLE_ROLES];

enum table_fault {
	TABLE_FAULT_BROKEN,  /* the list: its end is list_end of the check */
	TABLE_FAULT_OUTSIDE, /* not in RAM */
	TABLE_FAULT_UNMAPPED,
	TABLE_FAULT_ELSEWHERE, /* mapped, to another page */
	TABLE_FAULT_UNREADABLE,
	TABLE_FAULT_READ_ONLY,
	TABLE_FAULT_NO_EXEC,
	TABLE_FAULT_DEVICE,	 /* not normal memory */
	TABLE_FAULT_OVERWRITTEN, /* by a copy, before its use is over */
	TABLE_FAULT_CONTENT,	 /* not what was loaded, or no table that is empty */
	TABLE_FAULT_SPINS,	 /* its first instruction branches to itself */
	TABLE_FAULT_UNDEFINED,	 /* its first instruction is permanently undefined */
	TABLE_FAULT_INCOMPLETE,	 /* a segment: not all of it is copied */
};
#define N_TABLE_FAULTS (TABLE_FAULT_INCOMPLETE + 1)

struct table_finding {
	enum table_role role;
	enum table_fault fault;
	uint64_t page;		/* physical: the page itself */
	uint64_t va;		/* where it should be mapped; 0 where no map is asked */
	bool identity;		/* in the identity map, not in the transitional table */
	size_t copy;		/* which copy it is of, or which overwrites it; KIMAGE_NEVER */
	struct arm64_leaf leaf; /* of a fault of mapping */
};

/* What was loaded: these bytes belong at this physical address after the copying. */
struct table_content {
	uint64_t destination;
	const void *bytes; /* borrowed */
	size_t len;	   /* zeroes follow, to the end of the segment */
};

struct table_check_input {
	const struct phys_memory *memory;
	const struct kexec_layout *layout;
	const struct arm64_regime *regime;
	const struct kexec_image *image;
	/* The relocation code as its kernel's Image has it; NULL: not known. */
	const void *relocation;
	size_t relocation_bytes;
	const struct table_content *contents;
	size_t n_contents;
};

enum table_verdict {
	TABLES_GOOD,
	TABLES_LEAKED, /* good, but pages were taken that no table reaches */
	TABLES_BAD,
	TABLES_NONE, /* nothing is copied: no tables */
};
#define N_TABLE_VERDICTS (TABLES_NONE + 1)
extern const char *const table_verdict_names[N_TABLE_VERDICTS];

#define TABLE_FINDINGS_MAX 64 /* that are kept; all are counted */

struct table_check {
	enum table_verdict verdict;
	struct table_finding findings[TABLE_FINDINGS_MAX];
	size_t n_findings;
	struct kimage_list list;
	struct arm64_tables upper, lower; /* the transitional table, the identity map */
	struct arm64_census upper_census, lower_census;
	uint64_t control_pages; /* 0: could not be counted, and why: */
	char *why_not_counted;
	bool relocation_compared;
	uint64_t contents_compared; /* pages */
};

/* -ENOTSUP, -EINVAL: the registers are of no known format. */
int table_check(const struct table_check_input *in, struct table_check *ret, struct err *e);
void table_check_fini(struct table_check *c);

/* Pages that the tables, code and vectors need, of the control pages. */
uint64_t table_check_reached(const struct table_check *c, const struct kexec_image *i);

/*
 * One line without addresses, the same whenever the same is wrong: "destination
 * page not mapped in the transitional table (level 3)". *returned*
 */
char *table_check_title(const struct table_check *c);

/* Everything, for people: verdict, numbers, a line for each finding. */
void table_check_report(const struct table_check *c, const struct kexec_image *i, struct buf *out);

#endif
