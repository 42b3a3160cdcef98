// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/console/console_tty.h"

#include "base/alloc.h"
#include "machine/console/line.h"
#include "machine/serial/serial.h"

struct console_tty {
	struct console console;
	const struct tty_address *address;
	const struct tty_roots *roots;
	unsigned int baud;
	struct line *line;
};

static struct console_tty *to_tty(struct console *c)
{
	return container_of(c, struct console_tty, console);
}

static int open_tty(void *arg, struct err *e)
{
	struct console_tty *t = arg;
	char *path __free(str) = NULL;
	int rc = tty_find(t->address, t->roots, &path, e);

	return rc ? rc : serial_open(path, t->baud, e);
}

static void on_up(void *arg)
{
	struct console_tty *t = arg;

	if (t->console.events.back)
		t->console.events.back(t->console.events.arg);
}

static void on_bytes(const void *data, size_t len, void *arg)
{
	struct console_tty *t = arg;

	t->console.events.bytes(data, len, t->console.events.arg);
}

static void on_down(void *arg)
{
	struct console_tty *t = arg;

	if (t->console.events.hangup)
		t->console.events.hangup(t->console.events.arg);
}

static int console_tty_write(struct console *c, const void *data, size_t len)
{
	return line_write(to_tty(c)->line, data, len);
}

static int console_tty_set_baud(struct console *c, unsigned int baud)
{
	struct console_tty *t = to_tty(c);
	int fd = line_fd(t->line);

	t->baud = baud;
	return fd < 0 ? 0 : serial_set_baud(fd, baud);
}

static void console_tty_free(struct console *c)
{
	struct console_tty *t = to_tty(c);

	line_free(t->line);
	free(t);
}

static const struct console_ops console_tty_ops = {
	.name = "tty",
	.write = console_tty_write,
	.set_baud = console_tty_set_baud,
	.free = console_tty_free,
};

int console_tty_new(sd_event *loop, const struct tty_address *address,
		    const struct tty_roots *roots, unsigned int baud,
		    const struct console_events *events, struct console **ret, struct err *e)
{
	struct line_opts opts = {
		.loop = loop, .open = open_tty, .up = on_up, .bytes = on_bytes, .down = on_down};
	struct console_tty *t;
	int rc;

	xnew(t);
	t->console.ops = &console_tty_ops;
	t->console.events = *events;
	t->address = address;
	t->roots = roots;
	t->baud = baud;
	opts.arg = t;
	rc = line_new(&opts, &t->line, e);
	if (rc) {
		free(t);
		return err_prefix(e, rc, "console");
	}
	*ret = &t->console;
	return 0;
}
