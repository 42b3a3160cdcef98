/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * case_read.h - the parts of a case file, read. Internal to plan/.
 */
#ifndef KJUMP_PLAN_CASE_READ_H
#define KJUMP_PLAN_CASE_READ_H

#include "plan/axes.h"

struct case_reader {
	struct plan *plan;
	const struct plan_paths *paths;
	struct diag *diag;
	struct axes axes;
	bool explicit_jumps; /* jumps is a list of {from, to, kind, dt} */
	uint64_t repeat;
	bool kexec_checks;
	struct limits limits; /* 0: by RAM size */
};

/* machines: a list of maps whose values may be lists; fills AXIS_MACHINE. */
void case_read_machines(struct case_reader *r, const struct yaml_node *list);

/* Resolve a name where it stands; NULL or false (reported) if there is none. */
const struct kernel_spec *case_kernel(struct case_reader *r, const struct yaml_node *name);
const struct profile *case_profile(struct case_reader *r, const struct yaml_node *name);

/* The index of @word's value on @axis, which is added if it is new. */
unsigned int case_axis_add(struct case_reader *r, enum axis axis, const char *word,
			   const void *object, unsigned int number);
/* As above from a node of the file; -1 (reported) if it names nothing. */
int case_axis_add_node(struct case_reader *r, enum axis axis, const struct yaml_node *node);

/* Why @p cannot be a job, or NULL. */
const char *case_impossible(const struct case_reader *r, const struct point *p);

/* Makes the points of the case: cross, exclude, select, include; or its explicit list. */
void case_make_points(struct case_reader *r, const struct yaml_node *root, struct points *out);

/* The job of a point: id, title, limits. */
void case_make_job(struct case_reader *r, const struct point *p, struct job *job);

#endif
