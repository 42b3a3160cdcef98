// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/results.h"

#include <errno.h>

#include "base/file.h"

bool results_exist(const char *results)
{
	char *db __free(str) = file_join(results, "kjump.db");

	return file_exists(db);
}

int results_open_run(const char *results, const char *prefix, struct store **ret_store,
		     char **ret_run, struct err *e)
{
	int rc;

	if (!results_exist(results))
		return err_set(e, ENOENT, "there are no runs in '%s'", results);
	rc = store_open(results, ret_store, e);
	return rc ? rc : store_find_run(*ret_store, prefix, ret_run, e);
}

enum exit_status results_status(int rc)
{
	if (!rc)
		return EXIT_EXPECTED;
	return rc == -ENOENT || rc == -ENOTUNIQ || rc == -EINVAL ? EXIT_USAGE : EXIT_INFRA;
}
