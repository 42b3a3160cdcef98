// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/image.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "image/build.h"
#include "image/ctx.h"
#include "image/debian.h"
#include "image/kernel.h"
#include "image/packages.h"
#include "image/userland.h"

int image_ctx_new(const struct image_opts *opts, struct image_ctx **ret, struct err *e)
{
	struct image_ctx *c __free(image_ctx) = NULL;
	int rc;

	xnew(c);
	c->images_dir = xstrdup_null(opts->images_dir);
	c->dt_dir = xstrdup_null(opts->dt_dir);
	c->mirror = xstrdup_null(opts->mirror);
	c->userland_suite = xstrdup_null(opts->userland_suite);
	c->refresh = opts->refresh;
	c->build_step = opts->build_step;
	c->build_arg = opts->build_arg;
	rc = cache_open(&c->cache, e);
	if (!rc)
		rc = cache_sweep(c->cache, e);
	if (rc)
		return err_prefix(e, rc, "cache");
	*ret = steal_ptr(c);
	return 0;
}

void image_ctx_free(struct image_ctx *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->n_apts; i++)
		apt_free(c->apts[i]);
	free(c->apts);
	free(c->images_dir);
	free(c->dt_dir);
	free(c->mirror);
	free(c->userland_suite);
	cache_free(c->cache);
	free(c);
}

struct apt *image_apt(struct image_ctx *c, const char *suite)
{
	size_t i;

	for (i = 0; i < c->n_apts; i++) {
		if (!strcmp(apt_suite(c->apts[i]), suite))
			return c->apts[i];
	}
	return *array_push(c->apts, c->n_apts) = apt_new(c->cache, suite, c->mirror);
}

char *image_kernel_index_key(const struct kernel_spec *spec)
{
	return xasprintf("kernel %s %s %s", spec->debian.suite, spec->debian.version,
			 spec->debian.flavour);
}

/* The packages of a kernel: from the index, or from the archive. */
static int resolve(struct image_ctx *c, const struct kernel_spec *spec, struct packages *ret,
		   struct err *e)
{
	char *what __free(str) = image_kernel_index_key(spec);
	int rc;

	if (!c->refresh && !packages_load(c->cache, what, ret, NULL))
		return 0;
	rc = debian_kernel(image_apt(c, spec->debian.suite), spec->debian.version,
			   spec->debian.flavour, ret, e);
	return rc ? rc : packages_save(c->cache, what, ret, e);
}

static int fetch_and_unpack(struct image_ctx *c, const struct kernel_spec *spec,
			    const struct packages *l, const char *id, struct err *e)
{
	struct apt *apt = image_apt(c, spec->debian.suite);
	char **debs = xcalloc(l->n, sizeof(*debs));
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < l->n; i++)
		rc = apt_fetch(apt, &l->p[i], &debs[i], e);
	if (!rc)
		rc = kernel_from_packages(c->cache, id, l, debs, e);
	apt_names_free(debs, l->n);
	return rc;
}

static int debian_files(struct image_ctx *c, const struct kernel_spec *spec,
			struct kernel_files **ret, struct err *e)
{
	struct packages l __free_packages = PACKAGES_INIT;
	char id[DIGEST_HEX_SIZE];
	int rc = resolve(c, spec, &l, e);

	if (rc)
		return rc;
	packages_id(&l, KERNEL_FORMAT, id);
	rc = kernel_load(c->cache, id, ret, e);
	if (rc != -ENOENT)
		return rc;
	rc = fetch_and_unpack(c, spec, &l, id, e);
	return rc ? rc : kernel_load(c->cache, id, ret, e);
}

static int given_files(struct image_ctx *c, const struct kernel_spec *spec,
		       struct kernel_files **ret, struct err *e)
{
	char id[DIGEST_HEX_SIZE];
	int rc = kernel_files_id(spec, id, e);

	if (!rc)
		rc = kernel_load(c->cache, id, ret, e);
	if (rc != -ENOENT)
		return rc;
	rc = kernel_from_files(c->cache, id, spec, e);
	return rc ? rc : kernel_load(c->cache, id, ret, e);
}

static int built_files(struct image_ctx *c, const struct kernel_spec *spec,
		       struct kernel_files **ret, struct err *e)
{
	char id[DIGEST_HEX_SIZE];
	int rc = build_id(c, spec, true, id, e);

	if (!rc)
		rc = kernel_load(c->cache, id, ret, e);
	if (rc != -ENOENT)
		return rc;
	rc = build_kernel(c, spec, id, e);
	return rc ? rc : kernel_load(c->cache, id, ret, e);
}

int image_kernel(struct image_ctx *c, const struct kernel_spec *spec, struct kernel_files **ret,
		 struct err *e)
{
	int rc = 0;

	switch (spec->source) {
	case KERNEL_DEBIAN:
		rc = debian_files(c, spec, ret, e);
		break;
	case KERNEL_FILE:
		rc = given_files(c, spec, ret, e);
		break;
	case KERNEL_LINUX_SOURCE:
	case KERNEL_TARBALL:
	case KERNEL_GIT:
		rc = built_files(c, spec, ret, e);
		break;
	}
	return rc ? err_prefix(e, rc, "kernel '%s'", spec->name) : 0;
}

int image_kernel_id(struct image_ctx *c, const struct kernel_spec *spec,
		    char ret_id[DIGEST_HEX_SIZE], struct err *e)
{
	struct packages l __free_packages = PACKAGES_INIT;
	char *what __free(str) = NULL;
	int rc;

	if (spec->source == KERNEL_FILE)
		return kernel_files_id(spec, ret_id, e);
	if (kernel_is_built(spec))
		return build_id(c, spec, false, ret_id, e);
	what = image_kernel_index_key(spec);
	rc = packages_load(c->cache, what, &l, e);
	if (!rc)
		packages_id(&l, KERNEL_FORMAT, ret_id);
	return rc;
}

int image_kernel_cached(struct image_ctx *c, const struct kernel_spec *spec,
			struct kernel_files **ret, struct err *e)
{
	char id[DIGEST_HEX_SIZE];
	int rc = image_kernel_id(c, spec, id, e);

	if (!rc)
		rc = kernel_load(c->cache, id, ret, e);
	return rc ? err_prefix(e, rc, "kernel '%s'", spec->name) : 0;
}

int image_userland(struct image_ctx *c, struct err *e)
{
	struct userland *u __free(userland) = NULL;

	return userland_get(c, &u, e);
}
