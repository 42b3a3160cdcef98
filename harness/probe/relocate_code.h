/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * relocate_code.h - the code that a kexec copies away and runs, in the Image of
 * a kernel that has no symbol for it.
 *
 * It lies among the read-only data, whose symbols only CONFIG_KALLSYMS_ALL
 * keeps. But it begins with what no other code does: it takes the members of
 * struct kimage that it will need out of X0, before it overwrites the memory
 * that they are in. Padding follows it.
 *
 * Source: Linux, arch/arm64/kernel/relocate_kernel.S from 5.16 on.
 */
#ifndef KJUMP_PROBE_RELOCATE_CODE_H
#define KJUMP_PROBE_RELOCATE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/kexec_layout.h"

#define RELOCATE_CODE_MAX 4096 /* bytes: it is copied into one page */

/* False: there is none, or more than one. */
bool relocate_code_find(const void *image, size_t len, const struct kexec_layout *layout,
			uint64_t *ret_offset, size_t *ret_bytes);

#endif
