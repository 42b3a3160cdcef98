// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/power/power.h"

#include <errno.h>

static const struct power_driver *const drivers[] = {
	&power_lcus,
	&power_modbus,
	&power_command,
};

const char *power_state_name(enum power_state s)
{
	switch (s) {
	case POWER_UNKNOWN:
		return "unknown";
	case POWER_OFF:
		return "off";
	case POWER_ON:
		return "on";
	}
	return "?";
}

int power_new(sd_event *loop, const struct yaml_node *node, const struct power_events *events,
	      struct power **ret, struct diag *diag)
{
	const char *names[ARRAY_SIZE(drivers)];
	const struct yaml_node *driver;
	size_t i;
	int k;

	if (!yaml_want(diag, node, YAML_MAP, "an outlet"))
		return -EINVAL;
	driver = yaml_need(diag, node, "driver");
	for (i = 0; i < ARRAY_SIZE(drivers); i++)
		names[i] = drivers[i]->name;
	k = driver ? yaml_word(diag, driver, names, ARRAY_SIZE(names)) : -1;
	return k < 0 ? -EINVAL : drivers[k]->new (loop, node, events, ret, diag);
}
