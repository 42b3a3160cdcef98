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
	[AXIS_DT] = "dt",
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

const char *case_impossible(const struct case_reader *r, const struct point *p)
{
	unsigned int kind = value_at(r, p, AXIS_JUMP)->number;
	bool live = value_at(r, p, AXIS_DT)->number == DT_LIVE;
	const void *from_kernel = value_at(r, p, AXIS_KERNEL)->object;
	const void *to_kernel = value_at(r, p, AXIS_TO_KERNEL)->object;

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

/* Does @p match all keys of the block @map? A key's value may be a list of patterns. */
static bool matches(const struct case_reader *r, const struct point *p, const struct yaml_node *map)
{
	unsigned int axis;
	size_t k;

	for (axis = 0; axis < N_AXES; axis++) {
		const struct yaml_node *want = yaml_get(map, axis_keys[axis]);
		bool hit = !want;

		for (k = 0; !hit && k < yaml_len(want); k++) {
			const struct yaml_node *item = yaml_item(want, k);

			hit = item->kind == YAML_SCALAR &&
			      text_match(item->text, value_at(r, p, axis)->word);
		}
		if (!hit)
			return false;
	}
	return true;
}

static void check_block(const struct case_reader *r, const struct yaml_node *map)
{
	yaml_check_keys(r->diag, map, axis_keys, N_AXES);
	if (!map->n)
		yaml_error(r->diag, map, "an empty block matches everything: name a key");
}

static void drop_excluded(struct case_reader *r, const struct yaml_node *list, struct points *all)
{
	size_t i, k, out, dropped;

	for (i = 0; i < yaml_len(list); i++) {
		const struct yaml_node *map = yaml_item(list, i);

		if (!yaml_want(r->diag, map, YAML_MAP, "an exclude block"))
			continue;
		check_block(r, map);
		for (k = 0, out = 0; k < all->n; k++) {
			if (!matches(r, &all->p[k], map))
				all->p[out++] = all->p[k];
		}
		dropped = all->n - out;
		all->n = out;
		if (!dropped)
			yaml_error(r->diag, map, "this exclude block matches no job");
	}
}

static void plan_warn(struct case_reader *r, const struct yaml_node *node, const char *why,
		      size_t n)
{
	*array_push(r->plan->warnings, r->plan->n_warnings) =
		xasprintf("%s:%u:%u: %zu combination%s left out: %s", node->file, node->line,
			  node->col, n, n == 1 ? "" : "s", why);
}

static void drop_impossible(struct case_reader *r, const struct yaml_node *root, struct points *all)
{
	const char *reasons[8];
	size_t counts[8] = {0}, n_reasons = 0, k, i, out = 0;

	for (k = 0; k < all->n; k++) {
		const char *why = case_impossible(r, &all->p[k]);

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
		plan_warn(r, root, reasons[i], counts[i]);
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

/*
 * An include block crosses what it names with all values of the axes that it
 * does not name. It may name kernels, profiles and kinds that no axis has.
 */
static void add_included(struct case_reader *r, const struct yaml_node *map, struct points *out)
{
	struct axes saved = r->axes;
	struct points all = {0};
	unsigned int axis;
	size_t k;

	check_block(r, map);
	for (axis = 0; axis < N_AXES; axis++) {
		const struct yaml_node *want = yaml_get(map, axis_keys[axis]);

		for (k = 0; want && k < yaml_len(want); k++)
			case_axis_add_node(r, axis, yaml_item(want, k));
	}
	axes_cross(&r->axes, &all);
	for (k = 0; k < all.n; k++) {
		bool fits = matches(r, &all.p[k], map);

		for (axis = 0; fits && axis < N_AXES; axis++) {
			/* Values that only this block brought count only where it names them. */
			fits = yaml_get(map, axis_keys[axis]) ||
			       all.p[k].at[axis] < saved.axis[axis].n;
		}
		if (fits && !case_impossible(r, &all.p[k]) && !contains(out, &all.p[k]))
			points_add(out, &all.p[k]);
	}
	free(all.p);
}

static void read_explicit(struct case_reader *r, const struct yaml_node *map,
			  const struct points *rest, struct points *out)
{
	static const char *const keys[] = {"from", "to", "jump", "dt"};
	const struct yaml_node *from, *to, *jump, *dt;
	int at_from, at_to, at_jump, at_dt = 0;
	const char *why;
	size_t k;

	if (!yaml_want(r->diag, map, YAML_MAP, "a jump"))
		return;
	yaml_check_keys(r->diag, map, keys, ARRAY_SIZE(keys));
	from = yaml_need(r->diag, map, "from");
	to = yaml_need(r->diag, map, "to");
	jump = yaml_need(r->diag, map, "jump");
	dt = yaml_get(map, "dt");
	if (!from || !to || !jump)
		return;
	at_from = case_axis_add_node(r, AXIS_FROM, from);
	at_to = case_axis_add_node(r, AXIS_TO, to);
	at_jump = case_axis_add_node(r, AXIS_JUMP, jump);
	if (dt)
		at_dt = case_axis_add_node(r, AXIS_DT, dt);
	if (at_from < 0 || at_to < 0 || at_jump < 0 || at_dt < 0)
		return;
	for (k = 0; k < rest->n; k++) {
		struct point p = rest->p[k];

		p.at[AXIS_FROM] = (unsigned int)at_from;
		p.at[AXIS_TO] = (unsigned int)at_to;
		p.at[AXIS_JUMP] = (unsigned int)at_jump;
		p.at[AXIS_DT] = (unsigned int)at_dt;
		why = case_impossible(r, &p);
		if (why) {
			yaml_error(r->diag, map, "this jump cannot be: %s", why);
			return;
		}
		points_add(out, &p);
	}
}

/* Machine by machine and kernel by kernel, the jumps in the order of the file. */
static void explicit_points(struct case_reader *r, const struct yaml_node *jumps,
			    struct points *out)
{
	struct axes machines = r->axes;
	struct points rest = {0};
	struct axis_value one = {0};
	unsigned int axis;
	size_t i;

	for (axis = AXIS_FROM; axis < N_AXES; axis++) {
		machines.axis[axis].v = &one;
		machines.axis[axis].n = 1;
	}
	axes_cross(&machines, &rest);
	for (i = 0; i < rest.n; i++) {
		const struct points single = {&rest.p[i], 1};
		size_t k;

		for (k = 0; k < jumps->n && !(i && r->diag->n); k++)
			read_explicit(r, jumps->items[k], &single, out);
	}
	free(rest.p);
}

void case_make_points(struct case_reader *r, const struct yaml_node *root, struct points *out)
{
	const struct yaml_node *include = yaml_get(root, "include");
	size_t i;

	if (r->explicit_jumps) {
		explicit_points(r, yaml_get(root, "jumps"), out);
		r->plan->n_full = out->n;
		return;
	}
	axes_cross(&r->axes, out);
	drop_impossible(r, root, out);
	drop_excluded(r, yaml_get(root, "exclude"), out);
	r->plan->n_full = out->n;
	if (r->plan->select == SELECT_PAIRWISE && out->n)
		axes_pairwise(&r->axes, out);
	for (i = 0; i < yaml_len(include); i++) {
		const struct yaml_node *map = yaml_item(include, i);

		if (yaml_want(r->diag, map, YAML_MAP, "an include block"))
			add_included(r, map, out);
	}
}
