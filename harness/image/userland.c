// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/userland.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "image/deb.h"
#include "image/packages.h"

#define BUSYBOX "busybox-static/usr/bin/busybox"
#define KEXEC	"kexec-tools/usr/sbin/kexec"

static const char *const roots[] = {"busybox-static", "kexec-tools"};

/* Directories that Debian's dynamic loader searches, below each package. */
static const char *const lib_dirs[] = {"usr/lib/aarch64-linux-gnu", "usr/lib"};

void userland_free(struct userland *u)
{
	if (!u)
		return;
	free(u->busybox);
	free(u->kexec);
	elf_libs_fini(&u->libs);
	free(u);
}

/* Programs and libraries; see deb_place_fn. */
static char *place(const char *path, void *arg)
{
	const char *package = arg;

	if (!strcmp(path, "usr/bin/busybox") || !strcmp(path, "usr/sbin/kexec") ||
	    (!strncmp(path, "usr/lib/", 8) && strstr(path, ".so")))
		return xasprintf("%s/%s", package, path);
	return NULL;
}

static int unpack(struct image_ctx *c, const struct apt_package *p, const char *dir, struct err *e)
{
	char *deb __free(str) = NULL;
	int rc = apt_fetch(image_apt(c, c->userland_suite), p, &deb, e);

	return rc ? rc : deb_unpack(deb, dir, place, p->name, e);
}

/* What the programs need, looked up in the packages unpacked below @dir. */
static int find_libs(const char *dir, const struct packages *l, struct elf_libs *libs,
		     struct err *e)
{
	static const char *const programs[] = {BUSYBOX, KEXEC};
	char **dirs = NULL;
	size_t n = 0, i, j;
	int rc = 0;

	for (i = 0; i < l->n; i++) {
		for (j = 0; j < ARRAY_SIZE(lib_dirs); j++)
			*array_push(dirs, n) =
				xasprintf("%s/%s/%s", dir, l->p[i].name, lib_dirs[j]);
	}
	for (i = 0; !rc && i < ARRAY_SIZE(programs); i++) {
		char *program __free(str) = file_join(dir, programs[i]);

		rc = elf_closure(program, dirs, n, libs, e);
	}
	apt_names_free(dirs, n);
	return rc;
}

static const struct elf_lib *first_missing(const struct elf_libs *libs)
{
	size_t i;

	for (i = 0; i < libs->n; i++) {
		if (!libs->libs[i].path)
			return &libs->libs[i];
	}
	return NULL;
}

/* The package that the file @path below @dir came from. */
static const struct apt_package *owner(const char *dir, const struct packages *l, const char *path)
{
	const char *below = path + strlen(dir) + 1;
	char *name __free(str) = xstrndup(below, strcspn(below, "/"));

	return packages_find(l, name);
}

struct next_dependency {
	struct apt *apt;
	const struct packages *have;
	struct apt_package found;
	struct err *e;
};

static int take_if_new(const char *name, void *arg)
{
	struct next_dependency *n = arg;
	int rc = packages_find(n->have, name) ? -ENOENT : apt_show(n->apt, name, &n->found, n->e);

	if (rc == -ENOENT)
		return 0; /* there already, or only other packages provide it */
	return rc ? rc : 1;
}

/*
 * Fetches one more package for a library that is missing: the next dependency
 * of the package whose file needs it. Debian's own build puts the package of
 * every library there, and ahead of those that a person added.
 */
static int add_dependency(struct image_ctx *c, const char *dir, struct packages *l,
			  const struct elf_lib *missing, struct err *e)
{
	const struct apt_package *p = owner(dir, l, missing->needed_by);
	struct next_dependency next = {image_apt(c, c->userland_suite), l, {0}, e};
	int rc = p ? packages_each_dependency(p->depends, take_if_new, &next) : 0;

	if (rc < 0)
		return rc;
	if (!rc)
		return err_set(e, ENOENT, "no package that '%s' depends on has '%s'",
			       p ? p->name : missing->needed_by, missing->name);
	rc = unpack(c, &next.found, dir, e);
	packages_add(l, &next.found);
	return rc;
}

static int complete(struct image_ctx *c, const char *dir, struct packages *l, struct err *e)
{
	for (;;) {
		struct elf_libs libs __free_elf_libs = ELF_LIBS_INIT;
		const struct elf_lib *missing;
		int rc = find_libs(dir, l, &libs, e);

		missing = rc ? NULL : first_missing(&libs);
		if (!missing)
			return rc;
		rc = add_dependency(c, dir, l, missing, e);
		if (rc)
			return rc;
	}
}

/* Finds out which packages it takes, unpacking them into @dir on the way. */
static int resolve(struct image_ctx *c, const char *dir, struct packages *l, struct err *e)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < ARRAY_SIZE(roots); i++) {
		struct apt_package p;

		rc = apt_show(image_apt(c, c->userland_suite), roots[i], &p, e);
		if (rc)
			break;
		rc = unpack(c, &p, dir, e);
		packages_add(l, &p);
	}
	return rc ? rc : complete(c, dir, l, e);
}

static int make(struct image_ctx *c, const char *what, struct packages *l, struct err *e)
{
	struct cache_tmp tmp __free_cache_tmp = CACHE_TMP_INIT;
	char *made __free(str) = NULL, *to __free(str) = NULL;
	char id[DIGEST_HEX_SIZE];
	size_t i;
	int rc = cache_tmp_init(&tmp, c->cache, e);

	if (rc)
		return rc;
	made = file_join(tmp.path, "userland");
	rc = file_mkdir(made, 0755, e);
	for (i = 0; !rc && i < l->n; i++)
		rc = unpack(c, &l->p[i], made, e);
	if (!rc && !l->n)
		rc = resolve(c, made, l, e);
	if (rc)
		return rc;
	packages_id(l, USERLAND_FORMAT, id);
	to = cache_path(c->cache, "userland", id);
	rc = cache_publish(made, to, e);
	return rc ? rc : packages_save(c->cache, what, l, e);
}

static int load(struct image_ctx *c, const struct packages *l, struct userland **ret, struct err *e)
{
	struct userland *u __free(userland) = NULL;
	char *dir __free(str) = NULL;
	const struct elf_lib *missing;
	int rc;

	xnew(u);
	packages_id(l, USERLAND_FORMAT, u->id);
	dir = cache_path(c->cache, "userland", u->id);
	u->busybox = file_join(dir, BUSYBOX);
	u->kexec = file_join(dir, KEXEC);
	rc = find_libs(dir, l, &u->libs, e);
	if (rc)
		return rc;
	missing = first_missing(&u->libs);
	if (missing)
		return err_set(e, EBADMSG, "'%s' is damaged: no '%s'; remove it", dir,
			       missing->name);
	*ret = steal_ptr(u);
	return 0;
}

char *userland_index_key(const char *suite)
{
	return xasprintf("userland %s", suite);
}

int userland_get(struct image_ctx *c, struct userland **ret, struct err *e)
{
	struct packages l __free_packages = PACKAGES_INIT;
	char *what __free(str) = NULL, *dir __free(str) = NULL;
	char id[DIGEST_HEX_SIZE];
	int rc = 0;

	if (!c->userland_suite)
		return err_set(e, EINVAL, "no suite is set for the initramfs's programs");
	what = userland_index_key(c->userland_suite);
	if (!c->refresh)
		packages_load(c->cache, what, &l, NULL);
	if (l.n) {
		packages_id(&l, USERLAND_FORMAT, id);
		dir = cache_path(c->cache, "userland", id);
	}
	if (!dir || !file_exists(dir))
		rc = make(c, what, &l, e);
	if (!rc)
		rc = load(c, &l, ret, e);
	return rc ? err_prefix(e, rc, "programs from %s", c->userland_suite) : 0;
}
