// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/listener.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/alloc.h"

struct listener {
	int fd;
	char *path;
	sd_event_source *source;
	void (*connected)(int fd, void *arg);
	void *arg;
};

int listener_accept(struct listener *l)
{
	return accept4(l->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

static int on_connect(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct listener *l = userdata;
	int conn = listener_accept(l);

	if (conn >= 0)
		l->connected(conn, l->arg);
	return 0;
}

int listener_new(sd_event *loop, const char *path, void (*connected)(int fd, void *arg), void *arg,
		 struct listener **ret, struct err *e)
{
	int fd __free(fd) = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	struct listener *l;
	int rc;

	if (fd < 0)
		return err_errno(e, errno, "cannot make a socket");
	if (strlen(path) >= sizeof(addr.sun_path))
		return err_errno(e, ENAMETOOLONG, "cannot listen on '%s'", path);
	strcpy(addr.sun_path, path);
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 4))
		return err_errno(e, errno, "cannot listen on '%s'", path);
	xnew(l);
	l->connected = connected;
	l->arg = arg;
	l->path = xstrdup(path);
	l->fd = steal_fd(&fd);
	rc = sd_event_add_io(loop, &l->source, l->fd, EPOLLIN, on_connect, l);
	if (rc < 0) {
		listener_free(l);
		return err_errno(e, -rc, "cannot watch '%s'", path);
	}
	*ret = l;
	return 0;
}

void listener_enable(struct listener *l, bool on)
{
	sd_event_source_set_enabled(l->source, on ? SD_EVENT_ON : SD_EVENT_OFF);
}

void listener_free(struct listener *l)
{
	if (!l)
		return;
	sd_event_source_disable_unref(l->source);
	close(l->fd);
	unlink(l->path);
	free(l->path);
	free(l);
}
