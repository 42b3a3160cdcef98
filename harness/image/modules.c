// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/modules.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "image/below.h"

#define MAX_LIST_BYTES (16 << 20)

struct module {
	char *name;  /* with '_' */
	char *path;  /* into the text of modules.dep, as the next; NULL: built in */
	char *needs; /* blank-separated paths; "" if none */
	bool taken;
};

struct table {
	struct buf dep, builtin;
	struct module *m; /* sorted by name */
	size_t n;
};

void modules_fini(struct modules *m)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		free(m->paths[i]);
	free(m->paths);
	*m = (struct modules)MODULES_INIT;
}

static void table_fini(struct table *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		free(t->m[i].name);
	free(t->m);
	buf_fini(&t->dep);
	buf_fini(&t->builtin);
}

/* "kernel/drivers/gpu/drm/virtio/virtio-gpu.ko.xz" -> "virtio_gpu"; *returned*. */
static char *module_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const char *end = strstr(base, ".ko");
	char *name = xstrndup(base, end ? (size_t)(end - base) : strlen(base));
	char *p;

	for (p = name; *p; p++) {
		if (*p == '-')
			*p = '_';
	}
	return name;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct module *)a)->name, ((const struct module *)b)->name);
}

static struct module *find(struct table *t, const char *path_or_name)
{
	char *name __free(str) = module_name(path_or_name);
	struct module key = {.name = name};

	return t->n ? bsearch(&key, t->m, t->n, sizeof(key), by_name) : NULL;
}

static void read_dep(struct table *t)
{
	char *line, *next = t->dep.data;

	while (t->dep.len && (line = strsep(&next, "\n"))) {
		char *colon = strchr(line, ':');
		struct module *m;

		if (!colon)
			continue;
		*colon = '\0';
		m = array_push(t->m, t->n);
		m->name = module_name(line);
		m->path = line;
		m->needs = colon + 1;
	}
}

static void read_builtin(struct table *t)
{
	char *line, *next = t->builtin.data;

	while (t->builtin.len && (line = strsep(&next, "\n"))) {
		if (*line)
			array_push(t->m, t->n)->name = module_name(line);
	}
}

static int table_load(struct table *t, const char *dir, struct err *e)
{
	char *dep __free(str) = file_join(dir, "modules.dep");
	char *builtin __free(str) = file_join(dir, "modules.builtin");
	int rc = file_read(dep, MAX_LIST_BYTES, &t->dep, e);

	if (!rc && file_exists(builtin))
		rc = file_read(builtin, MAX_LIST_BYTES, &t->builtin, e);
	if (rc)
		return rc;
	read_dep(t);
	read_builtin(t);
	if (t->n)
		qsort(t->m, t->n, sizeof(*t->m), by_name);
	return 0;
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int take(struct table *t, struct module *m, struct modules *out, struct err *e);

/* Dependencies first; sorted, because depmod's order is that of its directory. */
static int take_needs(struct table *t, const struct module *m, struct modules *out, struct err *e)
{
	char *copy __free(str) = xstrdup(m->needs);
	char **needs = NULL, *word, *next = copy;
	size_t n = 0, i;
	int rc = 0;

	while ((word = strsep(&next, " \t"))) {
		if (*word)
			*array_push(needs, n) = word;
	}
	if (n)
		qsort(needs, n, sizeof(*needs), compare_strings);
	for (i = 0; !rc && i < n; i++) {
		struct module *need = find(t, needs[i]);

		if (need)
			rc = take(t, need, out, e);
		else
			rc = err_set(e, ENOENT, "module '%s' needs '%s', which is not there",
				     m->name, needs[i]);
	}
	free(needs);
	return rc;
}

static int take(struct table *t, struct module *m, struct modules *out, struct err *e)
{
	int rc;

	if (m->taken || !m->path)
		return 0;
	if (!below_is_safe(m->path))
		return err_set(e, EBADMSG, "modules.dep: '%s' leads out of it", m->path);
	m->taken = true; /* before its needs: modules.dep of a broken build may have a cycle */
	rc = take_needs(t, m, out, e);
	if (!rc)
		*array_push(out->paths, out->n) = xstrdup(m->path);
	return rc;
}

static int take_name(struct table *t, const char *wanted, const char *release, struct modules *out,
		     struct buf *warnings, struct err *e)
{
	size_t len = strlen(wanted);
	bool optional = len && wanted[len - 1] == '?';
	char *name __free(str) = xstrndup(wanted, len - optional);
	struct module *m = find(t, name);

	if (m)
		return take(t, m, out, e);
	if (!optional)
		return err_set(e, ENOENT, "kernel %s has no module '%s'", release, name);
	if (warnings)
		buf_addf(warnings, "kernel %s has no module '%s': left out\n", release, name);
	return 0;
}

int modules_closure(const char *dir, const char *release, char *const *names, size_t n,
		    struct modules *ret, struct buf *warnings, struct err *e)
{
	struct table t = {.dep = BUF_INIT, .builtin = BUF_INIT};
	struct modules out __free_modules = MODULES_INIT;
	size_t i;
	int rc = dir && n ? table_load(&t, dir, e) : 0;

	for (i = 0; !rc && i < n; i++)
		rc = take_name(&t, names[i], release, &out, warnings, e);
	table_fini(&t);
	if (rc)
		return rc;
	*ret = out;
	out = (struct modules)MODULES_INIT;
	return 0;
}
