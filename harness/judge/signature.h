/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signature.h - titles that are the same for the same fault.
 *
 * A rule's title is text with insertions:
 *   \1..\9       a group of the pattern, with addresses, CPUs and PIDs made one
 *   {function}   where it happened, from the report that follows
 *   {class}      the decoded arm64 exception syndrome
 *   {exit:\1}    a wait status in hex as "SIGSEGV" or "exit status 1"
 *   [...]        left out as a whole if an insertion in it is empty
 */
#ifndef KJUMP_JUDGE_SIGNATURE_H
#define KJUMP_JUDGE_SIGNATURE_H

#include <stddef.h>

#include "base/buf.h"

#define SIGNATURE_BYTES 240

/* What is inserted; NULL or "" where nothing is known. */
struct signature_parts {
	const char *groups[10];
	const char *function;
	const char *class;
};

/* Returned; escaped, at most SIGNATURE_BYTES long. */
char *signature_expand(const char *title, const struct signature_parts *parts);

/*
 * Appends @text with what differs between two runs of the same fault made one.
 * @text[len] is a NUL.
 */
void signature_normalise(struct buf *out, const char *text, size_t len);

/* Appends a function's name without what the compiler added (.isra.0, .cold). */
void signature_function(struct buf *out, const char *name);

#endif
