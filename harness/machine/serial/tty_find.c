// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/serial/tty_find.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

DEFINE_FREE(dir, DIR *, if (_v) closedir(_v));

static const struct {
	enum tty_by by;
	const char *key, *what;
} ways[] = {
	{TTY_BY_PATH, "path", "path"},
	{TTY_BY_ID, "by-id", "id"},
	{TTY_BY_PORT, "by-path", "port"},
	{TTY_BY_SERIAL, "serial-number", "serial number"},
};

void tty_address_fini(struct tty_address *a)
{
	free(steal_ptr(a->text));
}

bool tty_address_read(struct tty_address *a, const struct yaml_node *node, struct diag *diag)
{
	const struct yaml_node *interface = yaml_get(node, "interface");
	uint64_t number = 0;
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		const struct yaml_node *value = yaml_get(node, ways[i].key);
		const char *text = value ? yaml_text(diag, value, ways[i].key) : NULL;

		if (!value)
			continue;
		n++;
		if (!text)
			return false;
		free(a->text);
		a->text = xstrdup(text);
		a->by = ways[i].by;
	}
	if (n != 1) {
		yaml_error(diag, node, "expected one of path, by-id, by-path, serial-number");
		return false;
	}
	if ((a->by == TTY_BY_ID || a->by == TTY_BY_PORT) && strchr(a->text, '/')) {
		yaml_error(diag, node, "'%s' is a name, not a path", a->text);
		return false;
	}
	if (!interface)
		return true;
	if (a->by != TTY_BY_SERIAL) {
		yaml_error(diag, interface, "interface goes with serial-number");
		return false;
	}
	if (!yaml_u64(diag, interface, 0, 31, &number))
		return false;
	a->interface = (unsigned int)number;
	return true;
}

char *tty_address_describe(const struct tty_address *a)
{
	const char *what = ways[a->by].what;

	if (a->interface)
		return xasprintf("%s '%s', interface %u", what, a->text, a->interface);
	return xasprintf("%s '%s'", what, a->text);
}

/* The first line of DIR/NAME equals @text? */
static bool file_says(const char *dir, const char *name, const char *text)
{
	char *path __free(str) = file_join(dir, name);
	struct buf content __free_buf = BUF_INIT;

	if (file_read(path, 4096, &content, NULL))
		return false;
	content.data[strcspn(content.data, "\n")] = '\0';
	return !strcmp(content.data, text);
}

/*
 * Climbs from a tty's device to the one that has a serial number: the USB device
 * whose interface it is.
 */
static bool is_adapter(const char *device, const struct tty_address *a)
{
	char *number __free(str) = xasprintf("%02x", a->interface);
	char path[PATH_MAX], *slash;
	bool interface = false, known = false;

	if (!realpath(device, path))
		return false;
	while ((slash = strrchr(path, '/')) && slash != path) {
		char *file __free(str) = file_join(path, "bInterfaceNumber");

		if (!known && file_exists(file)) {
			known = true;
			interface = file_says(path, "bInterfaceNumber", number);
		}
		if (file_says(path, "serial", a->text))
			return !known || interface;
		*slash = '\0';
	}
	return false;
}

static char *find_serial(const struct tty_address *a, const char *dev, const char *sys)
{
	char *class __free(str) = file_join(sys, "class/tty");
	DIR *dir __free(dir) = opendir(class);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		char *device __free(str) = xasprintf("%s/%s/device", class, d->d_name);

		if (d->d_name[0] != '.' && is_adapter(device, a))
			return file_join(dev, d->d_name);
	}
	return NULL;
}

int tty_find(const struct tty_address *a, const struct tty_roots *roots, char **ret, struct err *e)
{
	const char *dev = roots && roots->dev ? roots->dev : "/dev";
	const char *sys = roots && roots->sys ? roots->sys : "/sys";
	char *path __free(str) = NULL, *text __free(str) = NULL;

	switch (a->by) {
	case TTY_BY_PATH:
		path = xstrdup(a->text);
		break;
	case TTY_BY_ID:
		path = xasprintf("%s/serial/by-id/%s", dev, a->text);
		break;
	case TTY_BY_PORT:
		path = xasprintf("%s/serial/by-path/%s", dev, a->text);
		break;
	case TTY_BY_SERIAL:
		path = find_serial(a, dev, sys);
		break;
	}
	if (path && file_exists(path)) {
		*ret = steal_ptr(path);
		return 0;
	}
	text = tty_address_describe(a);
	return err_set(e, ENODEV, "no serial adapter with %s is plugged in", text);
}
