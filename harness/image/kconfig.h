/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kconfig.h - a configuration of fragments, and why an option did not stick.
 *
 * Source: Linux, Documentation/kbuild/kconfig-language.rst.
 */
#ifndef KJUMP_IMAGE_KCONFIG_H
#define KJUMP_IMAGE_KCONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Reads fragments, in order: what the last one says of an option counts. Options
 * that the configuration @config has otherwise are appended to @lost, one line each,
 * "CONFIG_X y m FILE:LINE": what was asked for ("n" too), what is, and where.
 */
int kconfig_compare(char *const *fragments, size_t n, const char *config, struct buf *lost,
		    struct err *e);

/* True if the text of a configuration has @option (with CONFIG_) set to y. */
bool kconfig_is_set(const char *config, const char *option);

#endif
