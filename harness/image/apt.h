/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apt.h - Debian packages for arm64, by the host's apt with a state of our own.
 *
 * One state directory a suite, locked while it is used; the host's own lists,
 * cache, sources and hooks are never touched, only its transport settings
 * (proxy, credentials) are taken over. apt verifies every index against
 * debian-archive-keyring; a package is kept under the SHA-256 that the signed
 * index states, which is checked once more here.
 */
#ifndef KJUMP_IMAGE_APT_H
#define KJUMP_IMAGE_APT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "image/cache.h"

struct apt_package {
	char *name;
	char *version;
	char *sha256;  /* hex, of the .deb */
	char *depends; /* Depends, then Pre-Depends, as written; "" if none */
};

void apt_package_fini(struct apt_package *p);
void apt_package_copy(struct apt_package *to, const struct apt_package *from);

struct apt;

/*
 * @mirror NULL: env KJUMP_MIRROR, else the main archive in the host's apt
 * configuration; looked up only when the archive is asked.
 */
struct apt *apt_new(const struct cache *c, const char *suite, const char *mirror);
void apt_free(struct apt *a);
DEFINE_FREE(apt, struct apt *, apt_free(_v));

const char *apt_suite(const struct apt *a);

/*
 * Names of all packages of the suite that begin with @prefix, sorted; *returned*
 * with apt_names_free(). Lists older than a day are fetched anew first; if that
 * fails but there are lists, they are used, with a warning in the log.
 */
int apt_names(struct apt *a, const char *prefix, char ***ret, size_t *ret_n, struct err *e);
void apt_names_free(char **names, size_t n);

/* The newest version of package @name; -ENOENT. */
int apt_show(struct apt *a, const char *name, struct apt_package *ret, struct err *e);

/*
 * The package's file, fetched if it is not cached (then neither apt nor the
 * network is asked); path *returned*.
 */
int apt_fetch(struct apt *a, const struct apt_package *p, char **ret_path, struct err *e);

/* Reads one paragraph of "Key: value" lines as apt-cache show prints it. */
int apt_parse_package(const char *text, size_t len, struct apt_package *ret, struct err *e);

#endif
