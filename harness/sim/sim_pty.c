// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#include "machine/serial/serial.h"
#include "sim/sim.h"

#define LOOK_US 20000

static bool is_open_elsewhere(const struct sim_pty *p)
{
	struct pollfd f = {.fd = p->fd, .events = POLLIN};

	return poll(&f, 1, 0) >= 0 && !(f.revents & POLLHUP);
}

/* While nobody has it open a pty is an error, all the time: looked at now and then. */
static int on_look(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct sim_pty *p = userdata;

	if (is_open_elsewhere(p)) {
		sd_event_source_set_enabled(p->io, SD_EVENT_ON);
		return 0;
	}
	sd_event_source_set_time_relative(source, LOOK_US);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct sim_pty *p = userdata;
	char block[4096];
	ssize_t n = read(fd, block, sizeof(block));

	if (n > 0) {
		p->bytes(block, (size_t)n, p->arg);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		sd_event_source_set_enabled(p->io, SD_EVENT_OFF);
		sd_event_source_set_time_relative(p->poll, LOOK_US);
		sd_event_source_set_enabled(p->poll, SD_EVENT_ONESHOT);
	}
	return 0;
}

int sim_pty_open(struct sim_pty *p, struct err *e)
{
	char path[64];
	int fd, rc;

	p->fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (p->fd < 0 || grantpt(p->fd) || unlockpt(p->fd) || ptsname_r(p->fd, path, sizeof(path)))
		return err_errno(e, errno, "cannot make a pty");
	/* Once opened and closed it can tell that nobody has it open. */
	fd = serial_open(path, SIM_BAUD, e);
	if (fd < 0)
		return fd;
	close(fd);
	unlink(p->link);
	if (symlink(path, p->link))
		return err_errno(e, errno, "cannot make '%s'", p->link);
	rc = sd_event_add_io(p->loop, &p->io, p->fd, EPOLLIN, on_io, p);
	if (rc >= 0)
		rc = sd_event_add_time_relative(p->loop, &p->poll, CLOCK_MONOTONIC, LOOK_US, 1000,
						on_look, p);
	return rc < 0 ? err_errno(e, -rc, "cannot watch a pty") : 0;
}

void sim_pty_close(struct sim_pty *p)
{
	p->io = sd_event_source_disable_unref(p->io);
	p->poll = sd_event_source_disable_unref(p->poll);
	if (p->fd >= 0) {
		unlink(p->link);
		close(steal_fd(&p->fd));
	}
}

void sim_pty_write(struct sim_pty *p, const void *data, size_t len)
{
	const char *at = data;

	while (p->fd >= 0 && len && is_open_elsewhere(p)) {
		ssize_t n = write(p->fd, at, len);

		if (n < 0 && errno == EAGAIN) {
			struct pollfd f = {.fd = p->fd, .events = POLLOUT};

			/* A reader that is busy is no lossy line: that is a fault of its own. */
			poll(&f, 1, 100);
			continue;
		}
		if (n < 0)
			return;
		at += n;
		len -= (size_t)n;
	}
}
