/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * qemu_args.h - the command line of qemu-system-aarch64 for a machine.
 *
 * Source: qemu-system-aarch64(1), QEMU 9 and later. One place decides what the
 * virtual hardware is, so that the device tree printed beforehand, the check
 * beforehand and the run itself are of the same machine.
 */
#ifndef KJUMP_MACHINE_QEMU_ARGS_H
#define KJUMP_MACHINE_QEMU_ARGS_H

#include "machine/machine.h"

#define QEMU_BINARY    "qemu-system-aarch64"
#define QEMU_MAJOR_MIN 9

/* A growing argument vector; argv ends with NULL as soon as one was added. */
struct qemu_args {
	char **argv;
	size_t n;
};

#define QEMU_ARGS_INIT  \
	{               \
		NULL, 0 \
	}

void qemu_args_fini(struct qemu_args *a);

#define __free_qemu_args __cleanup(qemu_args_fini)

/*
 * The hardware of @opts. @ram: the file that is its RAM, or NULL. @dump_dtb: a
 * file to print the device tree to instead of running, or NULL. -ENOTSUP when
 * @opts asks for what the CPU model cannot.
 */
int qemu_args_machine(struct qemu_args *a, const struct machine_opts *opts, const char *ram,
		      const char *dump_dtb, struct err *e);

/* A line in @file for whatever changes the picture of its display. */
void qemu_args_trace(struct qemu_args *a, const char *file);

/* What is loaded, stopped CPUs, and the two sockets that QEMU connects to. */
void qemu_args_run(struct qemu_args *a, const struct machine_boot *boot, const char *console,
		   const char *monitor);

/* A gdb stub that connects to @path. */
void qemu_args_debug(struct qemu_args *a, const char *path);

/* Does the machine's CPU model have a property that turns LPA2 on and off? */
bool qemu_args_has_lpa2(const struct machine_spec *spec);

/* As execvp() wants it; borrowed. */
const char *const *qemu_args_argv(const struct qemu_args *a);

#endif
