// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/power/power_serial.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "machine/serial/serial.h"

#define REPLY_US   1000000
#define RELEASE_US 50000 /* the last byte leaves the adapter before it is closed */

enum request { REQUEST_NONE, REQUEST_SET, REQUEST_GET };

struct power_serial {
	struct power power;
	sd_event *loop;
	const struct power_serial_protocol *protocol;
	struct tty_address address;
	unsigned int unit, channel;
	enum request request;
	bool was_set, on; /* the get under way checks a set */
	int fd;
	sd_event_source *io, *timer;
	struct buf asked, reply;
	size_t expected;
};

static struct power_serial *to_serial(struct power *p)
{
	return container_of(p, struct power_serial, power);
}

static void shut(struct power_serial *s)
{
	s->io = sd_event_source_disable_unref(s->io);
	s->timer = sd_event_source_disable_unref(s->timer);
	if (s->fd >= 0)
		close(steal_fd(&s->fd));
	s->request = REQUEST_NONE;
}

static void fail(struct power_serial *s, const char *text)
{
	shut(s);
	s->power.events.failed(text, s->power.events.arg);
}

static void settle(struct power_serial *s, enum power_state state)
{
	shut(s);
	if (s->was_set && state != POWER_UNKNOWN && (state == POWER_ON) != s->on) {
		fail(s, s->on ? "it was switched on and says that it is off"
			      : "it was switched off and says that it is on");
		return;
	}
	s->power.events.settled(state, s->power.events.arg);
}

static int ask(struct power_serial *s, enum request request, struct err *e);

static void on_reply(struct power_serial *s)
{
	struct err e __free_err = ERR_INIT;
	enum power_state state;
	int rc;

	if (s->request == REQUEST_GET) {
		rc = s->protocol->read_get(s->unit, &s->reply, &state, &e);
		if (!rc)
			settle(s, state);
	} else {
		rc = s->protocol->read_set(&s->asked, &s->reply, &e);
		shut(s);
		if (!rc)
			rc = ask(s, REQUEST_GET, &e);
	}
	if (rc)
		fail(s, err_msg(&e));
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct power_serial *s = userdata;
	char block[64];
	ssize_t n = read(fd, block, sizeof(block));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		fail(s, "its serial adapter is gone");
		return 0;
	}
	buf_add(&s->reply, block, (size_t)n);
	if (s->reply.len >= s->expected)
		on_reply(s);
	return 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct power_serial *s = userdata;
	struct buf text __free_buf = BUF_INIT;

	if (!s->expected) {
		settle(s, POWER_UNKNOWN);
		return 0;
	}
	buf_addf(&text, "it answered %zu of %zu bytes", s->reply.len, s->expected);
	fail(s, text.data);
	return 0;
}

static int open_line(struct power_serial *s, struct err *e)
{
	char *path __free(str) = NULL;
	int rc = tty_find(&s->address, NULL, &path, e);

	if (rc)
		return rc;
	s->fd = serial_open(path, s->protocol->baud, e);
	return s->fd < 0 ? s->fd : 0;
}

static int ask(struct power_serial *s, enum request request, struct err *e)
{
	int rc = open_line(s, e);

	if (rc)
		return rc;
	buf_reset(&s->asked);
	buf_reset(&s->reply);
	s->request = request;
	if (request == REQUEST_GET)
		s->expected = s->protocol->get(s->unit, s->channel, &s->asked);
	else
		s->expected = s->protocol->set(s->unit, s->channel, s->on, &s->asked);
	rc = file_write_all(s->fd, s->asked.data, s->asked.len);
	if (!rc)
		rc = sd_event_add_time_relative(s->loop, &s->timer, CLOCK_MONOTONIC,
						s->expected ? REPLY_US : RELEASE_US, 1000, on_timer,
						s);
	if (rc >= 0 && s->expected)
		rc = sd_event_add_io(s->loop, &s->io, s->fd, EPOLLIN, on_io, s);
	if (rc < 0) {
		shut(s);
		return err_errno(e, -rc, "cannot talk to the relay");
	}
	return 0;
}

static int power_serial_set(struct power *p, bool on, struct err *e)
{
	struct power_serial *s = to_serial(p);

	if (s->request != REQUEST_NONE)
		return err_set(e, EBUSY, "it is being switched already");
	s->was_set = true;
	s->on = on;
	return ask(s, REQUEST_SET, e);
}

static int on_unknown(sd_event_source *source, uint64_t usec, void *userdata)
{
	settle(userdata, POWER_UNKNOWN);
	return 0;
}

static int power_serial_get(struct power *p, struct err *e)
{
	struct power_serial *s = to_serial(p);
	int rc;

	if (s->request != REQUEST_NONE)
		return err_set(e, EBUSY, "it is being switched already");
	s->was_set = false;
	if (s->protocol->get)
		return ask(s, REQUEST_GET, e);
	s->request = REQUEST_GET;
	rc = sd_event_add_time_relative(s->loop, &s->timer, CLOCK_MONOTONIC, 0, 1000, on_unknown,
					s);
	return rc < 0 ? err_errno(e, -rc, "cannot make a timer") : 0;
}

static void power_serial_free(struct power *p)
{
	struct power_serial *s = to_serial(p);

	shut(s);
	tty_address_fini(&s->address);
	buf_fini(&s->asked);
	buf_fini(&s->reply);
	free(s);
}

static const struct power_ops power_serial_ops = {
	.set = power_serial_set, .get = power_serial_get, .free = power_serial_free};

struct power *power_serial_new(sd_event *loop, const struct power_serial_protocol *protocol,
			       struct tty_address *address, unsigned int unit, unsigned int channel,
			       const struct power_events *events)
{
	struct power_serial *s;

	xnew(s);
	s->power.ops = &power_serial_ops;
	s->power.events = *events;
	s->loop = loop;
	s->protocol = protocol;
	s->address = *address;
	address->text = NULL;
	s->unit = unit;
	s->channel = channel;
	s->fd = -1;
	buf_init(&s->asked);
	buf_init(&s->reply);
	return &s->power;
}
