// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/case.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/text.h"
#include "plan/case_read.h"

unsigned int case_axis_add(struct case_reader *r, enum axis axis, const char *word,
			   const void *object, unsigned int number)
{
	struct axis_values *values = &r->axes.axis[axis];
	struct axis_value *v;
	size_t i;

	for (i = 0; i < values->n; i++) {
		if (values->v[i].object == object && values->v[i].number == number)
			return (unsigned int)i;
	}
	v = array_push(values->v, values->n);
	v->word = word;
	v->object = object;
	v->number = number;
	return (unsigned int)(values->n - 1);
}

const struct kernel_spec *case_kernel(struct case_reader *r, const struct yaml_node *name)
{
	const struct kernel_list *l = r->plan->kernels;
	const char **names __free(names) = NULL;
	const char *text = yaml_text(r->diag, name, "a kernel's name"), *near;
	const struct kernel_spec *k;
	size_t i;

	if (!text || !l)
		return NULL;
	k = kernel_list_find(l, text);
	if (k)
		return k;
	names = xcalloc(l->n, sizeof(*names));
	for (i = 0; i < l->n; i++)
		names[i] = l->kernels[i].name;
	near = text_nearest(text, names, l->n);
	yaml_error(r->diag, name, "no kernel '%s' in '%s'%s%s%s", text, r->paths->kernels,
		   near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
	return NULL;
}

/* An overlay is compiled from images/dt, beside images/profiles. */
static void check_overlays(struct case_reader *r, const struct profile *p,
			   const struct yaml_node *node)
{
	size_t i;

	for (i = 0; i < p->n_overlays; i++) {
		const char *slash = strrchr(p->overlays[i], '/');
		const char *base = slash ? slash + 1 : p->overlays[i];
		const char *dot = strrchr(base, '.');
		int len = dot ? (int)(dot - base) : (int)strlen(base);
		char *path __free(str) =
			xasprintf("%s/../dt/%.*s.dtso", r->paths->profiles, len, base);

		if (!file_exists(path))
			yaml_error(r->diag, node, "profile '%s' wants overlay '%s': no '%s'", p->id,
				   p->overlays[i], path);
	}
}

static struct profile *load_profile(struct case_reader *r, const struct yaml_node *node,
				    const char *path)
{
	struct profile *p __free(profile) = NULL;
	struct err e __free_err = ERR_INIT;

	if (profile_load(path, r->diag, &p))
		return NULL;
	if (profile_check_bootable(p, &e)) {
		yaml_error(r->diag, node, "cannot jump to it: %s", err_msg(&e));
		return NULL;
	}
	check_overlays(r, p, node);
	return steal_ptr(p);
}

const struct profile *case_profile(struct case_reader *r, const struct yaml_node *name)
{
	const char *text = yaml_text(r->diag, name, "a profile's name");
	char *path __free(str) = NULL;
	struct profile *p;
	size_t i;

	if (!text)
		return NULL;
	path = strchr(text, '/') ? xstrdup(text)
				 : xasprintf("%s/%s.conf", r->paths->profiles, text);
	for (i = 0; i < r->plan->n_profiles; i++) {
		if (!strcmp(r->plan->profiles[i]->path, path))
			return r->plan->profiles[i];
	}
	if (!file_exists(path)) {
		yaml_error(r->diag, name, "no profile '%s': '%s' does not exist", text, path);
		return NULL;
	}
	p = load_profile(r, name, path);
	if (p)
		*array_push(r->plan->profiles, r->plan->n_profiles) = p;
	return p;
}

int case_axis_add_node(struct case_reader *r, enum axis axis, const struct yaml_node *node)
{
	static const char *const kinds[] = {"cold", "reboot", "kexec", "pivot"};
	static const char *const trees[] = {"profile", "live"};
	const struct kernel_spec *k;
	const struct profile *p;
	int i;

	switch (axis) {
	case AXIS_MACHINE:
		return 0; /* a pattern over the case's own machines: matches() reads it */
	case AXIS_KERNEL:
	case AXIS_TO_KERNEL:
		if (node->kind == YAML_SCALAR && strpbrk(node->text, "*?["))
			return 0;
		k = case_kernel(r, node);
		return k ? (int)case_axis_add(r, axis, k->name, k, 0) : -1;
	case AXIS_FROM:
	case AXIS_TO:
		if (node->kind == YAML_SCALAR && strpbrk(node->text, "*?["))
			return 0;
		p = case_profile(r, node);
		return p ? (int)case_axis_add(r, axis, p->id, p, 0) : -1;
	case AXIS_JUMP:
		i = yaml_word(r->diag, node, kinds, ARRAY_SIZE(kinds));
		return i < 0 ? -1 : (int)case_axis_add(r, axis, kinds[i], NULL, (unsigned int)i);
	case AXIS_DT:
		i = yaml_word(r->diag, node, trees, ARRAY_SIZE(trees));
		return i < 0 ? -1 : (int)case_axis_add(r, axis, trees[i], NULL, (unsigned int)i);
	}
	return -1;
}

static void read_axis(struct case_reader *r, enum axis axis, const struct yaml_node *list)
{
	size_t i;

	for (i = 0; i < yaml_len(list); i++)
		case_axis_add_node(r, axis, yaml_item(list, i));
}

/* jumps is an axis of kinds, or the whole list of {from, to, jump, dt}. */
static void read_jumps(struct case_reader *r, const struct yaml_node *root)
{
	const struct yaml_node *jumps = yaml_need(r->diag, root, "jumps");
	static const char *const own[] = {"from", "to", "dt", "include", "exclude", "select"};
	const struct yaml_node *other;
	size_t i;

	if (!jumps)
		return;
	r->explicit_jumps =
		jumps->kind == YAML_LIST && jumps->n && jumps->items[0]->kind == YAML_MAP;
	if (!r->explicit_jumps) {
		read_axis(r, AXIS_JUMP, jumps);
		read_axis(r, AXIS_FROM, yaml_need(r->diag, root, "from"));
		read_axis(r, AXIS_TO, yaml_need(r->diag, root, "to"));
		return;
	}
	for (i = 0; i < ARRAY_SIZE(own); i++) {
		other = yaml_get(root, own[i]);
		if (other)
			yaml_error(r->diag, other,
				   "'%s' has no meaning beside an explicit list of jumps", own[i]);
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

static void read_case(struct case_reader *r, const struct yaml_node *root)
{
	static const char *const keys[] = {"name",	 "description", "machines",    "kernels",
					   "to-kernels", "from",	"to",	       "jumps",
					   "dt",	 "repeat",	"select",      "include",
					   "exclude",	 "limits",	"kexec-checks"};
	static const char *const selects[] = {"all", "pairwise"};
	const struct yaml_node *select, *machines, *kernels, *to_kernels;
	int i;

	if (!yaml_want(r->diag, root, YAML_MAP, "the file"))
		return;
	yaml_check_keys(r->diag, root, keys, ARRAY_SIZE(keys));
	r->plan->name = xstrdup_null(yaml_text(r->diag, yaml_need(r->diag, root, "name"), "name"));
	machines = yaml_need(r->diag, root, "machines");
	if (machines)
		case_read_machines(r, machines);
	kernels = yaml_need(r->diag, root, "kernels");
	read_axis(r, AXIS_KERNEL, kernels);
	to_kernels = yaml_get(root, "to-kernels");
	if (to_kernels)
		read_axis(r, AXIS_TO_KERNEL, to_kernels);
	else
		case_axis_add(r, AXIS_TO_KERNEL, "same", NULL, 0);
	if (yaml_get(root, "dt"))
		read_axis(r, AXIS_DT, yaml_get(root, "dt"));
	else
		case_axis_add(r, AXIS_DT, "profile", NULL, DT_PROFILE);
	read_jumps(r, root);
	yaml_u64(r->diag, yaml_get(root, "repeat"), 1, 10000, &r->repeat);
	yaml_bool(r->diag, yaml_get(root, "kexec-checks"), &r->kexec_checks);
	read_limits(r, yaml_get(root, "limits"));
	select = yaml_get(root, "select");
	i = select ? yaml_word(r->diag, select, selects, ARRAY_SIZE(selects)) : SELECT_ALL;
	r->plan->select = i == SELECT_PAIRWISE ? SELECT_PAIRWISE : SELECT_ALL;
}

static void add_job(struct case_reader *r, const struct point *p)
{
	struct plan *plan = r->plan;
	struct job job = {0};
	size_t i;

	case_make_job(r, p, &job);
	for (i = 0; i < plan->n_jobs; i++) {
		if (strcmp(plan->jobs[i].id, job.id))
			continue;
		/* The same jump listed again is one more attempt of it. */
		if (r->explicit_jumps)
			plan->jobs[i].repeat += job.repeat;
		free(job.title);
		return;
	}
	*array_push(plan->jobs, plan->n_jobs) = job;
}

static void make_jobs(struct case_reader *r, const struct yaml_node *root)
{
	struct points points = {0};
	size_t i;

	case_make_points(r, root, &points);
	for (i = 0; i < points.n; i++)
		add_job(r, &points.p[i]);
	free(points.p);
	if (!r->plan->n_jobs && !r->diag->n)
		yaml_error(r->diag, root, "no job is left: the axes and blocks exclude everything");
}

int plan_load(const char *case_path, const struct plan_paths *paths, struct diag *diag,
	      struct plan **ret)
{
	struct yaml_doc *doc __free(yaml) = NULL;
	struct plan *plan __free(plan) = NULL;
	struct case_reader r = {.paths = paths, .diag = diag, .repeat = 1};
	struct buf text __free_buf = BUF_INIT;
	char digest[DIGEST_HEX_SIZE];
	size_t before = diag->n;
	int axis;

	*ret = NULL;
	xnew(plan);
	r.plan = plan;
	plan->path = xstrdup(case_path);
	kernel_list_load(paths->kernels, diag, &plan->kernels);
	if (yaml_doc_load(case_path, diag, &doc))
		return -EINVAL;
	read_case(&r, doc->root);
	if (diag->n == before)
		make_jobs(&r, doc->root);
	for (axis = 0; axis < N_AXES; axis++)
		free(r.axes.axis[axis].v);
	if (diag->n != before)
		return -EINVAL;
	for (axis = 0; axis < (int)plan->n_jobs; axis++)
		buf_addf(&text, "%s\n", plan->jobs[axis].id);
	digest_of(text.data, text.len, digest);
	plan->digest = xstrdup(digest);
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

struct json *job_json(const struct job *j)
{
	struct json *o = json_new_object(), *m = json_new_object();
	char ram[24];

	json_set_str(o, "job", j->id);
	json_set_str(o, "title", j->title);
	json_set_str(o, "from", j->from->id);
	json_set_str(o, "to", j->to->id);
	json_set_str(o, "kind", jump_kind_name(j->kind));
	json_set_str(o, "kernel", j->from_kernel->name);
	json_set_str(o, "to_kernel", j->to_kernel->name);
	json_set_str(o, "dt", dt_source_name(j->dt));
	text_format_size(j->machine->ram_bytes, ram, sizeof(ram));
	json_set_str(m, "name", j->machine->name);
	json_set_str(m, "board", j->machine->board);
	json_set_str(m, "ram", ram);
	json_set_str(m, "cpu", j->machine->cpu);
	json_set_str(m, "lpa2", lpa2_name(j->machine->lpa2));
	json_set_bool(m, "el2", j->machine->el2);
	json_set_int(m, "cpus", j->machine->cpus);
	json_set(o, "machine", m);
	json_set_int(o, "repeat", j->repeat);
	return o;
}
