/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache.h - the cache directory, and how things appear in it.
 *
 * Layout below $XDG_CACHE_HOME/kjump:
 *
 *	apt/<suite>-<id>/	private state of apt
 *	debs/<sha256>.deb	packages, by the digest the signed index states
 *	index/<id>.json		a kernel's or userland's name -> its packages
 *	kernels/<id>/		unpacked kernels
 *	userland/<id>/		unpacked programs of the initramfs
 *	initramfs/<id>.cpio
 *	build/			sources and object trees, see build.h
 *	tmp/			what is being made
 *	lock			held shared by who uses the cache, alone by who cleans up
 *
 * A thing is made in tmp/ and renamed into place, so it is complete or absent
 * whenever a process dies. Two processes that make the same thing at once both
 * succeed: the second rename finds it there. A directory in tmp/ is locked by
 * its maker while that lives; cache_sweep() removes those that no one holds.
 */
#ifndef KJUMP_IMAGE_CACHE_H
#define KJUMP_IMAGE_CACHE_H

#include <stdbool.h>

#include "base/err.h"

struct cache;

/* Makes the directories that are missing; waits while another process cleans up. */
int cache_open(struct cache **ret, struct err *e);
void cache_free(struct cache *c);
DEFINE_FREE(cache, struct cache *, cache_free(_v));

const char *cache_dir(const struct cache *c);

/* The path of SUB/NAME in the cache, *returned*; it need not exist. */
char *cache_path(const struct cache *c, const char *sub, const char *name);

/* A directory in tmp/ that is removed again by cache_tmp_fini(). */
struct cache_tmp {
	char *path;
	int lock_fd;
};

#define CACHE_TMP_INIT   \
	{                \
		NULL, -1 \
	}

int cache_tmp_init(struct cache_tmp *t, const struct cache *c, struct err *e);
void cache_tmp_fini(struct cache_tmp *t);
#define __free_cache_tmp __cleanup(cache_tmp_fini)

/*
 * Renames @from (a file or a directory in tmp/) to @to. If @to is there already
 * that one is kept: it was made from the same input.
 */
int cache_publish(const char *from, const char *to, struct err *e);

/*
 * Waits for the exclusive lock of @path (a file, made if absent) and returns
 * its descriptor in @ret_fd; closing it, or dying, unlocks.
 */
int cache_lock(const char *path, int *ret_fd, struct err *e);

/*
 * Gives up the shared lock that cache_open() took for the exclusive one. -EBUSY
 * if another process has the cache open.
 */
int cache_lock_alone(struct cache *c, struct err *e);

/* Removes what processes that died left in tmp/. */
int cache_sweep(const struct cache *c, struct err *e);

#endif
