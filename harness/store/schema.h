/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schema.h - brings a database to the current schema.
 */
#ifndef KJUMP_STORE_SCHEMA_H
#define KJUMP_STORE_SCHEMA_H

#include "store/sql.h"

/*
 * Creates the tables of an empty database, or migrates an older one; several
 * processes may try at once. All of it or nothing. -EPROTONOSUPPORT: a newer
 * kjump wrote it; -EBADMSG: it is somebody else's.
 */
int schema_bring_up(struct sql *db, struct err *e);

#endif
