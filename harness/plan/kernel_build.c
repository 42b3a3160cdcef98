// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/kernel_build.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

#define MAX_SERIES_BYTES (1 << 20)
#define MAX_PATCHES	 1000

static void add_patch(struct kernel_build *b, char *path_taken)
{
	*array_push(b->patches, b->n_patches) = path_taken;
}

/* The patches that DIR/series names. */
static void read_series(struct diag *diag, const struct yaml_node *node, const char *dir,
			const char *series, struct kernel_build *b)
{
	struct buf text __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	unsigned int number = 0;
	char *line, *next;

	if (file_read(series, MAX_SERIES_BYTES, &text, &e)) {
		yaml_error(diag, node, "patches: %s", err_msg(&e));
		return;
	}
	next = text.len ? text.data : NULL;
	while ((line = strsep(&next, "\n"))) {
		char *path __free(str) = NULL;

		number++;
		line += strspn(line, " \t");
		line[strcspn(line, "# \t\r")] = '\0';
		if (!*line)
			continue;
		path = file_join(dir, line);
		if (!file_exists(path))
			diag_add(diag, series, number, 1, "there is no patch '%s'", line);
		else
			add_patch(b, steal_ptr(path));
	}
}

static void read_patch(struct diag *diag, const struct yaml_node *node, struct kernel_spec *spec)
{
	const char *text = yaml_text(diag, node, "a patch");
	char *path __free(str) = NULL, *series __free(str) = NULL;

	if (!text)
		return;
	path = kernel_path(node, text);
	series = file_join(path, "series");
	if (file_exists(series))
		read_series(diag, node, path, series, &spec->build);
	else if (file_exists(path))
		add_patch(&spec->build, steal_ptr(path));
	else if (spec->source == KERNEL_GIT && strstr(text, "..") && *text != '-')
		add_patch(&spec->build, xstrdup(text));
	else
		yaml_error(diag, node, "patches: there is no '%s'%s", path,
			   spec->source == KERNEL_GIT ? ", and it is no range A..B" : "");
}

static void read_fragments(struct diag *diag, const struct yaml_node *list, struct kernel_build *b)
{
	size_t i;

	for (i = 0; i < yaml_len(list); i++) {
		const struct yaml_node *node = yaml_item(list, i);
		const char *text = yaml_text(diag, node, "a fragment");
		char *path __free(str) = NULL, *name __free(str) = NULL;

		if (!text)
			continue;
		/* A plain name is one of those that come with kjump. */
		name = strchr(text, '/') ? xstrdup(text) : xasprintf("config/%s.fragment", text);
		path = kernel_path(node, name);
		if (!file_exists(path))
			yaml_error(diag, node, "config: there is no '%s'", path);
		else
			*array_push(b->config, b->n_config) = steal_ptr(path);
	}
}

static char *need_path(struct diag *diag, const struct yaml_node *map, const char *key)
{
	const struct yaml_node *node = yaml_need(diag, map, key);
	const char *text = yaml_text(diag, node, key);
	char *path __free(str) = text ? kernel_path(node, text) : NULL;

	if (path && !file_exists(path))
		yaml_error(diag, node, "%s: there is no '%s'", key, path);
	return steal_ptr(path);
}

static void read_source(struct diag *diag, const struct yaml_node *map, struct kernel_spec *spec)
{
	static const char *const debian[] = {"source",	"suite",  "package",
					     "patches", "config", "compiler"};
	static const char *const tarball[] = {"source", "path", "patches", "config", "compiler"};
	static const char *const git[] = {"source",  "tree",   "revision",
					  "patches", "config", "compiler"};
	struct kernel_build *b = &spec->build;
	const char *text;

	switch (spec->source) {
	case KERNEL_LINUX_SOURCE:
		yaml_check_keys(diag, map, debian, ARRAY_SIZE(debian));
		b->suite = kernel_need_name(diag, map, "suite");
		b->package = kernel_need_name(diag, map, "package");
		return;
	case KERNEL_TARBALL:
		yaml_check_keys(diag, map, tarball, ARRAY_SIZE(tarball));
		b->path = need_path(diag, map, "path");
		return;
	case KERNEL_GIT:
		yaml_check_keys(diag, map, git, ARRAY_SIZE(git));
		b->path = need_path(diag, map, "tree");
		text = yaml_text(diag, yaml_need(diag, map, "revision"), "revision");
		if (text && *text == '-')
			yaml_error(diag, yaml_get(map, "revision"), "'%s' is no revision", text);
		b->revision = xstrdup_null(text);
		return;
	case KERNEL_DEBIAN:
	case KERNEL_FILE:
		return;
	}
}

void kernel_build_read(struct diag *diag, const struct yaml_node *map, struct kernel_spec *spec)
{
	static const char *const compilers[] = {[COMPILER_GCC] = "gcc", [COMPILER_CLANG] = "clang"};
	const struct yaml_node *patches = yaml_get(map, "patches");
	const struct yaml_node *compiler = yaml_get(map, "compiler");
	const struct yaml_node *config;
	size_t i;

	read_source(diag, map, spec);
	for (i = 0; i < yaml_len(patches); i++)
		read_patch(diag, yaml_item(patches, i), spec);
	if (spec->build.n_patches > MAX_PATCHES)
		yaml_error(diag, patches, "%zu patches, expected at most %d", spec->build.n_patches,
			   MAX_PATCHES);
	config = yaml_need(diag, map, "config");
	read_fragments(diag, config, &spec->build);
	if (config && !yaml_len(config))
		yaml_error(diag, config, "an empty list: a kernel needs a configuration");
	if (compiler)
		spec->build.compiler = yaml_word(diag, compiler, compilers,
						 ARRAY_SIZE(compilers)) == COMPILER_CLANG
					       ? COMPILER_CLANG
					       : COMPILER_GCC;
}

void kernel_build_fini(struct kernel_build *b)
{
	free(b->suite);
	free(b->package);
	free(b->path);
	free(b->revision);
	strings_free(b->patches, b->n_patches);
	strings_free(b->config, b->n_config);
}

static char **copy_list(char *const *from, size_t n)
{
	char **list = xcalloc(n + 1, sizeof(*list));
	size_t i;

	for (i = 0; i < n; i++)
		list[i] = xstrdup(from[i]);
	return list;
}

static void copy_prefix(const struct kernel_spec *from, size_t n, struct kernel_spec *to)
{
	const struct kernel_build *f = &from->build;

	to->name = xasprintf("%s+%zu", from->name, n);
	to->source = from->source;
	to->defined_in = xstrdup(from->defined_in);
	to->line = from->line;
	to->col = from->col;
	to->build = (struct kernel_build){
		.suite = xstrdup_null(f->suite),
		.package = xstrdup_null(f->package),
		.path = xstrdup_null(f->path),
		.revision = xstrdup_null(f->revision),
		.patches = copy_list(f->patches, n),
		.n_patches = n,
		.config = copy_list(f->config, f->n_config),
		.n_config = f->n_config,
		.compiler = f->compiler,
		.is_prefix = true,
	};
}

void kernel_build_add_prefixes(struct diag *diag, struct kernel_list *list)
{
	size_t written = list->n, i, k;

	for (i = 0; i < written; i++) {
		size_t n =
			kernel_is_built(&list->kernels[i]) ? list->kernels[i].build.n_patches : 0;

		for (k = 0; k < n; k++) {
			char *name __free(str) = xasprintf("%s+%zu", list->kernels[i].name, k);
			struct kernel_spec *prefix;

			if (kernel_list_find(list, name)) {
				diag_add(diag, list->kernels[i].defined_in, list->kernels[i].line,
					 list->kernels[i].col,
					 "'%s' names the beginning of this kernel's series, and a "
					 "kernel of its own",
					 name);
				continue;
			}
			prefix = array_push(list->kernels, list->n);
			copy_prefix(&list->kernels[i], k, prefix);
		}
	}
}
