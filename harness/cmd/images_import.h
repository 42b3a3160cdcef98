/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * images_import.h - `kjump images import`.
 */
#ifndef KJUMP_CMD_IMAGES_IMPORT_H
#define KJUMP_CMD_IMAGES_IMPORT_H

#include "cmd/cmd.h"

/* Writes the patches of @mailbox to @out (NULL: its name + ".patches"), and says which. */
enum exit_status images_import(const char *mailbox, const char *out);

#endif
