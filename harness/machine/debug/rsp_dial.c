// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/debug/rsp_dial.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/alloc.h"
#include "base/text.h"

static int dial(const struct sockaddr *addr, socklen_t len, int *ret_fd)
{
	int fd __free(fd) = socket(addr->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || (connect(fd, addr, len) && errno != EINPROGRESS))
		return -errno;
	*ret_fd = steal_fd(&fd);
	return 0;
}

static int dial_unix(const char *path, int *ret_fd)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);
	return dial((struct sockaddr *)&addr, sizeof(addr), ret_fd);
}

/* "HOST:PORT" or "[HOST]:PORT"; -EINVAL: it is neither. */
static int dial_tcp(const char *address, int *ret_fd)
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
				       .ai_socktype = SOCK_STREAM};
	const char *colon = strrchr(address, ':');
	char *host __free(str) = NULL;
	struct addrinfo *found;
	uint64_t port;
	bool brackets;
	int rc, on = 1;

	if (!colon || colon == address || text_parse_u64(colon + 1, &port) || port > UINT16_MAX)
		return -EINVAL;
	brackets = address[0] == '[' && colon[-1] == ']' && colon - address > 2;
	host = brackets ? xstrndup(address + 1, (size_t)(colon - address) - 2)
			: xstrndup(address, (size_t)(colon - address));
	if (getaddrinfo(host, colon + 1, &hints, &found))
		return -EINVAL;
	rc = dial(found->ai_addr, found->ai_addrlen, ret_fd);
	freeaddrinfo(found);
	/* One small packet waits for the next, here as there. */
	if (!rc)
		setsockopt(*ret_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return rc;
}

int rsp_dial(const char *address, int *ret_fd, struct err *e)
{
	int rc = -EINVAL;

	if (!strncmp(address, "unix:", 5))
		rc = dial_unix(address + 5, ret_fd);
	else if (!strncmp(address, "tcp:", 4))
		rc = dial_tcp(address + 4, ret_fd);
	if (rc == -EINVAL)
		return err_set(e, EINVAL,
			       "'%s' is neither unix:PATH nor tcp:ADDRESS:PORT with an IP address",
			       address);
	return rc ? err_errno(e, -rc, "cannot connect to '%s'", address) : 0;
}
