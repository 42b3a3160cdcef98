/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inject.h - faults that a case puts into a kexec on purpose, to test what
 * finds them and to teach.
 *
 * Each is one edit of the guest's memory (or of one CPU's registers) after B
 * is loaded and before A is left, on kernels as they come.
 */
#ifndef KJUMP_PLAN_INJECT_H
#define KJUMP_PLAN_INJECT_H

enum inject {
	INJECT_NONE,
	/* The descriptor of one page in the transitional tables is cleared. */
	INJECT_UNMAP_SOURCE,
	INJECT_UNMAP_DESTINATION,
	INJECT_UNMAP_INDIRECTION,
	INJECT_UNMAP_BLOCK,   /* a level 2 descriptor: all pages of a table below it */
	INJECT_UNMAP_CONTROL, /* the relocation code in the identity map */
	INJECT_READONLY_DESTINATION,
	/* An instruction is replaced: by a branch to itself, by an undefined one. */
	INJECT_SPIN_RELOCATION,
	INJECT_SPIN_PURGATORY,
	INJECT_SPIN_ENTRY,
	INJECT_UNDEF_RELOCATION,
	INJECT_UNDEF_PURGATORY,
	INJECT_UNDEF_ENTRY,
	INJECT_CORRUPT_SOURCE, /* a page of the new kernel's text is filled with zeroes */
	INJECT_STOP_CPU,       /* a secondary CPU spins with all exceptions masked */
};
#define N_INJECTS (INJECT_STOP_CPU + 1)

/* "none", "unmap-source", ...; indexed by enum inject. */
extern const char *const inject_names[N_INJECTS];

#endif
