/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * toolchain.h - which programs compile a kernel on this host, as arguments of make.
 */
#ifndef KJUMP_IMAGE_TOOLCHAIN_H
#define KJUMP_IMAGE_TOOLCHAIN_H

#include "base/err.h"
#include "plan/kernel.h"

struct toolchain {
	char *version; /* the compiler's first line: names it, and goes into the key */
	char *cc;      /* "CC=ccache aarch64-linux-gnu-gcc" */
	char *prefix;  /* "CROSS_COMPILE=aarch64-linux-gnu-"; empty value on arm64 */
	char *llvm;    /* "LLVM=1", or "KJUMP_LLVM=" for nothing */
	char *objcopy; /* program */
};

/* -ENOENT names the package to install. */
int toolchain_find(enum kernel_compiler compiler, struct toolchain *ret, struct err *e);
void toolchain_fini(struct toolchain *t);
#define __free_toolchain __cleanup(toolchain_fini)

#endif
