/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deb.h - files out of Debian binary packages (deb(5), format 2.0).
 *
 * An ar archive with a compressed tar in it, both read by libarchive. Names
 * are taken from the archive only after they were found harmless; nothing is
 * ever written through a symbolic link.
 */
#ifndef KJUMP_IMAGE_DEB_H
#define KJUMP_IMAGE_DEB_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Says where a file goes: a path relative to the target directory, *returned*,
 * or NULL to leave it out. @path has no leading "./" or "/"; bin, sbin and lib
 * of packages from before the merged /usr read usr/bin, usr/sbin and usr/lib.
 */
typedef char *(*deb_place_fn)(const char *path, void *arg);

/* Bounds of one package; past them it is refused with -EFBIG. */
struct deb_limits {
	uint64_t max_bytes;
	size_t max_entries;
};

/*
 * Unpacks regular files and relative symbolic links that stay below @to (an
 * existing directory). Modes become 0644, or 0755 where anybody may execute.
 * -EBADMSG: no valid package.
 */
int deb_unpack(const char *deb, const char *to, deb_place_fn place, void *arg, struct err *e);

/* The same from memory; @name is for messages. */
int deb_unpack_memory(const void *data, size_t len, const char *name, const char *to,
		      const struct deb_limits *limits, deb_place_fn place, void *arg,
		      struct err *e);

#endif
