/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results.h - to look at runs that were made before.
 */
#ifndef KJUMP_CMD_RESULTS_H
#define KJUMP_CMD_RESULTS_H

#include "cmd/cmd.h"
#include "store/store.h"

/* Is there a database in @results? To look must not leave one behind. */
bool results_exist(const char *results);

/*
 * Opens the database in @results and finds the run that is 'last' or whose id
 * begins with @prefix; both are *returned*, also the store on an error. -ENOENT,
 * -ENOTUNIQ and what store_open() says.
 */
int results_open_run(const char *results, const char *prefix, struct store **ret_store,
		     char **ret_run, struct err *e);

/* What was asked for is not there: usage; anything else: infrastructure. */
enum exit_status results_status(int rc);

#endif
