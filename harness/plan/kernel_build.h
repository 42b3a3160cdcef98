/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_build.h - what a built kernel is made of, read. Internal to plan/.
 *
 * patches: is a list of files with one or more mails or diffs, of directories
 * with a quilt series (quilt(1): a file "series" that names patches in order, with
 * '#' comments), and for a git source of ranges of its commits, "A..B".
 */
#ifndef KJUMP_PLAN_KERNEL_BUILD_H
#define KJUMP_PLAN_KERNEL_BUILD_H

#include "plan/kernel.h"
#include "plan/yaml.h"

void kernel_build_read(struct diag *diag, const struct yaml_node *map, struct kernel_spec *spec);
void kernel_build_fini(struct kernel_build *b);

/* Adds NAME+0, NAME+1, ... of each kernel with patches. */
void kernel_build_add_prefixes(struct diag *diag, struct kernel_list *list);

/* Of kernel.c: a plain name; @text relative to the file that @node stands in. Both *returned*. */
char *kernel_need_name(struct diag *diag, const struct yaml_node *map, const char *key);
char *kernel_path(const struct yaml_node *node, const char *text);

#endif
