/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tty_find.h - which tty is the adapter that is meant?
 *
 * The number in ttyUSB0 changes when an adapter is plugged in again; what does
 * not is the name that udev gives it, the port that it is plugged into, and the
 * serial number in its descriptor.
 */
#ifndef KJUMP_MACHINE_SERIAL_TTY_FIND_H
#define KJUMP_MACHINE_SERIAL_TTY_FIND_H

#include "base/err.h"
#include "plan/yaml.h"

enum tty_by { TTY_BY_PATH, TTY_BY_ID, TTY_BY_PORT, TTY_BY_SERIAL };

struct tty_address {
	enum tty_by by;
	char *text;		/* a path, a name below by-id or by-path, or a serial number */
	unsigned int interface; /* of an adapter with several ports; only by serial number */
};

void tty_address_fini(struct tty_address *a);

/* Its keys in a lab file, for yaml_check_keys(). */
#define TTY_KEYS "path", "by-id", "by-path", "serial-number", "interface"

/* Exactly one of path, by-id, by-path, serial-number in the map @node; false: reported. */
bool tty_address_read(struct tty_address *a, const struct yaml_node *node, struct diag *diag);

/* Where the system shows its devices; NULL: /dev and /sys. Borrowed. */
struct tty_roots {
	const char *dev, *sys;
};

/* The tty's path as it is now, *returned*. -ENODEV: it is not plugged in. */
int tty_find(const struct tty_address *a, const struct tty_roots *roots, char **ret, struct err *e);

/* For people: "serial number FT4XQ7". *Returned*. */
char *tty_address_describe(const struct tty_address *a);

#endif
