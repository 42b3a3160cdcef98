/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qemu_dry.h - questions that QEMU answers without running a machine.
 */
#ifndef KJUMP_MACHINE_QEMU_DRY_H
#define KJUMP_MACHINE_QEMU_DRY_H

#include "machine/machine.h"

/* As machine_base_dtb() and machine_preflight() in machine.h. */
int qemu_base_dtb(const struct machine_opts *opts, struct buf *out, struct err *e);
int qemu_preflight(const struct machine_spec *spec, uint64_t *ret_bytes, struct err *e);

/* Version of the QEMU in PATH; -ENOENT when there is none. */
int qemu_version(int *ret_major, int *ret_minor, struct err *e);

/*
 * Host memory, in bytes, that a guest is estimated to need for a boot; and for
 * a boot and the most expensive jump.
 */
uint64_t qemu_boot_bytes(uint64_t ram_bytes);
uint64_t qemu_jump_bytes(const struct machine_spec *spec);

/* Host memory that could be had now: MemAvailable of /proc/meminfo. */
int qemu_available_bytes(uint64_t *ret_bytes, struct err *e);

#endif
