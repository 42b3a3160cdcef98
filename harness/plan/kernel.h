/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.h - kernels by name, from images/kernels.yaml.
 *
 * A spec says where a kernel comes from; image/ turns it into files. Further
 * source kinds (built kernels) add an enumerator and a member to the union.
 */
#ifndef KJUMP_PLAN_KERNEL_H
#define KJUMP_PLAN_KERNEL_H

#include <stddef.h>

#include "plan/diag.h"

enum kernel_source { KERNEL_DEBIAN, KERNEL_FILE };

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

/* Borrowed from @l, or NULL. */
const struct kernel_spec *kernel_list_find(const struct kernel_list *l, const char *name);

#endif
