/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - kernel sources as commits of one bare git repository in the cache.
 *
 * A tarball becomes a commit by git-fast-import(1); of a git tree the one commit
 * that is asked for is fetched, shallow. The user's repository is only read.
 */
#ifndef KJUMP_IMAGE_SOURCE_H
#define KJUMP_IMAGE_SOURCE_H

#include "base/digest.h"
#include "image/ctx.h"
#include "image/packages.h"

struct source {
	char id[DIGEST_HEX_SIZE]; /* names the content */
	char *what;		  /* for people: "linux-source-6.1 6.1.192-3" */
	struct packages packages; /* of a linux-source package */
};

void source_fini(struct source *s);
#define __free_source __cleanup(source_fini)

/* What the index calls a linux-source package; *returned*. */
char *source_index_key(const struct kernel_build *b);

/*
 * Finds out what the source is, without getting it. With @archive a package that is
 * not in the index is looked for in the archive; else -ENOENT.
 */
int source_find(struct image_ctx *c, const struct kernel_spec *spec, bool archive,
		struct source *ret, struct err *e);

/* Path of the repository; *returned*. */
char *source_repository(const struct cache *c);

/*
 * Makes refs/kjump/source/<id> of the repository, if it is not there. The caller
 * holds the repository's lock.
 */
int source_get(struct image_ctx *c, const struct kernel_spec *spec, const struct source *s,
	       struct err *e);

/* Sends the files of the archive @tarball, less their first directory, to fast-import. */
int source_import_tarball(const char *repository, const char *tarball, const char *ref,
			  struct err *e);

#endif
