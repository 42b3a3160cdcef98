/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exhibit.h - proofs and pictures out of an attempt's evidence directory.
 */
#ifndef KJUMP_CMD_EXHIBIT_H
#define KJUMP_CMD_EXHIBIT_H

#include "report/exhibit.h"

/*
 * Fills @ret with what @dir holds of @row: all proofs, and of the pictures at most
 * EXHIBIT_PICTURES, those of milestones and the newest ones first; the bytes of
 * as many as fit into @picture_bytes. What the directory names is hostile: a
 * name that is not that of a picture beside it, and a file that is none, are
 * left out. @ret also on error what was read until then.
 */
int exhibit_read(const char *dir, const struct attempt_row *row, size_t picture_bytes,
		 struct exhibit *ret, struct err *e);

#endif
