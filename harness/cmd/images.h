/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * images.h - what the verbs of `kjump images` have in common.
 */
#ifndef KJUMP_CMD_IMAGES_H
#define KJUMP_CMD_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/cmd.h"
#include "cmd/paths.h"
#include "image/image.h"
#include "plan/kernel.h"

struct images {
	const char *kernels_path, *mirror;
	const char *base, *vbar; /* as typed, as is */
	const char *out;	 /* the directory of import */
	bool json;
	bool on_terminal; /* where the steps of a build are shown, and since when one stands */
	uint64_t last_step_ns;
	char *const *names; /* after the verb */
	size_t n_names;
	struct paths *paths;
	struct kernel_list *list;
	struct image_ctx *ctx;
};

/* Everything that a verb needs; EXIT_EXPECTED to go on. */
enum exit_status images_begin(struct images *im, bool refresh);

/* *Borrowed*; NULL after saying that there is none of that name, and which is near. */
const struct kernel_spec *images_find(const struct images *im, const char *name);

enum exit_status images_symbols(struct images *im);

#endif
