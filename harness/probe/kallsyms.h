/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms.h - the symbols of an arm64 kernel, out of its own Image.
 *
 * A kernel carries its symbol table compressed in its read-only data, so that
 * neither debug packages nor a running guest is needed. The tables have no
 * header: they are found by their structure and believed only if every one of
 * them agrees with the others and with the Image's own header.
 *
 * Source: Linux, kernel/kallsyms.c and scripts/kallsyms.c; known are the
 * arrangements from 6.1 on (sequence numbers before the tokens, offsets before
 * the names or behind the tokens, relative to a base or to themselves).
 */
#ifndef KJUMP_PROBE_KALLSYMS_H
#define KJUMP_PROBE_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct kallsyms_symbol {
	int64_t offset;	  /* from the Image's first byte (_text) */
	const char *name; /* borrowed from the table */
	char type;	  /* as nm has it: 't', 'T', 'd', ... */
};

struct kallsyms {
	struct kallsyms_symbol *symbols; /* by rising offset */
	size_t n;
	char *pool;
	int64_t text_end; /* of code: _etext, or the last symbol of type t; 0: not known */
};

/* -EBADMSG: there is none that is whole; @e says what was missing. */
int kallsyms_read(const void *image, size_t len, struct kallsyms **ret, struct err *e);
void kallsyms_free(struct kallsyms *k);
DEFINE_FREE(kallsyms, struct kallsyms *, kallsyms_free(_v));

/* The first one of that name, or NULL. */
const struct kallsyms_symbol *kallsyms_find(const struct kallsyms *k, const char *name);

/* The nearest symbol at or below @offset; of several there a function's name is preferred. */
const struct kallsyms_symbol *kallsyms_at(const struct kallsyms *k, int64_t offset);

#endif
