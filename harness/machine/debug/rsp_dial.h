/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rsp_dial.h - the way to a gdb stub that listens: OpenOCD, a probe, QEMU.
 *
 * What is dialled is handed to debug_rsp_new().
 */
#ifndef KJUMP_MACHINE_DEBUG_RSP_DIAL_H
#define KJUMP_MACHINE_DEBUG_RSP_DIAL_H

#include "base/err.h"

/*
 * Starts to connect to "unix:PATH" or "tcp:ADDRESS:PORT" with a numeric address
 * ("tcp:127.0.0.1:3333", "tcp:[::1]:3333"). *ret_fd, non-blocking, is *returned*
 * and may still be connecting: what becomes of it shows when it is used.
 * -EINVAL: @address is neither.
 */
int rsp_dial(const char *address, int *ret_fd, struct err *e);

#endif
