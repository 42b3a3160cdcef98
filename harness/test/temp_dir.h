/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * temp_dir.h - a fresh directory for the whole of a test program.
 */
#ifndef KJUMP_TEST_TEMP_DIR_H
#define KJUMP_TEST_TEMP_DIR_H

#include "test/test.h"

#include "base/alloc.h"
#include "base/file.h"

static char *dir;

/* cmocka group set-up and tear-down. */
static int make_dir(void **state)
{
	char template[] = "/tmp/kjump-test-XXXXXX";

	dir = xstrdup(mkdtemp(template));
	return 0;
}

static int drop_dir(void **state)
{
	int rc = file_remove_tree(dir, NULL);

	free(dir);
	return rc;
}

#endif
