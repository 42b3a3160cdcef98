// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/console/console_place.h"

#include "base/alloc.h"
#include "machine/console/console_tcp.h"
#include "machine/console/console_tty.h"
#include "machine/console/console_unix.h"

static char *read_text(const struct yaml_node *node, const char *key, struct diag *diag)
{
	const struct yaml_node *value = yaml_need(diag, node, key);

	return value ? xstrdup_null(yaml_text(diag, value, key)) : NULL;
}

static void read_tty(struct console_place *p, const struct yaml_node *node, struct diag *diag)
{
	static const char *const keys[] = {"driver", TTY_KEYS};

	yaml_check_keys(diag, node, keys, ARRAY_SIZE(keys));
	tty_address_read(&p->tty, node, diag);
}

static void read_tcp(struct console_place *p, const struct yaml_node *node, struct diag *diag)
{
	static const char *const keys[] = {"driver", "host", "port"};

	yaml_check_keys(diag, node, keys, ARRAY_SIZE(keys));
	p->host = read_text(node, "host", diag);
	p->port = read_text(node, "port", diag);
}

static void read_unix(struct console_place *p, const struct yaml_node *node, struct diag *diag)
{
	static const char *const keys[] = {"driver", "path"};

	yaml_check_keys(diag, node, keys, ARRAY_SIZE(keys));
	p->path = read_text(node, "path", diag);
}

bool console_place_read(struct console_place *p, const struct yaml_node *node, struct diag *diag)
{
	static const char *const kinds[] = {
		[CONSOLE_TTY] = "tty",
		[CONSOLE_TCP] = "tcp",
		[CONSOLE_RFC2217] = "rfc2217",
		[CONSOLE_UNIX] = "unix",
	};
	const struct yaml_node *driver;
	size_t before = diag->n;
	int k;

	if (!yaml_want(diag, node, YAML_MAP, "a console"))
		return false;
	driver = yaml_need(diag, node, "driver");
	k = driver ? yaml_word(diag, driver, kinds, ARRAY_SIZE(kinds)) : -1;
	if (k < 0)
		return false;
	p->kind = (enum console_kind)k;
	switch (p->kind) {
	case CONSOLE_TTY:
		read_tty(p, node, diag);
		break;
	case CONSOLE_TCP:
	case CONSOLE_RFC2217:
		read_tcp(p, node, diag);
		break;
	case CONSOLE_UNIX:
		read_unix(p, node, diag);
		break;
	}
	return diag->n == before;
}

void console_place_fini(struct console_place *p)
{
	tty_address_fini(&p->tty);
	free(p->host);
	free(p->port);
	free(p->path);
}

int console_place_open(const struct console_place *p, sd_event *loop, unsigned int baud,
		       const struct console_events *events, struct console **ret, struct err *e)
{
	const struct console_tcp_opts tcp = {p->host, p->port, p->kind == CONSOLE_RFC2217, baud};

	switch (p->kind) {
	case CONSOLE_TTY:
		return console_tty_new(loop, &p->tty, NULL, baud, events, ret, e);
	case CONSOLE_TCP:
	case CONSOLE_RFC2217:
		return console_tcp_new(loop, &tcp, events, ret, e);
	case CONSOLE_UNIX:
		return console_unix_new(loop, p->path, events, ret, e);
	}
	return -1;
}
