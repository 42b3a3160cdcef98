/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.h - kernels unpacked in the cache.
 *
 * kernels/<id>/ holds image, config, System.map, root/lib/modules/<release>/
 * (of a built one also BTF and build.log) and kernel.json, which says what struct kernel_files needs to know. <id> is
 * made of what went in, so a complete directory never changes.
 */
#ifndef KJUMP_IMAGE_KERNEL_H
#define KJUMP_IMAGE_KERNEL_H

#include "image/cache.h"
#include "image/image.h"
#include "image/packages.h"

/*
 * Goes into every <id>. Raise it when what is unpacked changes, so that older
 * directories are not met.
 */
#define KERNEL_FORMAT	       "kernel 1"

#define KERNEL_MAX_IMAGE_BYTES (512u << 20)

/* Reads kernels/<id>; -ENOENT when it is not there. */
int kernel_load(const struct cache *c, const char *id, struct kernel_files **ret, struct err *e);

/* Unpacks the packages at @debs (as many as in @l, in its order) into kernels/<id>. */
int kernel_from_packages(const struct cache *c, const char *id, const struct packages *l,
			 char *const *debs, struct err *e);

/* The name that a built kernel has in the cache; reads its files. */
int kernel_files_id(const struct kernel_spec *spec, char ret_id[DIGEST_HEX_SIZE], struct err *e);

/* Copies, and decompresses where needed, a built kernel to kernels/<id>. */
int kernel_from_files(const struct cache *c, const char *id, const struct kernel_spec *spec,
		      struct err *e);

/*
 * Completes the directory @made (which may hold root/lib/modules and BTF) with what
 * the build in @obj left and its @log, and renames it to kernels/<id>.
 */
int kernel_from_build(const struct cache *c, const char *id, const char *obj, const char *log,
		      const char *made, const char *provenance, struct err *e);

#endif
