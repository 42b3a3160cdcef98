/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * below.h - creating files by names from an archive, never outside a directory.
 *
 * Every component is opened without following symbolic links, so neither a
 * name nor a link that the archive itself brought leads out of it.
 */
#ifndef KJUMP_IMAGE_BELOW_H
#define KJUMP_IMAGE_BELOW_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* Relative, without empty, "." and ".." components, not longer than PATH_MAX. */
bool below_is_safe(const char *path);

/* Makes the directories of @path and the new file; -EEXIST if it is there. */
int below_create(int dir_fd, const char *path, mode_t mode, int *ret_fd, struct err *e);

/* Likewise a symbolic link; @target must be safe, too. */
int below_symlink(int dir_fd, const char *target, const char *path, struct err *e);

#endif
