/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mirror.h - where this host gets Debian's main archive from.
 *
 * No mirror is named in kjump: the host's apt configuration knows one.
 */
#ifndef KJUMP_IMAGE_MIRROR_H
#define KJUMP_IMAGE_MIRROR_H

#include <stddef.h>

#include "base/err.h"

/* @override, else env KJUMP_MIRROR, else the host's apt; *returned*. -ENOENT. */
int mirror_find(const char *override, char **ret, struct err *e);

/*
 * The first line of @text ("URI|ORIGIN|LABEL|RELEASE|COMPONENT|CREATED_BY", as
 * apt-get indextargets prints them) that is Debian's main archive, not its
 * security archive. Before the host's first apt-get update apt knows neither
 * origin nor label and prints their names instead; then the release decides.
 * NULL if there is none; else *returned*.
 */
char *mirror_choose(const char *text);

#endif
