/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctx.h - what an image_ctx is, for the files of this folder.
 */
#ifndef KJUMP_IMAGE_CTX_H
#define KJUMP_IMAGE_CTX_H

#include <stdbool.h>

#include "base/digest.h"
#include "image/apt.h"
#include "image/cache.h"
#include "image/image.h"

struct image_ctx {
	struct cache *cache;
	char *images_dir, *dt_dir, *mirror, *userland_suite;
	bool refresh;
	void (*build_step)(const char *kernel, size_t n, const char *line, void *arg);
	void *build_arg;
	struct apt **apts; /* one a suite, made when first asked for */
	size_t n_apts;
};

/* Borrowed from @c. */
struct apt *image_apt(struct image_ctx *c, const char *suite);

/* What the index calls a kernel of the archive; *returned*. */
char *image_kernel_index_key(const struct kernel_spec *spec);

/* The name in kernels/, whether it is there or not; -ENOENT: not known yet. */
int image_kernel_id(struct image_ctx *c, const struct kernel_spec *spec,
		    char ret_id[DIGEST_HEX_SIZE], struct err *e);

#endif
