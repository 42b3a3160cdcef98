// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/kernel.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "plan/kernel_build.h"
#include "plan/name.h"
#include "plan/yaml.h"

static const char *const top_keys[] = {"userland", "kernels"};
static const char *const debian_keys[] = {"source", "suite", "version", "flavour"};
static const char *const file_keys[] = {"source", "image", "config", "system-map", "modules"};
static const char *const sources[] = {
	[KERNEL_DEBIAN] = "debian",
	[KERNEL_FILE] = "file",
	[KERNEL_LINUX_SOURCE] = "linux-source",
	[KERNEL_TARBALL] = "tarball",
	[KERNEL_GIT] = "git",
};
static const char *const flavours[] = {"plain", "cloud", "16k", "rt"};

char *kernel_need_name(struct diag *diag, const struct yaml_node *map, const char *key)
{
	const struct yaml_node *node = yaml_need(diag, map, key);
	const char *text = yaml_text(diag, node, key);

	if (text && !name_is_plain(text)) {
		yaml_error(diag, node, "%s '%s': expected letters, digits and . _ + ~ -", key,
			   text);
		text = NULL;
	}
	return xstrdup_null(text);
}

static void read_debian(struct diag *diag, const struct yaml_node *map, struct kernel_spec *spec)
{
	const struct yaml_node *flavour;
	int i = 0;

	yaml_check_keys(diag, map, debian_keys, ARRAY_SIZE(debian_keys));
	spec->debian.suite = kernel_need_name(diag, map, "suite");
	spec->debian.version = kernel_need_name(diag, map, "version");
	flavour = yaml_get(map, "flavour");
	if (flavour)
		i = yaml_word(diag, flavour, flavours, ARRAY_SIZE(flavours));
	if (i >= 0)
		spec->debian.flavour = xstrdup(flavours[i]);
}

char *kernel_path(const struct yaml_node *node, const char *text)
{
	const char *slash;
	char *dir __free(str) = NULL, *base __free(str) = NULL, *real;

	if (*text == '/')
		return xstrdup(text);
	slash = strrchr(node->file, '/');
	dir = slash ? xstrndup(node->file, (size_t)(slash - node->file) + 1) : xstrdup("./");
	base = realpath(dir, NULL);
	real = file_join(base ? base : dir, text);
	return real;
}

static char *read_path(struct diag *diag, const struct yaml_node *map, const char *key)
{
	const struct yaml_node *node = yaml_get(map, key);
	const char *text = node ? yaml_text(diag, node, key) : NULL;

	return text ? kernel_path(node, text) : NULL;
}

static void read_file(struct diag *diag, const struct yaml_node *map, struct kernel_spec *spec)
{
	yaml_check_keys(diag, map, file_keys, ARRAY_SIZE(file_keys));
	yaml_need(diag, map, "image");
	spec->file.image = read_path(diag, map, "image");
	spec->file.config = read_path(diag, map, "config");
	spec->file.system_map = read_path(diag, map, "system-map");
	spec->file.modules = read_path(diag, map, "modules");
}

static void read_kernel(struct diag *diag, const struct yaml_node *key, const struct yaml_node *map,
			struct kernel_list *list)
{
	struct kernel_spec *spec = array_push(list->kernels, list->n);
	const struct yaml_node *source;
	int i;

	spec->name = xstrdup(key->text);
	spec->defined_in = xstrdup(key->file);
	spec->line = key->line;
	spec->col = key->col;
	if (!name_is_plain(key->text))
		yaml_error(diag, key, "kernel '%s': expected letters, digits and . _ + ~ -",
			   key->text);
	if (!yaml_want(diag, map, YAML_MAP, "a kernel"))
		return;
	source = yaml_need(diag, map, "source");
	i = source ? yaml_word(diag, source, sources, ARRAY_SIZE(sources)) : -1;
	if (i < 0)
		return;
	spec->source = (enum kernel_source)i;
	switch (spec->source) {
	case KERNEL_DEBIAN:
		read_debian(diag, map, spec);
		break;
	case KERNEL_FILE:
		read_file(diag, map, spec);
		break;
	case KERNEL_LINUX_SOURCE:
	case KERNEL_TARBALL:
	case KERNEL_GIT:
		kernel_build_read(diag, map, spec);
		break;
	}
}

static void read_userland(struct diag *diag, const struct yaml_node *root, struct kernel_list *list)
{
	static const char *const keys[] = {"suite"};
	const struct yaml_node *map = yaml_need(diag, root, "userland");

	if (!map || !yaml_want(diag, map, YAML_MAP, "userland"))
		return;
	yaml_check_keys(diag, map, keys, ARRAY_SIZE(keys));
	list->userland_suite = kernel_need_name(diag, map, "suite");
}

static void read_list(struct diag *diag, const struct yaml_node *root, struct kernel_list *list)
{
	const struct yaml_node *kernels;
	size_t i;

	if (!yaml_want(diag, root, YAML_MAP, "the file"))
		return;
	yaml_check_keys(diag, root, top_keys, ARRAY_SIZE(top_keys));
	read_userland(diag, root, list);
	kernels = yaml_need(diag, root, "kernels");
	if (!kernels || !yaml_want(diag, kernels, YAML_MAP, "kernels"))
		return;
	for (i = 0; i < kernels->n; i++)
		read_kernel(diag, kernels->keys[i], kernels->items[i], list);
	kernel_build_add_prefixes(diag, list);
}

int kernel_list_load(const char *path, struct diag *diag, struct kernel_list **ret)
{
	struct yaml_doc *doc __free(yaml) = NULL;
	struct kernel_list *list __free(kernel_list) = NULL;
	size_t before = diag->n;

	*ret = NULL;
	if (yaml_doc_load(path, diag, &doc))
		return -EINVAL;
	xnew(list);
	read_list(diag, doc->root, list);
	if (diag->n != before)
		return -EINVAL;
	*ret = steal_ptr(list);
	return 0;
}

static void spec_fini(struct kernel_spec *spec)
{
	free(spec->name);
	free(spec->defined_in);
	switch (spec->source) {
	case KERNEL_DEBIAN:
		free(spec->debian.suite);
		free(spec->debian.version);
		free(spec->debian.flavour);
		break;
	case KERNEL_FILE:
		free(spec->file.image);
		free(spec->file.config);
		free(spec->file.system_map);
		free(spec->file.modules);
		break;
	case KERNEL_LINUX_SOURCE:
	case KERNEL_TARBALL:
	case KERNEL_GIT:
		kernel_build_fini(&spec->build);
		break;
	}
}

void kernel_list_free(struct kernel_list *l)
{
	size_t i;

	if (!l)
		return;
	for (i = 0; i < l->n; i++)
		spec_fini(&l->kernels[i]);
	free(l->kernels);
	free(l->userland_suite);
	free(l);
}

bool kernel_is_built(const struct kernel_spec *k)
{
	return k->source == KERNEL_LINUX_SOURCE || k->source == KERNEL_TARBALL ||
	       k->source == KERNEL_GIT;
}

const struct kernel_spec *kernel_list_find(const struct kernel_list *l, const char *name)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		if (!strcmp(l->kernels[i].name, name))
			return &l->kernels[i];
	}
	return NULL;
}
