/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * modules.h - a kernel's modules, with all that they depend on, in load order.
 *
 * Source: modules.dep(5), modules.builtin (Documentation/kbuild/kbuild.rst).
 */
#ifndef KJUMP_IMAGE_MODULES_H
#define KJUMP_IMAGE_MODULES_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct modules {
	char **paths; /* relative to the modules' directory, as in modules.dep */
	size_t n;
};

#define MODULES_INIT    \
	{               \
		NULL, 0 \
	}

void modules_fini(struct modules *m);
#define __free_modules __cleanup(modules_fini)

/*
 * What to load, in this order, for @names ('-' and '_' are the same). Built-in
 * ones need nothing. One that is not there is an error (-ENOENT), or if its name
 * ends in '?' a line in @warnings (may be NULL). @dir NULL: no modules at all.
 */
int modules_closure(const char *dir, const char *release, char *const *names, size_t n,
		    struct modules *ret, struct buf *warnings, struct err *e);

#endif
