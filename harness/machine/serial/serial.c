// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/serial/serial.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/cleanup.h"

int serial_set_baud(int fd, unsigned int baud)
{
	struct termios2 t;

	if (ioctl(fd, TCGETS2, &t))
		return -errno;
	t.c_cflag &= ~(tcflag_t)(CBAUD | CBAUD << IBSHIFT);
	t.c_cflag |= BOTHER | BOTHER << IBSHIFT;
	t.c_ispeed = t.c_ospeed = baud;
	return ioctl(fd, TCSETS2, &t) ? -errno : 0;
}

int serial_get_baud(int fd, unsigned int *ret_baud)
{
	struct termios2 t;

	if (ioctl(fd, TCGETS2, &t))
		return -errno;
	*ret_baud = t.c_ospeed;
	return 0;
}

static int make_raw(int fd)
{
	struct termios2 t;

	if (ioctl(fd, TCGETS2, &t))
		return -errno;
	t.c_iflag = IGNBRK;
	t.c_oflag = 0;
	t.c_lflag = 0;
	t.c_cflag = (t.c_cflag & (CBAUD | CBAUD << IBSHIFT)) | CS8 | CREAD | CLOCAL;
	t.c_cc[VMIN] = 1;
	t.c_cc[VTIME] = 0;
	return ioctl(fd, TCSETS2, &t) ? -errno : 0;
}

int serial_open(const char *path, unsigned int baud, struct err *e)
{
	int fd __free(fd) = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return err_errno(e, errno, "cannot open '%s'", path);
	rc = make_raw(fd);
	if (!rc)
		rc = serial_set_baud(fd, baud);
	if (rc)
		return err_errno(e, -rc, "cannot set '%s' to %u baud", path, baud);
	/* One that somebody left on would hold the target; a pty knows none. */
	ioctl(fd, TIOCCBRK);
	return steal_fd(&fd);
}
