/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packages.h - which packages something was found to consist of.
 *
 * Kept in the cache's index, so that asking again needs neither apt nor the
 * network and gives the same versions until someone asks for a refresh.
 */
#ifndef KJUMP_IMAGE_PACKAGES_H
#define KJUMP_IMAGE_PACKAGES_H

#include "base/digest.h"
#include "image/apt.h"

struct packages {
	struct apt_package *p;
	size_t n;
};

#define PACKAGES_INIT   \
	{               \
		NULL, 0 \
	}

void packages_fini(struct packages *l);
#define __free_packages __cleanup(packages_fini)

/* Takes @p, which becomes empty. */
void packages_add(struct packages *l, struct apt_package *p);
const struct apt_package *packages_find(const struct packages *l, const char *name);

/* A name made of @kind and the content of all packages, in order. */
void packages_id(const struct packages *l, const char *kind, char ret_hex[DIGEST_HEX_SIZE]);

/* The file in index/ that says what @what is made of; *returned*. */
char *packages_index_name(const char *what);

/* What the index says about @what ("kernel trixie 6.12 cloud"); -ENOENT. */
int packages_load(const struct cache *c, const char *what, struct packages *ret, struct err *e);
int packages_save(const struct cache *c, const char *what, const struct packages *l, struct err *e);

/*
 * Calls @each with the bare name of every dependency in @depends, in order; of
 * alternatives the first. Stops at, and returns, the first non-zero result.
 */
int packages_each_dependency(const char *depends, int (*each)(const char *name, void *arg),
			     void *arg);

#endif
