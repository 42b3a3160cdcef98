// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/source.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "image/deb.h"
#include "image/git.h"
#include "image/packages.h"

void source_fini(struct source *s)
{
	free(s->what);
	packages_fini(&s->packages);
	*s = (struct source){.what = NULL};
}

char *source_index_key(const struct kernel_build *b)
{
	return xasprintf("source %s %s", b->suite, b->package);
}

char *source_repository(const struct cache *c)
{
	return cache_path(c, "build", "sources.git");
}

static int find_package(struct image_ctx *c, const struct kernel_build *b, bool archive,
			struct source *s, struct err *e)
{
	char *what __free(str) = source_index_key(b);
	struct apt_package p = {0};
	int rc;

	if ((archive && c->refresh) || packages_load(c->cache, what, &s->packages, NULL)) {
		if (!archive)
			return err_set(e, ENOENT, "'%s' was not fetched yet", b->package);
		rc = apt_show(image_apt(c, b->suite), b->package, &p, e);
		if (rc)
			return rc;
		packages_add(&s->packages, &p);
		rc = packages_save(c->cache, what, &s->packages, e);
		if (rc)
			return rc;
	}
	packages_id(&s->packages, "source", s->id);
	s->what = xasprintf("%s %s", s->packages.p[0].name, s->packages.p[0].version);
	return 0;
}

static int find_revision(const struct kernel_build *b, struct source *s, struct err *e)
{
	char *spec __free(str) = xasprintf("%s^{commit}", b->revision);
	const char *const args[] = {"rev-parse", "--verify", "--quiet", spec, NULL};
	struct buf out __free_buf = BUF_INIT;

	if (git_run(b->path, args, &out, NULL, e))
		return err_set(e, ENOENT, "'%s' has no commit '%s'", b->path, b->revision);
	out.data[strcspn(out.data, "\n")] = '\0';
	if (strlen(out.data) >= DIGEST_HEX_SIZE)
		return err_set(e, EBADMSG, "'%s': what is commit '%s'?", b->path, out.data);
	snprintf(s->id, sizeof(s->id), "%s", out.data);
	s->what = xasprintf("%s %.12s", b->revision, s->id);
	return 0;
}

int source_find(struct image_ctx *c, const struct kernel_spec *spec, bool archive,
		struct source *ret, struct err *e)
{
	const struct kernel_build *b = &spec->build;
	const char *slash;

	if (spec->source == KERNEL_LINUX_SOURCE)
		return find_package(c, b, archive, ret, e);
	if (spec->source == KERNEL_GIT)
		return find_revision(b, ret, e);
	slash = strrchr(b->path, '/');
	ret->what = xstrdup(slash ? slash + 1 : b->path);
	return digest_of_file(b->path, ret->id, e);
}

/* Only the tarball of a linux-source package; see deb_place_fn. */
static char *place(const char *path, void *arg)
{
	const char *dir = "usr/src/linux-source-";

	if (strncmp(path, dir, strlen(dir)) || !strstr(path, ".tar"))
		return NULL;
	return xstrdup("linux.tar");
}

static int import_package(struct image_ctx *c, const struct kernel_build *b, const struct source *s,
			  const char *repository, const char *ref, struct err *e)
{
	struct cache_tmp tmp __free_cache_tmp = CACHE_TMP_INIT;
	char *deb __free(str) = NULL, *tarball __free(str) = NULL;
	int rc = apt_fetch(image_apt(c, b->suite), &s->packages.p[0], &deb, e);

	if (!rc)
		rc = cache_tmp_init(&tmp, c->cache, e);
	if (!rc)
		rc = deb_unpack(deb, tmp.path, place, NULL, e);
	if (rc)
		return rc;
	tarball = file_join(tmp.path, "linux.tar");
	return source_import_tarball(repository, tarball, ref, e);
}

/* The server side refuses a commit by its name unless it is told otherwise. */
static int fetch_commit(const struct kernel_build *b, const struct source *s,
			const char *repository, const char *ref, struct err *e)
{
	char *url __free(str) = xasprintf("file://%s", b->path);
	char *refspec __free(str) = xasprintf("%s:%s", s->id, ref);
	const char *const args[] = {
		"fetch",
		"--quiet",
		"--depth=1",
		"--no-tags",
		"--upload-pack=git -c uploadpack.allowAnySHA1InWant=true upload-pack",
		url,
		refspec,
		NULL};

	return git_run(repository, args, NULL, NULL, e);
}

int source_get(struct image_ctx *c, const struct kernel_spec *spec, const struct source *s,
	       struct err *e)
{
	char *repository __free(str) = source_repository(c->cache);
	char *head __free(str) = file_join(repository, "HEAD");
	char *ref __free(str) = xasprintf("refs/kjump/source/%s", s->id);
	const char *const init[] = {"init", "--quiet", "--bare", repository, NULL};
	const char *const have[] = {"rev-parse", "--verify", "--quiet", ref, NULL};
	int rc = file_exists(head) ? 0 : git_run("/", init, NULL, NULL, e);

	if (rc || !git_run(repository, have, NULL, NULL, NULL))
		return rc;
	log_info("unpacking the source %s", s->what);
	switch (spec->source) {
	case KERNEL_LINUX_SOURCE:
		return import_package(c, &spec->build, s, repository, ref, e);
	case KERNEL_TARBALL:
		return source_import_tarball(repository, spec->build.path, ref, e);
	case KERNEL_GIT:
		return fetch_commit(&spec->build, s, repository, ref, e);
	case KERNEL_DEBIAN:
	case KERNEL_FILE:
		break;
	}
	return err_set(e, EINVAL, "'%s' is not built", spec->name);
}
