/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serial.h - a tty as a plain line of bytes, 8N1, at any speed.
 *
 * Raw, without flow control; modem control lines end nothing (CLOCAL), closing
 * it drops none (HUPCL off), and no break is sent. Source: tty_ioctl(4),
 * TCSETS2 with BOTHER.
 */
#ifndef KJUMP_MACHINE_SERIAL_SERIAL_H
#define KJUMP_MACHINE_SERIAL_SERIAL_H

#include "base/err.h"

/* A non-blocking descriptor, *returned*; or -errno. */
int serial_open(const char *path, unsigned int baud, struct err *e);

int serial_set_baud(int fd, unsigned int baud);

/* What the line's other end sees of a pty; -errno. */
int serial_get_baud(int fd, unsigned int *ret_baud);

#endif
