/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - what a command that only looks takes on its command line.
 */
#ifndef KJUMP_CMD_OPTIONS_H
#define KJUMP_CMD_OPTIONS_H

#include <stdbool.h>

#include "cmd/cmd.h"

struct option_spec {
	const char *name;   /* of --NAME, or one letter of -N */
	const char **value; /* where its argument goes, borrowed from argv; or */
	bool *flag;	    /* what it sets; it takes no argument */
};

/*
 * Reads @argv; @specs ends with a NULL name. What is no option goes to @args,
 * which has room for @max, in order; the rest of it becomes NULL. --help and
 * mistakes print @usage. False: done, exit with *ret_status.
 */
bool options_read(int argc, char **argv, const struct option_spec *specs, const char *usage,
		  const char **args, int max, enum exit_status *ret_status);

#endif
