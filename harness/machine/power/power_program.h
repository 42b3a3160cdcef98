/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * power_program.h - what outlets have in common that a program switches.
 */
#ifndef KJUMP_MACHINE_POWER_POWER_PROGRAM_H
#define KJUMP_MACHINE_POWER_POWER_PROGRAM_H

#include "machine/power/power.h"

struct power_program_opts {
	/* Arguments, NULL at the end; *taken*. get is NULL where there is none. */
	char **on, **off, **get;
	/* What get printed, NUL-terminated. */
	enum power_state (*parse)(const char *text, const void *arg);
	void *arg; /* malloced, *taken*; or NULL */
};

struct power *power_program_new(sd_event *loop, const struct power_program_opts *opts,
				const struct power_events *events);

/* A copy of @argv, *returned*. */
char **power_program_argv(const char *const *argv);

/* The items of a list in a lab file; NULL (reported) if it has none. *Returned*. */
char **power_program_read(const struct yaml_node *list, const char *what, struct diag *diag);

void power_program_free_argv(char **argv);

#endif
