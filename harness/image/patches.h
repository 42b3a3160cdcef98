/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patches.h - a series on a scratch worktree, by git-am(1) and git-apply(1).
 *
 * Each length of a series that was applied once is kept as a commit, so the
 * worktree goes from one to another by rewriting only the files that differ, and
 * make rebuilds only what depends on those.
 */
#ifndef KJUMP_IMAGE_PATCHES_H
#define KJUMP_IMAGE_PATCHES_H

#include "base/digest.h"
#include "plan/kernel.h"

/* Names the first @n patches on the source @source_id: by content. */
int patches_id(const struct kernel_build *b, size_t n, const char *source_id,
	       char ret_id[DIGEST_HEX_SIZE], struct err *e);

/*
 * Brings the worktree @src to the source with all patches of @b. What does not
 * apply is named: patch, file, line of the hunk.
 */
int patches_apply(const char *src, const struct kernel_build *b, const char *source_id,
		  struct err *e);

#endif
