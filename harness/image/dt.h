/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dt.h - device trees of unknown origin (libfdt).
 */
#ifndef KJUMP_IMAGE_DT_H
#define KJUMP_IMAGE_DT_H

#include "base/buf.h"
#include "base/err.h"

#define DT_MAX_BYTES (2u << 20) /* MAX_FDT_SIZE of the arm64 kernel */

/*
 * Fills the empty @out with a copy of the tree, aligned as libfdt wants it,
 * after it was checked as a whole. -EBADMSG calls it @what.
 */
int dt_copy(const void *data, size_t len, const char *what, struct buf *out, struct err *e);

#endif
