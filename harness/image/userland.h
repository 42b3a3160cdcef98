/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userland.h - the programs of an initramfs: busybox and kexec, with libraries.
 *
 * Packages of one suite, unpacked in userland/<id>/<package>/. Only those
 * dependencies are fetched that hold a library which something needs.
 */
#ifndef KJUMP_IMAGE_USERLAND_H
#define KJUMP_IMAGE_USERLAND_H

#include "base/digest.h"
#include "image/ctx.h"
#include "image/elf.h"

struct userland {
	char id[DIGEST_HEX_SIZE];
	char *busybox, *kexec; /* paths in the cache */
	struct elf_libs libs;  /* all with a path; the dynamic loader is among them */
};

void userland_free(struct userland *u);
DEFINE_FREE(userland, struct userland *, userland_free(_v));

/* Goes into every <id>. Raise it when what is unpacked changes. */
#define USERLAND_FORMAT "userland 1"

/* What the index calls it; *returned*. */
char *userland_index_key(const char *suite);

/* Fetches and unpacks if it is not cached. */
int userland_get(struct image_ctx *c, struct userland **ret, struct err *e);

#endif
