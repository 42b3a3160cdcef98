/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arm64.h - what an arm64 kernel Image says about itself.
 *
 * Source: Linux, Documentation/arch/arm64/booting.rst, "Call the kernel image".
 */
#ifndef KJUMP_IMAGE_ARM64_H
#define KJUMP_IMAGE_ARM64_H

#include <stddef.h>

#include "base/err.h"

/* Is it an uncompressed Image? -EBADMSG says what it looks like instead. */
int arm64_check_image(const void *data, size_t len, struct err *e);

/* What uname -r will print, from the version banner; *returned*. -EBADMSG. */
int arm64_release(const void *data, size_t len, char **ret, struct err *e);

#endif
