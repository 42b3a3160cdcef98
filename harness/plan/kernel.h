/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.h - kernels by name, from images/kernels.yaml.
 *
 * A spec says where a kernel comes from; image/ turns it into files. A kernel
 * that is built with a series of N patches also stands in the list as NAME+0 to
 * NAME+<N-1>, each with that many of them.
 */
#ifndef KJUMP_PLAN_KERNEL_H
#define KJUMP_PLAN_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/diag.h"

enum kernel_source {
	KERNEL_DEBIAN,
	KERNEL_FILE,
	KERNEL_LINUX_SOURCE, /* these three are built */
	KERNEL_TARBALL,
	KERNEL_GIT,
};

enum kernel_compiler { COMPILER_GCC, COMPILER_CLANG };

/* What a kernel is built of; paths are absolute. */
struct kernel_build {
	char *suite, *package; /* LINUX_SOURCE: "bookworm", "linux-source-6.1" */
	char *path;	       /* TARBALL: the file; GIT: the tree */
	char *revision;	       /* GIT */
	char **patches;	       /* files, one or more patches each; GIT: also "A..B" */
	size_t n_patches;
	char **config; /* fragments, in the order in which they are merged */
	size_t n_config;
	enum kernel_compiler compiler;
	bool is_prefix; /* stands for the beginning of another one's series */
};

struct kernel_spec {
	char *name;
	enum kernel_source source;
	union {
		struct {
			char *suite;   /* "trixie-backports" */
			char *version; /* upstream or package version: "7.2.6", "6.1" */
			char *flavour; /* "plain", "cloud", "16k", "rt" */
		} debian;
		struct {
			char *image; /* absolute, as the next ones; NULL if absent */
			char *config;
			char *system_map;
			char *modules;
		} file;
		struct kernel_build build;
	};
	char *defined_in; /* file, for messages */
	unsigned int line, col;
};

struct kernel_list {
	struct kernel_spec *kernels;
	size_t n;
	char *userland_suite; /* where the initramfs's programs come from */
};

/* Adds mistakes to @diag and returns -EINVAL if there were any. */
int kernel_list_load(const char *path, struct diag *diag, struct kernel_list **ret);
void kernel_list_free(struct kernel_list *l);
DEFINE_FREE(kernel_list, struct kernel_list *, kernel_list_free(_v));

bool kernel_is_built(const struct kernel_spec *k);

/* Borrowed from @l, or NULL. */
const struct kernel_spec *kernel_list_find(const struct kernel_list *l, const char *name);

#endif
