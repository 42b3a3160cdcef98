/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpio.h - an initramfs archive (newc), the same bytes for the same content.
 *
 * Entries are collected and written sorted by name, with the directories above
 * them, owned by root, with time stamps 0; device nodes need no privilege.
 * Source: Linux, Documentation/driver-api/early-userspace/buffer-format.rst.
 */
#ifndef KJUMP_IMAGE_CPIO_H
#define KJUMP_IMAGE_CPIO_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct cpio;

struct cpio *cpio_new(void);
void cpio_free(struct cpio *c);
DEFINE_FREE(cpio, struct cpio *, cpio_free(_v));

/* Names have no leading slash. Content is copied; of files, the path only. */
void cpio_add_dir(struct cpio *c, const char *name, mode_t mode);
void cpio_add_data(struct cpio *c, const char *name, mode_t mode, const void *data, size_t len);
void cpio_add_file(struct cpio *c, const char *name, mode_t mode, const char *path);
void cpio_add_link(struct cpio *c, const char *name, const char *target);
void cpio_add_char_device(struct cpio *c, const char *name, mode_t mode, unsigned int major,
			  unsigned int minor);

/*
 * Writes the archive to @fd, which stays open. -EEXIST if a name was added
 * twice, -EINVAL for a name that leads out of the root.
 */
int cpio_write(struct cpio *c, int fd, struct err *e);

#endif
