// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/case.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "base/text.h"
#include "plan/board.h"
#include "plan/case_read.h"

void case_note_file(struct case_reader *r, const char *path)
{
	char hex[DIGEST_HEX_SIZE];

	if (!digest_of_file(path, hex, NULL))
		digest_update_str(r->read, hex);
}

unsigned int case_axis_add(struct case_reader *r, enum axis axis, const struct axis_value *v)
{
	struct axis_values *values = &r->axes.axis[axis];
	size_t i;

	for (i = 0; i < values->n; i++) {
		if (values->v[i].object == v->object && values->v[i].number == v->number)
			return (unsigned int)i;
	}
	*array_push(values->v, values->n) = *v;
	return (unsigned int)(values->n - 1);
}

/* {kernel: NAME, series: each}: NAME with none, one, two, ... and all of its patches. */
static void read_series(struct case_reader *r, enum axis axis, const struct yaml_node *map)
{
	static const char *const keys[] = {"kernel", "series"}, *const words[] = {"each"};
	const struct yaml_node *name = yaml_need(r->diag, map, "kernel");
	const struct yaml_node *series = yaml_need(r->diag, map, "series");
	const struct kernel_spec *k;
	struct axis_value v;
	size_t i;

	yaml_check_keys(r->diag, map, keys, ARRAY_SIZE(keys));
	if (!name || !series || yaml_word(r->diag, series, words, ARRAY_SIZE(words)) < 0 ||
	    case_resolve(r, axis, name, &v) <= 0 || !v.object)
		return;
	k = v.object;
	if (!kernel_is_built(k) || !k->build.n_patches) {
		yaml_error(r->diag, name, "kernel '%s' has no patches: there is no series",
			   k->name);
		return;
	}
	for (i = 0; i < k->build.n_patches; i++) {
		char *prefix __free(str) = xasprintf("%s+%zu", k->name, i);
		const struct kernel_spec *p = kernel_list_find(r->plan->kernels, prefix);

		if (p)
			case_axis_add(r, axis, &(struct axis_value){.word = p->name, .object = p});
	}
	case_axis_add(r, axis, &v);
}

/* @list NULL: the one value of @fallback. */
static void read_axis(struct case_reader *r, enum axis axis, const struct yaml_node *list,
		      const char *fallback)
{
	struct axis_value v = {.word = fallback};
	size_t i;

	if (!list && fallback)
		case_axis_add(r, axis, &v);
	if (list && !yaml_len(list))
		yaml_error(r->diag, list, "an empty list: nothing to cross");
	for (i = 0; i < yaml_len(list); i++) {
		const struct yaml_node *item = yaml_item(list, i);
		int rc;

		if (item->kind == YAML_MAP && (axis == AXIS_KERNEL || axis == AXIS_TO_KERNEL)) {
			read_series(r, axis, item);
			continue;
		}
		rc = case_resolve(r, axis, item, &v);
		if (rc > 0)
			case_axis_add(r, axis, &v);
		else if (!rc)
			yaml_error(r->diag, item, "'%s' is a pattern, expected a name", item->text);
	}
}

static void read_explicit_jump(struct case_reader *r, const struct yaml_node *map)
{
	static const char *const keys[] = {"from", "to", "jump", "dt", "inject"};
	static const enum axis axes[] = {AXIS_FROM, AXIS_TO, AXIS_JUMP, AXIS_DT, AXIS_INJECT};
	static const struct axis_value usual[] = {
		[AXIS_DT] = {.word = "profile", .number = DT_PROFILE},
		[AXIS_INJECT] = {.word = "none", .number = INJECT_NONE},
	};
	struct explicit_jump j = {.node = map};
	const struct yaml_node *value;
	struct axis_value v;
	bool good = true;
	size_t i;

	if (!yaml_want(r->diag, map, YAML_MAP, "a jump"))
		return;
	yaml_check_keys(r->diag, map, keys, ARRAY_SIZE(keys));
	for (i = 0; i < ARRAY_SIZE(axes); i++) {
		value = yaml_get(map, keys[i]);
		v = axes[i] >= AXIS_DT ? usual[axes[i]] : (struct axis_value){0};
		if (!value && !v.word)
			value = yaml_need(r->diag, map, keys[i]);
		if (value ? case_resolve(r, axes[i], value, &v) > 0 : v.word != NULL)
			j.at[axes[i]] = case_axis_add(r, axes[i], &v);
		else
			good = false;
	}
	if (good)
		*array_push(r->jumps, r->n_jumps) = j;
}

/* jumps is an axis of kinds, or the whole list of {from, to, jump, dt}. */
static void read_jumps(struct case_reader *r)
{
	static const char *const of_a_cross[] = {"from",    "to",      "dt",	"inject",
						 "include", "exclude", "select"};
	const struct yaml_node *jumps = yaml_need(r->diag, r->root, "jumps"), *other;
	size_t i;

	r->is_explicit =
		jumps && jumps->kind == YAML_LIST && jumps->n && jumps->items[0]->kind == YAML_MAP;
	if (!r->is_explicit) {
		if (jumps)
			read_axis(r, AXIS_JUMP, jumps, NULL);
		read_axis(r, AXIS_FROM, yaml_need(r->diag, r->root, "from"), NULL);
		read_axis(r, AXIS_TO, yaml_need(r->diag, r->root, "to"), NULL);
		read_axis(r, AXIS_DT, yaml_get(r->root, "dt"), "profile");
		read_axis(r, AXIS_INJECT, yaml_get(r->root, "inject"), "none");
		case_check_blocks(r);
		return;
	}
	for (i = 0; i < jumps->n; i++)
		read_explicit_jump(r, jumps->items[i]);
	for (i = 0; i < ARRAY_SIZE(of_a_cross); i++) {
		other = yaml_get(r->root, of_a_cross[i]);
		if (other)
			yaml_error(r->diag, other,
				   "'%s' has no meaning beside an explicit list of jumps",
				   of_a_cross[i]);
	}
}

static void read_limits(struct case_reader *r, const struct yaml_node *map)
{
	static const char *const keys[] = {"boot", "load", "jump", "silence", "shutdown"};
	uint64_t *const slots[] = {&r->limits.boot_ms, &r->limits.load_ms, &r->limits.jump_ms,
				   &r->limits.silence_ms, &r->limits.shutdown_ms};
	uint64_t seconds;
	size_t i;

	if (!map || !yaml_want(r->diag, map, YAML_MAP, "limits"))
		return;
	yaml_check_keys(r->diag, map, keys, ARRAY_SIZE(keys));
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (yaml_u64(r->diag, yaml_get(map, keys[i]), 1, 86400, &seconds))
			*slots[i] = seconds * 1000;
	}
}

static void read_watch(struct case_reader *r)
{
	static const char *const checks[] = {"none", "tables"}, *const then[] = {"jump", "stop"};
	const struct yaml_node *check = yaml_get(r->root, "check");
	const struct yaml_node *finding = yaml_get(r->root, "on-finding");

	r->watch = (struct watch){.phases = true};
	yaml_bool(r->diag, yaml_get(r->root, "watch"), &r->watch.phases);
	if (check)
		r->watch.check_tables = yaml_word(r->diag, check, checks, ARRAY_SIZE(checks)) == 1;
	if (finding)
		r->watch.stop_on_finding = yaml_word(r->diag, finding, then, ARRAY_SIZE(then)) == 1;
	if (finding && !r->watch.check_tables)
		yaml_error(r->diag, finding, "'on-finding' has no meaning without 'check: tables'");
}

static void read_select(struct case_reader *r)
{
	static const char *const words[] = {[SELECT_ALL] = "all", [SELECT_PAIRWISE] = "pairwise"};
	const struct yaml_node *select = yaml_get(r->root, "select");
	int i = select ? yaml_word(r->diag, select, words, ARRAY_SIZE(words)) : SELECT_ALL;

	r->plan->select = i == SELECT_PAIRWISE ? SELECT_PAIRWISE : SELECT_ALL;
}

static void read_case(struct case_reader *r)
{
	static const char *const keys[] = {"name",	 "description", "machines",	"kernels",
					   "to-kernels", "from",	"to",		"jumps",
					   "dt",	 "repeat",	"select",	"include",
					   "exclude",	 "limits",	"kexec-checks", "inject",
					   "watch",	 "check",	"on-finding"};
	const struct yaml_node *root = r->root, *machines;

	if (!yaml_want(r->diag, root, YAML_MAP, "the file"))
		return;
	yaml_check_keys(r->diag, root, keys, ARRAY_SIZE(keys));
	r->plan->name = xstrdup_null(yaml_text(r->diag, yaml_need(r->diag, root, "name"), "name"));
	machines = yaml_need(r->diag, root, "machines");
	if (machines)
		case_read_machines(r, machines);
	read_axis(r, AXIS_KERNEL, yaml_need(r->diag, root, "kernels"), NULL);
	read_axis(r, AXIS_TO_KERNEL, yaml_get(root, "to-kernels"), "same");
	read_jumps(r);
	yaml_u64(r->diag, yaml_get(root, "repeat"), 1, 10000, &r->repeat);
	yaml_bool(r->diag, yaml_get(root, "kexec-checks"), &r->kexec_checks);
	read_limits(r, yaml_get(root, "limits"));
	read_watch(r);
	read_select(r);
}

static void make_plan(struct case_reader *r)
{
	struct points points = {0};
	size_t before = r->diag->n;

	case_make_points(r, &points);
	if (points.n > CASE_MAX_JOBS)
		yaml_error(r->diag, r->root, "%zu jobs, expected at most %d", points.n,
			   CASE_MAX_JOBS);
	else if (r->diag->n == before && !points.n)
		yaml_error(r->diag, r->root, "no job is left: everything is excluded");
	if (r->diag->n == before)
		case_make_jobs(r, &points);
	free(points.p);
}

static void read_files(struct case_reader *r, const char *case_path)
{
	struct yaml_doc *doc __free(yaml) = NULL;
	size_t before = r->diag->n;
	char digest[DIGEST_HEX_SIZE];

	case_note_file(r, r->paths->kernels);
	kernel_list_load(r->paths->kernels, r->diag, &r->plan->kernels);
	case_note_file(r, case_path);
	if (yaml_doc_load(case_path, r->diag, &doc))
		return;
	r->root = doc->root;
	read_case(r);
	if (r->diag->n == before)
		make_plan(r);
	digest_hex(r->read, digest);
	r->plan->digest = xstrdup(digest);
}

int plan_load(const char *case_path, const struct plan_paths *paths, struct diag *diag,
	      struct plan **ret)
{
	struct plan *plan __free(plan) = NULL;
	struct digest *read __free(digest) = digest_new();
	struct case_reader r = {.paths = paths, .diag = diag, .read = read, .repeat = 1};
	size_t before = diag->n, axis;

	*ret = NULL;
	xnew(plan);
	plan->path = xstrdup(case_path);
	r.plan = plan;
	read_files(&r, case_path);
	for (axis = 0; axis < N_AXES; axis++)
		free(r.axes.axis[axis].v);
	free(r.jumps);
	if (diag->n != before)
		return -EINVAL;
	*ret = steal_ptr(plan);
	return 0;
}

void plan_free(struct plan *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->n_jobs; i++)
		free(p->jobs[i].title);
	for (i = 0; i < p->n_machines; i++) {
		free(p->machines[i].name);
		free(p->machines[i].board);
		free(p->machines[i].cpu);
	}
	for (i = 0; i < p->n_profiles; i++)
		profile_free(p->profiles[i]);
	for (i = 0; i < p->n_warnings; i++)
		free(p->warnings[i]);
	kernel_list_free(p->kernels);
	free(p->jobs);
	free(p->machines);
	for (i = 0; i < p->n_boards; i++)
		board_free(p->boards[i]);
	free(p->boards);
	free(p->profiles);
	free(p->warnings);
	free(p->digest);
	free(p->name);
	free(p->path);
	free(p);
}

void plan_filter(struct plan *p, const char *pattern, unsigned int index, unsigned int count)
{
	size_t i, out = 0, hit = 0;

	for (i = 0; i < p->n_jobs; i++) {
		struct job *j = &p->jobs[i];
		bool keep = text_match(pattern, j->id) || text_match(pattern, j->title);

		if (keep && count)
			keep = hit++ % count == index - 1;
		if (keep)
			p->jobs[out++] = *j;
		else
			free(j->title);
	}
	p->n_jobs = out;
}
