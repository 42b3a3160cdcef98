/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * axes.h - what a case crosses, and one point of the cross.
 *
 * Internal to plan/. A point names its values by index into the axes; exclude
 * and include blocks are filters over points.
 */
#ifndef KJUMP_PLAN_AXES_H
#define KJUMP_PLAN_AXES_H

#include "plan/case.h"
#include "plan/yaml.h"

enum axis {
	AXIS_MACHINE,
	AXIS_KERNEL,
	AXIS_TO_KERNEL, /* 0 in the index: the same as the kernel */
	AXIS_FROM,
	AXIS_TO,
	AXIS_JUMP,
	AXIS_DT,
	AXIS_INJECT,
};
#define N_AXES (AXIS_INJECT + 1)

extern const char *const axis_keys[N_AXES];

/* Values of one axis: pointers to what it names, with a word for filters. */
struct axis_value {
	const char *word;
	const void *object;  /* machine_spec, kernel_spec, profile; NULL: word says all */
	unsigned int number; /* jump_kind, dt_source or inject */
};

struct axis_values {
	struct axis_value *v;
	size_t n;
};

struct axes {
	struct axis_values axis[N_AXES];
};

struct point {
	unsigned int at[N_AXES];
};

struct points {
	struct point *p;
	size_t n;
};

/* Every combination, first axis slowest. */
void axes_cross(const struct axes *a, struct points *out);

/*
 * A covering array out of @all: every pair of values of two axes that some
 * point of @all has, some kept point has. Greedy and deterministic.
 */
void axes_pairwise(const struct axes *a, struct points *all);

#endif
