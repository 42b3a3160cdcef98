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
	int lock_fd; /* of kjump.lock, once this store has claimed a run; else -1 */
};

/* The key of run @id. -ENOENT. */
int store_run_key(struct store *s, const char *id, int64_t *ret, struct err *e);

/* Does a living process claim run @key? */
bool store_run_claimed(const struct store *s, int64_t key);

#endif
