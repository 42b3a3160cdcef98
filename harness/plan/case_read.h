/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * case_read.h - the parts of a case file, read. Internal to plan/.
 *
 * First everything is read and every name is resolved where it stands, so that
 * all mistakes are found in one go; points and jobs are made only then.
 */
#ifndef KJUMP_PLAN_CASE_READ_H
#define KJUMP_PLAN_CASE_READ_H

#include "base/digest.h"
#include "plan/axes.h"

#define CASE_MAX_POINTS	  100000 /* of a cross, before excludes and selection */
#define CASE_MAX_JOBS	  10000
#define CASE_MAX_MACHINES 1000

/* One line of an explicit list of jumps; indices into the axes. */
struct explicit_jump {
	const struct yaml_node *node;
	unsigned int at[N_AXES]; /* FROM and all behind it count */
};

struct case_reader {
	struct plan *plan;
	const struct plan_paths *paths;
	struct diag *diag;
	struct digest *read; /* content of all files that were read */
	const struct yaml_node *root;
	struct axes axes;
	bool is_explicit; /* jumps is a list of {from, to, jump, dt} */
	struct explicit_jump *jumps;
	size_t n_jumps;
	uint64_t repeat;
	bool kexec_checks;
	struct watch watch;
	struct limits limits; /* 0: by RAM size */
};

/* Adds the content of the file @path to the plan's digest. */
void case_note_file(struct case_reader *r, const char *path);

/* machines: a list of maps whose values may be lists; fills AXIS_MACHINE. */
void case_read_machines(struct case_reader *r, const struct yaml_node *list);

/*
 * What @node names on @axis: 1 and *ret; 0 for a pattern (*?[), which names
 * nothing by itself; -1 (reported) if there is no such thing.
 */
int case_resolve(struct case_reader *r, enum axis axis, const struct yaml_node *node,
		 struct axis_value *ret);

/* The index of @v on @axis, where it is added if it is new. */
unsigned int case_axis_add(struct case_reader *r, enum axis axis, const struct axis_value *v);

/* Reports all mistakes in the exclude and include blocks. */
void case_check_blocks(struct case_reader *r);

/* Makes the points of the case: cross, exclude, select, include; or its explicit list. */
void case_make_points(struct case_reader *r, struct points *out);

/* Makes the plan's jobs of the points, in their order. */
void case_make_jobs(struct case_reader *r, const struct points *points);

#endif
