/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_sqlite.h - what the files of the store share.
 */
#ifndef KJUMP_STORE_STORE_SQLITE_H
#define KJUMP_STORE_STORE_SQLITE_H

#include "store/sql.h"
#include "store/store.h"

struct store {
	struct sql *db;
	char *dir;
};

/* The key of run @id. -ENOENT. */
int store_run_key(struct store *s, const char *id, int64_t *ret, struct err *e);

#endif
