/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * name.h - names that may become part of a file name or of a package's.
 */
#ifndef KJUMP_PLAN_NAME_H
#define KJUMP_PLAN_NAME_H

#include <stdbool.h>

/* Letters, digits and . _ + ~ -, starting with a letter or digit; 1 to 100 bytes. */
bool name_is_plain(const char *s);

#endif
