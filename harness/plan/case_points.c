// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * case_points.c - from axes to the points that become jobs.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "plan/case_read.h"

const char *const axis_keys[N_AXES] = {
	[AXIS_MACHINE] = "machine", [AXIS_KERNEL] = "kernel", [AXIS_TO_KERNEL] = "to-kernel",
	[AXIS_FROM] = "from",	    [AXIS_TO] = "to",	      [AXIS_JUMP] = "jump",
	[AXIS_DT] = "dt",	    [AXIS_INJECT] = "inject",
};

static void points_add(struct points *out, const struct point *p)
{
	*array_push(out->p, out->n) = *p;
}

void axes_cross(const struct axes *a, struct points *out)
{
	struct point p = {0};
	int i;

	for (i = 0; i < N_AXES; i++) {
		if (!a->axis[i].n)
			return;
	}
	do {
		points_add(out, &p);
		/* An odometer: the last axis turns fastest. */
		for (i = N_AXES - 1; i >= 0; i--) {
			if (++p.at[i] < a->axis[i].n)
				break;
			p.at[i] = 0;
		}
	} while (i >= 0);
}

static const struct axis_value *value_at(const struct case_reader *r, const struct point *p,
					 enum axis axis)
{
	return &r->axes.axis[axis].v[p->at[axis]];
}

static bool same_tree(const struct profile *a, const struct profile *b)
{
	size_t i;

	if (a->n_overlays != b->n_overlays)
		return false;
	for (i = 0; i < a->n_overlays; i++) {
		if (strcmp(a->overlays[i], b->overlays[i]))
			return false;
	}
	return true;
}

/* Why @p cannot be a job, or NULL. */
static const char *impossible(const struct case_reader *r, const struct point *p)
{
	unsigned int kind = value_at(r, p, AXIS_JUMP)->number;
	bool live = value_at(r, p, AXIS_DT)->number == DT_LIVE;
	const void *from_kernel = value_at(r, p, AXIS_KERNEL)->object;
	const void *to_kernel = value_at(r, p, AXIS_TO_KERNEL)->object;

	if (value_at(r, p, AXIS_INJECT)->number != INJECT_NONE && kind != JUMP_KEXEC)
		return "a fault is put into a kexec only";
	if (live && kind != JUMP_KEXEC)
		return "only a kexec can take the live device tree along";
	if (kind != JUMP_PIVOT)
		return NULL;
	if (to_kernel && to_kernel != from_kernel)
		return "a pivot stays on its kernel";
	if (!same_tree(value_at(r, p, AXIS_FROM)->object, value_at(r, p, AXIS_TO)->object))
		return "a pivot keeps its device tree, and the two profiles differ in theirs";
	return NULL;
}

static bool matches_axis(const struct case_reader *r, const struct point *p, enum axis axis,
			 const struct yaml_node *want)
{
	const struct axis_value *v = value_at(r, p, axis), *also = v;
	size_t k;

	/* The same kernel also goes by its name. */
	if (axis == AXIS_TO_KERNEL && !v->object)
		also = value_at(r, p, AXIS_KERNEL);
	for (k = 0; k < yaml_len(want); k++) {
		const char *pattern = yaml_item(want, k)->text;

		if (text_match(pattern, v->word) || text_match(pattern, also->word))
			return true;
	}
	return false;
}

/* Does @p match all keys of the block @map? A key's value may be a list of patterns. */
static bool matches(const struct case_reader *r, const struct point *p, const struct yaml_node *map)
{
	unsigned int axis;

	for (axis = 0; axis < N_AXES; axis++) {
		const struct yaml_node *want = yaml_get(map, axis_keys[axis]);

		if (want && !matches_axis(r, p, axis, want))
			return false;
	}
	return true;
}

static void check_block(struct case_reader *r, const struct yaml_node *map, const char *what)
{
	struct axis_value ignored;
	unsigned int axis;
	size_t k;

	if (!yaml_want(r->diag, map, YAML_MAP, what))
		return;
	yaml_check_keys(r->diag, map, axis_keys, N_AXES);
	if (!map->n)
		yaml_error(r->diag, map, "an empty block matches everything: name a key");
	for (axis = 0; axis < N_AXES; axis++) {
		const struct yaml_node *want = yaml_get(map, axis_keys[axis]);

		for (k = 0; k < yaml_len(want); k++)
			case_resolve(r, axis, yaml_item(want, k), &ignored);
	}
}

void case_check_blocks(struct case_reader *r)
{
	const struct yaml_node *exclude = yaml_get(r->root, "exclude");
	const struct yaml_node *include = yaml_get(r->root, "include");
	size_t i;

	for (i = 0; i < yaml_len(exclude); i++)
		check_block(r, yaml_item(exclude, i), "an exclude block");
	for (i = 0; i < yaml_len(include); i++)
		check_block(r, yaml_item(include, i), "an include block");
}

/* Those that only an impossible combination matches are no mistake. */
static void drop_excluded(struct case_reader *r, struct points *all)
{
	const struct yaml_node *list = yaml_get(r->root, "exclude");
	size_t i, k, out;

	for (i = 0; i < yaml_len(list); i++) {
		const struct yaml_node *map = yaml_item(list, i);

		for (k = 0, out = 0; k < all->n; k++) {
			if (!matches(r, &all->p[k], map))
				all->p[out++] = all->p[k];
		}
		if (out == all->n)
			yaml_error(r->diag, map, "this exclude block matches no job");
		all->n = out;
	}
}

static void plan_warn(struct case_reader *r, const struct yaml_node *node, const char *why,
		      size_t n)
{
	*array_push(r->plan->warnings, r->plan->n_warnings) =
		xasprintf("%s:%u:%u: %zu combination%s left out: %s", node->file, node->line,
			  node->col, n, n == 1 ? "" : "s", why);
}

static void drop_impossible(struct case_reader *r, struct points *all)
{
	const char *reasons[8];
	size_t counts[8] = {0}, n_reasons = 0, k, i, out = 0;

	for (k = 0; k < all->n; k++) {
		const char *why = impossible(r, &all->p[k]);

		if (!why) {
			all->p[out++] = all->p[k];
			continue;
		}
		for (i = 0; i < n_reasons && reasons[i] != why; i++)
			;
		if (i == n_reasons)
			reasons[n_reasons++] = why;
		counts[i]++;
	}
	all->n = out;
	for (i = 0; i < n_reasons; i++)
		plan_warn(r, yaml_get(r->root, "jumps"), reasons[i], counts[i]);
}

/* A kernel that is named beside "same" makes a point twice where it is the same. */
static void drop_repeated(const struct case_reader *r, struct points *all)
{
	const struct axis_values *to = &r->axes.axis[AXIS_TO_KERNEL];
	size_t k, out = 0;
	bool same = false;

	for (k = 0; k < to->n; k++)
		same |= !to->v[k].object;
	for (k = 0; same && k < all->n; k++) {
		const void *object = value_at(r, &all->p[k], AXIS_TO_KERNEL)->object;

		if (!object || object != value_at(r, &all->p[k], AXIS_KERNEL)->object)
			all->p[out++] = all->p[k];
	}
	if (same)
		all->n = out;
}

static bool contains(const struct points *list, const struct point *p)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		if (!memcmp(&list->p[i], p, sizeof(*p)))
			return true;
	}
	return false;
}

/* False (reported) if it would be too large. */
static bool cross(struct case_reader *r, const struct axes *axes, const struct yaml_node *where,
		  struct points *out)
{
	uint64_t n = 1;
	unsigned int axis;

	for (axis = 0; axis < N_AXES; axis++) {
		n *= axes->axis[axis].n;
		if (n > CASE_MAX_POINTS) {
			yaml_error(r->diag, where, "the cross has more than %d combinations",
				   CASE_MAX_POINTS);
			return false;
		}
	}
	axes_cross(axes, out);
	return true;
}

/*
 * An include block crosses what it names with all values of the axes that it
 * does not name. It may name kernels, profiles and kinds that no axis has;
 * @known says how many values each axis has itself.
 */
static void add_included(struct case_reader *r, const struct yaml_node *map,
			 const struct axes *known, const struct points *full, struct points *out)
{
	const char *why = NULL;
	struct points all = {0};
	struct axis_value v;
	unsigned int axis;
	size_t k, n = 0;

	for (axis = 0; axis < N_AXES; axis++) {
		const struct yaml_node *want = yaml_get(map, axis_keys[axis]);

		for (k = 0; k < yaml_len(want); k++) {
			if (case_resolve(r, axis, yaml_item(want, k), &v) > 0)
				case_axis_add(r, axis, &v);
		}
	}
	if (!cross(r, &r->axes, map, &all))
		return;
	for (k = 0; k < all.n; k++) {
		bool fits = matches(r, &all.p[k], map);

		for (axis = 0; fits && axis < N_AXES; axis++) {
			fits = yaml_get(map, axis_keys[axis]) ||
			       all.p[k].at[axis] < known->axis[axis].n;
		}
		if (!fits)
			continue;
		if (impossible(r, &all.p[k])) {
			why = impossible(r, &all.p[k]);
			continue;
		}
		n++;
		if (contains(out, &all.p[k]))
			continue;
		points_add(out, &all.p[k]);
		r->plan->n_full += !contains(full, &all.p[k]);
	}
	if (!n)
		yaml_error(r->diag, map, "this include block adds no job%s%s", why ? ": " : "",
			   why ? why : "");
	free(all.p);
}

/* Machine by machine and kernel by kernel, the jumps in the order of the file. */
static void explicit_points(struct case_reader *r, struct points *out)
{
	struct axes around = r->axes;
	struct points all = {0};
	unsigned int axis;
	const char *why;
	size_t i, k;

	for (axis = AXIS_FROM; axis < N_AXES; axis++)
		around.axis[axis].n = 1;
	if (!cross(r, &around, r->root, &all))
		return;
	for (k = 0; k < r->n_jumps; k++) {
		for (i = 0; i < all.n; i++) {
			memcpy(&all.p[i].at[AXIS_FROM], &r->jumps[k].at[AXIS_FROM],
			       (N_AXES - AXIS_FROM) * sizeof(all.p[i].at[0]));
			why = impossible(r, &all.p[i]);
			if (why) {
				yaml_error(r->diag, r->jumps[k].node, "this jump cannot be: %s",
					   why);
				break;
			}
		}
	}
	for (i = 0; i < all.n; i++) {
		for (k = 0; k < r->n_jumps; k++) {
			memcpy(&all.p[i].at[AXIS_FROM], &r->jumps[k].at[AXIS_FROM],
			       (N_AXES - AXIS_FROM) * sizeof(all.p[i].at[0]));
			points_add(out, &all.p[i]);
		}
	}
	free(all.p);
	r->plan->n_full = out->n;
}

void case_make_points(struct case_reader *r, struct points *out)
{
	const struct yaml_node *include = yaml_get(r->root, "include");
	struct axes known = r->axes;
	struct points full = {0};
	size_t i;

	if (r->is_explicit) {
		explicit_points(r, out);
		return;
	}
	if (!cross(r, &r->axes, r->root, out))
		return;
	drop_repeated(r, out);
	drop_excluded(r, out);
	drop_impossible(r, out);
	r->plan->n_full = out->n;
	for (i = 0; i < out->n; i++)
		points_add(&full, &out->p[i]);
	if (r->plan->select == SELECT_PAIRWISE && out->n)
		axes_pairwise(&r->axes, out);
	for (i = 0; i < yaml_len(include); i++)
		add_included(r, yaml_item(include, i), &known, &full, out);
	free(full.p);
}
