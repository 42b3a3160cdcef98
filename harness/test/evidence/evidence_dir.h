/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * evidence_dir.h - where a test's evidence goes: a directory that is not there yet.
 */
#ifndef KJUMP_TEST_EVIDENCE_EVIDENCE_DIR_H
#define KJUMP_TEST_EVIDENCE_EVIDENCE_DIR_H

#include "test/test.h"

#include "base/alloc.h"
#include "base/file.h"

/* cmocka set-up and tear-down: @dir inside of @top, which exists. */
static char *top, *dir;

static int make_dir(void **state)
{
	char template[] = "/tmp/kjump-test-XXXXXX";

	top = xstrdup(mkdtemp(template));
	dir = file_join(top, "evidence");
	return 0;
}

static int drop_dir(void **state)
{
	int rc = file_remove_tree(top, NULL);

	free(dir);
	free(top);
	return rc;
}

#endif
