// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sim_control.c - faults on command: one line a connection on DIR/control.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/alloc.h"
#include "base/text.h"
#include "sim/sim.h"

static bool set_number(uint64_t *field, const char *text)
{
	return text && !text_parse_u64(text, field);
}

static bool order_lose(struct sim *s, const char *text)
{
	uint64_t n = 0;

	if (!set_number(&n, text) || n > 1000000000)
		return false;
	s->lose_one_in = (unsigned int)n;
	return true;
}

static bool order_delay(struct sim *s, const char *text)
{
	return set_number(&s->echo_delay_ms, text);
}

static bool order_watchdog(struct sim *s, const char *text)
{
	return set_number(&s->watchdog_ms, text);
}

static bool order_unplug(struct sim *s, const char *text)
{
	uint64_t ms;

	if (!set_number(&ms, text))
		return false;
	sim_line_unplug(s, ms);
	return true;
}

static bool order_stuck(struct sim *s, const char *text)
{
	static const char *const words[] = {"no", "on", "off"};
	size_t i;

	for (i = 0; text && i < ARRAY_SIZE(words); i++) {
		if (!strcmp(text, words[i])) {
			s->stuck = (enum sim_stuck)i;
			sim_target_update(s);
			return true;
		}
	}
	return false;
}

/* Takes effect at the next power-on. */
static bool order_silent(struct sim *s, const char *text)
{
	s->silent = !text || strcmp(text, "no");
	s->flash_cures = text && !strcmp(text, "until-flashed");
	return true;
}

static bool order_state(struct sim *s, const char *text)
{
	return true;
}

static const struct {
	const char *word;
	bool (*obey)(struct sim *s, const char *text);
} orders[] = {
	{"lose", order_lose},	  {"echo-delay", order_delay},	{"watchdog", order_watchdog},
	{"unplug", order_unplug}, {"relay-stuck", order_stuck}, {"silent", order_silent},
	{"state", order_state},
};

static bool obey(struct sim *s, char *line)
{
	char *text = strchr(line, ' ');
	size_t i;

	if (text)
		*text++ = '\0';
	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		if (!strcmp(orders[i].word, line))
			return orders[i].obey(s, text);
	}
	return false;
}

static void make_blocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
}

/* Whoever connects sends its line at once; the simulator has nothing else to do. */
static void on_connected(int fd, void *arg)
{
	struct sim *s = arg;
	char line[256], answer[64];
	ssize_t n;

	make_blocking(fd);
	n = recv(fd, line, sizeof(line) - 1, 0);
	if (n > 0) {
		line[n] = '\0';
		line[strcspn(line, "\n")] = '\0';
		if (obey(s, line))
			snprintf(answer, sizeof(answer), "ok power=%s\n",
				 s->powered ? "on" : "off");
		else
			snprintf(answer, sizeof(answer), "no such order\n");
		send(fd, answer, strlen(answer), MSG_NOSIGNAL);
	}
	close(fd);
}

int sim_control_open(struct sim *s, struct err *e)
{
	char *path __free(str) = xasprintf("%s/control", s->dir);

	unlink(path);
	return listener_new(s->loop, path, on_connected, s, &s->control, e);
}

int sim_control_send(const char *dir, const char *order, struct buf *answer, struct err *e)
{
	int fd __free(fd) = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	char block[256];
	ssize_t n;

	if (fd < 0)
		return err_errno(e, errno, "cannot make a socket");
	if ((size_t)snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/control", dir) >=
	    sizeof(addr.sun_path))
		return err_errno(e, ENAMETOOLONG, "'%s'", dir);
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return err_errno(e, errno, "no simulator answers at '%s'", addr.sun_path);
	if (send(fd, order, strlen(order), MSG_NOSIGNAL) < 0)
		return err_errno(e, errno, "cannot send the order");
	n = recv(fd, block, sizeof(block), 0);
	if (n > 0)
		buf_add(answer, block, (size_t)n);
	return !strncmp(answer->data, "ok", 2)
		       ? 0
		       : err_set(e, EINVAL, "'%s': %s", order, answer->data);
}
