/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h - where the project's files are.
 *
 * The project's root is $KJUMP_ROOT, else the nearest directory above the
 * program, else above the working directory, that holds images/kernels.yaml.
 */
#ifndef KJUMP_CMD_PATHS_H
#define KJUMP_CMD_PATHS_H

#include "base/err.h"

struct paths {
	char *root;
	char *images, *kernels, *profiles, *boards, *dt, *symptoms, *known, *results;
};

/* -ENOENT with the places that were looked at. */
int paths_find(struct paths **ret, struct err *e);
void paths_free(struct paths *p);
DEFINE_FREE(paths, struct paths *, paths_free(_v));

#endif
