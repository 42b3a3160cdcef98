/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * btf.h - the types of a kernel, out of the BTF that its Image carries.
 *
 * It lies there uncompressed (CONFIG_DEBUG_INFO_BTF), byte for byte what the
 * running kernel shows as /sys/kernel/btf/vmlinux.
 *
 * Source of the format: Linux, Documentation/bpf/btf.rst; read by libbpf.
 */
#ifndef KJUMP_PROBE_BTF_H
#define KJUMP_PROBE_BTF_H

#include <stddef.h>

#include "base/err.h"
#include "probe/kexec_layout.h"

struct kernel_btf;

/* Looks for it in an Image; -ENOENT: there is none, -EBADMSG: it cannot be read. */
int kernel_btf_read(const void *image, size_t len, struct kernel_btf **ret, struct err *e);
void kernel_btf_free(struct kernel_btf *b);
DEFINE_FREE(kernel_btf, struct kernel_btf *, kernel_btf_free(_v));

size_t kernel_btf_bytes(const struct kernel_btf *b);

/*
 * Byte offset of "a.b.c" in struct @type, through structs and anonymous unions;
 * KEXEC_ABSENT: no such member, or one that is not at a byte. "" is the size.
 */
int kernel_btf_offset(const struct kernel_btf *b, const char *type, const char *path);

/* What a struct kexec_layout consists of, to read and to show it row by row. */
struct kexec_member {
	size_t at; /* of an int in struct kexec_layout */
	const char *type, *path;
};

/* NULL behind the last one. */
const struct kexec_member *kexec_member_at(size_t i);
int kexec_member_value(const struct kexec_layout *l, const struct kexec_member *m);

void kexec_layout_from_btf(const struct kernel_btf *b, struct kexec_layout *ret);

#endif
