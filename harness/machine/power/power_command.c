// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power_command.c - commands of the user's: on, off, and perhaps get, which
 * prints a line that begins with "on" or "off".
 */
#include <errno.h>
#include <string.h>

#include "machine/power/power_program.h"

static enum power_state parse(const char *text, const void *arg)
{
	size_t len = strcspn(text, " \t\r\n");

	if (len == 2 && !strncasecmp(text, "on", 2))
		return POWER_ON;
	if (len == 3 && !strncasecmp(text, "off", 3))
		return POWER_OFF;
	return POWER_UNKNOWN;
}

static int command_new(sd_event *loop, const struct yaml_node *node,
		       const struct power_events *events, struct power **ret, struct diag *diag)
{
	static const char *const keys[] = {POWER_KEYS, "on", "off", "get"};
	struct power_program_opts opts = {.parse = parse};
	size_t before = diag->n;

	yaml_check_keys(diag, node, keys, ARRAY_SIZE(keys));
	opts.on = power_program_read(yaml_need(diag, node, "on"), "a command's word", diag);
	opts.off = power_program_read(yaml_need(diag, node, "off"), "a command's word", diag);
	opts.get = power_program_read(yaml_get(node, "get"), "a command's word", diag);
	if (!opts.on || !opts.off)
		yaml_error(diag, node, "on and off must each be a list of words");
	if (diag->n != before) {
		power_program_free_argv(opts.on);
		power_program_free_argv(opts.off);
		power_program_free_argv(opts.get);
		return -EINVAL;
	}
	*ret = power_program_new(loop, &opts, events);
	return 0;
}

const struct power_driver power_command = {"command", command_new};
