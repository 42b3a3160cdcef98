// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * case_names.c - what the names in a case file stand for.
 */
#include <errno.h>
#include <glob.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "plan/case_read.h"

/* The machine's own tree is the only one that kjump has to give. */
#define BASE_TREE "base.dtb"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void no_such(struct case_reader *r, const struct yaml_node *node, const char *what,
		    const char *where, const char *const *names, size_t n)
{
	const char *near = text_nearest(node->text, names, n);

	yaml_error(r->diag, node, "no %s '%s' in '%s'%s%s%s", what, node->text, where,
		   near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static const struct kernel_spec *find_kernel(struct case_reader *r, const struct yaml_node *node)
{
	const struct kernel_list *l = r->plan->kernels;
	const char **names __free(names) = NULL;
	const struct kernel_spec *k;
	size_t i;

	/* Its own mistakes are reported already. */
	if (!l)
		return NULL;
	k = kernel_list_find(l, node->text);
	if (k && k->source == KERNEL_FILE && !file_exists(k->file.image)) {
		diag_add(r->diag, k->defined_in, k->line, k->col,
			 "kernel '%s': image '%s' does not exist", k->name, k->file.image);
		return NULL;
	}
	if (k)
		return k;
	names = xcalloc(l->n, sizeof(*names));
	for (i = 0; i < l->n; i++)
		names[i] = l->kernels[i].name;
	no_such(r, node, "kernel", r->paths->kernels, names, l->n);
	return NULL;
}

static const struct profile_field *field_of(const struct profile *p, const char *key,
					    const char *word)
{
	size_t i;

	for (i = 0; i < p->n_fields; i++) {
		if (!strcmp(p->fields[i].key, key) && strstr(p->fields[i].value, word))
			return &p->fields[i];
	}
	return NULL;
}

/* An overlay is compiled from images/dt, beside images/profiles; *returned*. */
static char *overlay_source(const struct case_reader *r, const char *base, size_t len)
{
	const char *profiles = r->paths->profiles;

	return xasprintf("%.*sdt/%.*s.dtso", (int)(base_name(profiles) - profiles), profiles,
			 (int)len, base);
}

static void check_overlay(struct case_reader *r, const struct profile *p, const char *overlay)
{
	const struct profile_field *f = field_of(p, "devicetree-overlay", overlay);
	unsigned int col = f->col + (unsigned int)(strstr(f->value, overlay) - f->value);
	const char *base = base_name(overlay), *end = strstr(base, ".dtbo");
	char *source __free(str) = NULL;

	if (!end || end == base || end[strlen(".dtbo")]) {
		diag_add(r->diag, p->path, f->line, col,
			 "overlay '%s': expected a name that ends in .dtbo", overlay);
		return;
	}
	source = overlay_source(r, base, (size_t)(end - base));
	if (!file_exists(source))
		diag_add(r->diag, p->path, f->line, col,
			 "overlay '%s': there is no '%s' to make it of", overlay, source);
}

static void check_trees(struct case_reader *r, const struct profile *p)
{
	const struct profile_field *f;
	size_t i;

	for (i = 0; i < p->n_overlays; i++)
		check_overlay(r, p, p->overlays[i]);
	if (!p->devicetree || !strcmp(base_name(p->devicetree), BASE_TREE))
		return;
	f = field_of(p, "devicetree", p->devicetree);
	diag_add(r->diag, p->path, f->line, f->col,
		 "devicetree '%s': expected /" BASE_TREE
		 ", which stands for the machine's own tree",
		 p->devicetree);
}

static void check_screen(struct case_reader *r, const struct profile *p)
{
	const struct profile_field *f;
	char *path __free(str) = NULL;

	if (!p->screen)
		return;
	path = profile_screen_path(p);
	f = field_of(p, "x-kjump-screen", p->screen);
	if (!file_exists(path))
		diag_add(r->diag, p->path, f->line, f->col, "screen '%s': there is no '%s'",
			 p->screen, path);
}

/* A profile that can be jumped to, or NULL (reported). */
static struct profile *load_profile(struct case_reader *r, const struct yaml_node *node,
				    const char *path)
{
	struct profile *p __free(profile) = NULL;
	struct err e __free_err = ERR_INIT;
	size_t before = r->diag->n, i;

	case_note_file(r, path);
	if (profile_load(path, r->diag, &p))
		return NULL;
	if (profile_check_bootable(p, &e)) {
		yaml_error(r->diag, node, "cannot jump there: %s", err_msg(&e));
		return NULL;
	}
	check_trees(r, p);
	check_screen(r, p);
	if (r->diag->n != before)
		return NULL;
	for (i = 0; i < p->n_warnings; i++)
		*array_push(r->plan->warnings, r->plan->n_warnings) =
			xasprintf("%s:%u:%u: %s", path, p->warnings[i].line, p->warnings[i].col,
				  p->warnings[i].text);
	return steal_ptr(p);
}

/* Length of the id in the file name "ID.conf" or "ID+LEFT-DONE.conf". */
static size_t id_len(const char *file)
{
	size_t len = strlen(file) - strlen(".conf"), plus = len;

	while (plus && strchr("0123456789-", file[plus - 1]))
		plus--;
	return plus > 1 && plus < len && file[plus - 1] == '+' ? plus - 1 : len;
}

/* The file of profile @node, *returned*; NULL (reported) if there is none. */
static char *find_profile_file(struct case_reader *r, const struct yaml_node *node)
{
	char *pattern __free(str) = file_join(r->paths->profiles, "*.conf");
	const char **ids __free(names) = NULL;
	char *found = NULL;
	glob_t g = {0};
	size_t i;

	if (glob(pattern, 0, NULL, &g))
		g.gl_pathc = 0;
	ids = xcalloc(g.gl_pathc, sizeof(*ids));
	for (i = 0; i < g.gl_pathc; i++) {
		char *id = g.gl_pathv[i] + (base_name(g.gl_pathv[i]) - g.gl_pathv[i]);

		if (!found && strlen(node->text) == id_len(id) &&
		    !strncmp(id, node->text, id_len(id)))
			found = xstrdup(g.gl_pathv[i]);
		id[id_len(id)] = '\0';
		ids[i] = id;
	}
	if (!found)
		no_such(r, node, "profile", r->paths->profiles, ids, g.gl_pathc);
	globfree(&g);
	return found;
}

static const struct profile *find_profile(struct case_reader *r, const struct yaml_node *node)
{
	char *path __free(str) = NULL;
	struct profile *p;
	size_t i;

	for (i = 0; i < r->plan->n_profiles; i++) {
		if (!strcmp(r->plan->profiles[i]->id, node->text))
			return r->plan->profiles[i];
	}
	path = find_profile_file(r, node);
	p = path ? load_profile(r, node, path) : NULL;
	if (p)
		*array_push(r->plan->profiles, r->plan->n_profiles) = p;
	return p;
}

static int resolve_kernel(struct case_reader *r, enum axis axis, const struct yaml_node *node,
			  struct axis_value *ret)
{
	const struct kernel_spec *k;

	if (axis == AXIS_TO_KERNEL && !strcmp(node->text, "same")) {
		ret->word = "same";
		return 1;
	}
	k = find_kernel(r, node);
	if (!k)
		return -1;
	ret->word = k->name;
	ret->object = k;
	return 1;
}

static int resolve_profile(struct case_reader *r, const struct yaml_node *node,
			   struct axis_value *ret)
{
	const struct profile *p = find_profile(r, node);

	if (!p)
		return -1;
	ret->word = p->id;
	ret->object = p;
	return 1;
}

static int resolve_word(struct case_reader *r, const struct yaml_node *node,
			const char *const *words, size_t n, struct axis_value *ret)
{
	int i = yaml_word(r->diag, node, words, n);

	if (i < 0)
		return -1;
	ret->word = words[i];
	ret->number = (unsigned int)i;
	return 1;
}

int case_resolve(struct case_reader *r, enum axis axis, const struct yaml_node *node,
		 struct axis_value *ret)
{
	static const char *const kinds[] = {[JUMP_COLD] = "cold",
					    [JUMP_REBOOT] = "reboot",
					    [JUMP_KEXEC] = "kexec",
					    [JUMP_PIVOT] = "pivot"};
	static const char *const trees[] = {[DT_PROFILE] = "profile", [DT_LIVE] = "live"};
	const char *text = yaml_text(r->diag, node, axis_keys[axis]);

	*ret = (struct axis_value){0};
	if (!text)
		return -1;
	if (strpbrk(text, "*?["))
		return 0;
	switch (axis) {
	case AXIS_MACHINE:
		return 0; /* the names of machines are made, not written */
	case AXIS_KERNEL:
	case AXIS_TO_KERNEL:
		return resolve_kernel(r, axis, node, ret);
	case AXIS_FROM:
	case AXIS_TO:
		return resolve_profile(r, node, ret);
	case AXIS_JUMP:
		return resolve_word(r, node, kinds, ARRAY_SIZE(kinds), ret);
	case AXIS_INJECT:
		return resolve_word(r, node, inject_names, N_INJECTS, ret);
	case AXIS_DT:
		return resolve_word(r, node, trees, ARRAY_SIZE(trees), ret);
	}
	return -1;
}
