// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gc.c - removes from the cache what is not wanted any more.
 */
#include "image/image.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "image/build.h"
#include "image/ctx.h"
#include "image/packages.h"
#include "image/source.h"
#include "image/userland.h"

DEFINE_FREE(dir, DIR *, if (_v) closedir(_v));
DEFINE_FREE(fts, FTS *, if (_v) fts_close(_v));

/* Names of files and directories in the cache that stay, whatever folder they are in. */
struct keep {
	char **names;
	size_t n;
};

static void keep_fini(struct keep *k)
{
	apt_names_free(k->names, k->n);
}

static void keep_name(struct keep *k, char *name_taken)
{
	*array_push(k->names, k->n) = name_taken;
}

static bool kept(const struct keep *k, const char *name)
{
	size_t i;

	for (i = 0; i < k->n; i++) {
		if (!strcmp(k->names[i], name))
			return true;
	}
	return false;
}

/* What the index says that @what is made of: its entry, and its packages. */
static void keep_packages(struct keep *k, const struct cache *c, const char *what,
			  const char *format)
{
	struct packages l __free_packages = PACKAGES_INIT;
	char id[DIGEST_HEX_SIZE];
	size_t i;

	if (packages_load(c, what, &l, NULL))
		return;
	keep_name(k, packages_index_name(what));
	for (i = 0; i < l.n; i++)
		keep_name(k, xasprintf("%s.deb", l.p[i].sha256));
	if (!format)
		return;
	packages_id(&l, format, id);
	keep_name(k, xstrdup(id));
}

/* The source, and the workspace in which the next kernel of a series is made. */
static void keep_build(struct keep *k, struct image_ctx *c, const struct kernel_spec *spec)
{
	char *what __free(str) = NULL;
	char id[DIGEST_HEX_SIZE];

	if (spec->source == KERNEL_LINUX_SOURCE) {
		what = source_index_key(&spec->build);
		keep_packages(k, c->cache, what, NULL);
	}
	if (build_workspace_id(c, spec, id, NULL))
		return;
	keep_name(k, xstrdup("sources.git"));
	keep_name(k, xstrdup("sources.git.lock"));
	keep_name(k, xstrdup(id));
	keep_name(k, xasprintf("%s.lock", id));
}

static void keep_kernel(struct keep *k, struct image_ctx *c, const struct kernel_spec *spec)
{
	char *what __free(str) = NULL;
	char id[DIGEST_HEX_SIZE];

	if (!image_kernel_id(c, spec, id, NULL))
		keep_name(k, xstrdup(id));
	if (kernel_is_built(spec))
		keep_build(k, c, spec);
	if (spec->source != KERNEL_DEBIAN)
		return;
	what = image_kernel_index_key(spec);
	keep_packages(k, c->cache, what, NULL);
}

/* Adds up what a tree is made of; a file that vanishes meanwhile counts nothing. */
static void measure(const char *path, struct image_gc_result *r)
{
	char *const paths[] = {(char *)path, NULL};
	FTS *fts __free(fts) = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *ent;

	while (fts && (ent = fts_read(fts))) {
		if (ent->fts_info != FTS_F && ent->fts_info != FTS_SL)
			continue;
		r->files++;
		r->bytes += (uint64_t)ent->fts_statp->st_size;
	}
}

static int sweep(const struct cache *c, const char *sub, const struct keep *k,
		 struct image_gc_result *r, struct err *e)
{
	char *path __free(str) = file_join(cache_dir(c), sub);
	DIR *dir __free(dir) = opendir(path);
	struct dirent *d;
	int rc = 0;

	if (!dir)
		return err_errno(e, errno, "cannot read '%s'", path);
	while (!rc && (d = readdir(dir))) {
		char *name __free(str) = NULL;

		if (d->d_name[0] == '.' || kept(k, d->d_name))
			continue;
		name = file_join(path, d->d_name);
		measure(name, r);
		rc = file_remove_tree(name, e);
	}
	return rc;
}

int image_gc(struct image_ctx *c, const struct kernel_spec *keep, size_t n,
	     struct image_gc_result *ret, struct err *e)
{
	/* Not apt's state: its lists are fetched anew when they are old anyway. */
	static const char *const subs[] = {"index",    "debs",	    "kernels",
					   "userland", "initramfs", "build"};
	struct keep k __cleanup(keep_fini) = {NULL, 0};
	struct image_gc_result r = {0, 0};
	size_t i;
	int rc = cache_lock_alone(c->cache, e);

	if (!rc)
		rc = cache_sweep(c->cache, e);
	if (!rc && c->userland_suite) {
		char *what __free(str) = userland_index_key(c->userland_suite);

		keep_packages(&k, c->cache, what, USERLAND_FORMAT);
	}
	for (i = 0; !rc && i < n; i++)
		keep_kernel(&k, c, &keep[i]);
	for (i = 0; !rc && i < ARRAY_SIZE(subs); i++)
		rc = sweep(c->cache, subs[i], &k, &r, e);
	*ret = r;
	return rc;
}
