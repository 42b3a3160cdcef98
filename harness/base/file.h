/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h - whole files and directories.
 *
 * What is written is complete or absent: temporary name in the same directory,
 * fsync, rename.
 */
#ifndef KJUMP_BASE_FILE_H
#define KJUMP_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/* Appends the content of @path. -EFBIG when it is longer than @max_bytes. */
int file_read(const char *path, size_t max_bytes, struct buf *out, struct err *e);

/* Replaces @path in one step. */
int file_write(const char *path, const void *data, size_t len, struct err *e);

/* Appends the whole file @from to the open file @fd, in the kernel where it can. */
int file_append(int fd, const char *from, struct err *e);

/* Writes all of it; -errno. */
int file_write_all(int fd, const void *data, size_t len);

/* mkdir -p; mode 0755, or @mode for the last component. */
int file_mkdir(const char *path, mode_t mode, struct err *e);

/* rm -rf, never following a symbolic link. An absent path is no error. */
int file_remove_tree(const char *path, struct err *e);

bool file_exists(const char *path);

/* Free bytes on the file system of @path for this user. */
int file_free_bytes(const char *path, uint64_t *ret, struct err *e);

/* DIR/NAME as a malloced string, *returned*. */
char *file_join(const char *dir, const char *name);

/* $XDG_CACHE_HOME/kjump or ~/.cache/kjump, *returned*; -ENOENT without a home. */
int file_cache_dir(char **ret, struct err *e);

#endif
