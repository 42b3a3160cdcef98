/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build.h - kernels from source.
 *
 * build/ in the cache holds sources.git and, for each source with one configuration
 * and one toolchain, a workspace <id>/: src, a worktree of it, and in that kjump-obj,
 * what make made. A series walks through its one workspace, so that each kernel takes
 * over what its predecessor compiled. <id>.lock is held by who works there;
 * kjump-obj.lock also by every process that make started, so that orphans of a killed
 * kjump are waited for. What was begun is gone on with; what is done lies in
 * kernels/<id>.
 */
#ifndef KJUMP_IMAGE_BUILD_H
#define KJUMP_IMAGE_BUILD_H

#include "image/ctx.h"

/* The name in kernels/; with @archive the archive may be asked for the source. */
int build_id(struct image_ctx *c, const struct kernel_spec *spec, bool archive,
	     char ret_id[DIGEST_HEX_SIZE], struct err *e);

/* The name of its workspace; -ENOENT as source_find(). */
int build_workspace_id(struct image_ctx *c, const struct kernel_spec *spec,
		       char ret_id[DIGEST_HEX_SIZE], struct err *e);

/* Builds it into kernels/@id. -ENOEXEC, "build-failed: ...": its patches, its options or its code. */
int build_kernel(struct image_ctx *c, const struct kernel_spec *spec, const char *id,
		 struct err *e);

#endif
