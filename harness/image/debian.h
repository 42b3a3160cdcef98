/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debian.h - which packages of the Debian archive make a kernel.
 *
 * linux-image-<abi>[-cloud|-rt]-arm64[-16k]: <abi> is "6.1.0-50" up to
 * bookworm, "7.2.6+deb13" since. From 7.0 on the files are in linux-binary-,
 * linux-modules- and linux-base- of the same ending, which Depends names.
 */
#ifndef KJUMP_IMAGE_DEBIAN_H
#define KJUMP_IMAGE_DEBIAN_H

#include "base/buf.h"
#include "image/apt.h"
#include "image/packages.h"

/*
 * @version: an upstream version ("7.2.6"), the beginning of one (then the
 * newest that begins so), or a package version ("6.1.176-1"). -ENOENT names the
 * nearest of that flavour that are there.
 */
int debian_kernel(struct apt *a, const char *version, const char *flavour, struct packages *ret,
		  struct err *e);

/*
 * Is @package a kernel of @flavour ("plain", "cloud", "16k", "rt")? Its ABI,
 * *returned*, else NULL.
 */
char *debian_kernel_abi(const char *package, const char *flavour);

/*
 * Of @abis those that @version names, in ascending order; @ret is *returned*,
 * its strings are borrowed from @abis.
 */
void debian_match(char *const *abis, size_t n, const char *version, const char ***ret,
		  size_t *ret_n);

/* Appends up to @max of @abis nearest to @version, ascending: "7.2.6, 7.2.9". */
void debian_nearest(char *const *abis, size_t n, const char *version, size_t max, struct buf *out);

#endif
