/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * version.h - which kjump a run was made with.
 */
#ifndef KJUMP_CMD_VERSION_H
#define KJUMP_CMD_VERSION_H

#define KJUMP_VERSION "0.1"

#endif
