// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/machine.h"

#include <errno.h>
#include <string.h>

#include "machine/driver.h"

static const struct machine_driver *const drivers[] = {
	&machine_driver_qemu,
	&machine_driver_fake,
};

static int find_driver(const struct machine_spec *spec, const struct machine_driver **ret,
		       struct err *e)
{
	size_t i;

	if (spec->hardware) {
		*ret = &machine_driver_board;
		if (!spec->place)
			return err_set(e, ENODEV, "machine '%s': no place of the lab has a '%s'",
				       spec->name, spec->board);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(drivers); i++) {
		if (!strcmp(drivers[i]->board, spec->board)) {
			*ret = drivers[i];
			return 0;
		}
	}
	return err_set(e, ENOTSUP, "machine '%s': there is no driver for board '%s'", spec->name,
		       spec->board);
}

int machine_new(const struct machine_opts *opts, const struct machine_events *events,
		const struct console_events *console_events, struct machine **ret, struct err *e)
{
	const struct machine_driver *driver;
	int rc = find_driver(opts->spec, &driver, e);

	if (rc)
		return rc;
	rc = driver->new (opts, events, console_events, ret, e);
	return rc ? err_prefix(e, rc, "machine '%s'", opts->spec->name) : 0;
}

int machine_base_dtb(const struct machine_opts *opts, struct buf *out, struct err *e)
{
	const struct machine_driver *driver;
	int rc = find_driver(opts->spec, &driver, e);

	if (rc)
		return rc;
	rc = driver->base_dtb(opts, out, e);
	return rc ? err_prefix(e, rc, "machine '%s'", opts->spec->name) : 0;
}

int machine_preflight(const struct machine_spec *spec, uint64_t *ret_bytes, struct err *e)
{
	const struct machine_driver *driver;
	int rc = find_driver(spec, &driver, e);

	*ret_bytes = 0;
	if (rc)
		return rc;
	rc = driver->preflight(spec, ret_bytes, e);
	return rc ? err_prefix(e, rc, "machine '%s'", spec->name) : 0;
}
