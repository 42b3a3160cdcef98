/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * series.h - the patches in a mailbox, or in a mail thread as a web page shows it.
 *
 * A thread's mails begin with a line of their subject, after an empty one, and name
 * their author as "[Name]" below it; his address is the one of his Signed-off-by.
 * Replies, cover letters and whatever else has no patch are left out. Mails are
 * foreign: what is written comes of them, where it is written never does.
 * Source of the mailbox format: git-mailsplit(1), git-mailinfo(1).
 */
#ifndef KJUMP_IMAGE_SERIES_H
#define KJUMP_IMAGE_SERIES_H

#include <stddef.h>

#include "base/err.h"

struct series_patch {
	unsigned int n, m;  /* "[PATCH n/m]"; 1/1 if it has no number */
	char *subject;	    /* without its brackets */
	char *name, *email; /* of the author */
	char *date;	    /* RFC 2822; NULL in a thread */
	char *body;	    /* message and diff */
};

struct series {
	struct series_patch *p; /* in the order of n */
	size_t n;
};

void series_fini(struct series *s);
#define __free_series __cleanup(series_fini)

/*
 * Reads a whole thread or mailbox. -EBADMSG says which patch is missing, stands twice or
 * has no author's address.
 */
int series_read(const char *path, struct series *ret, struct err *e);

/* The two kinds of it, from memory. */
int series_parse_thread(const char *text, size_t len, struct series *ret, struct err *e);

/*
 * Puts patches "0001-subject.patch" and a quilt "series" into @dir, which is made
 * and must be empty or absent (-EEXIST).
 */
int series_write(const struct series *s, const char *dir, struct err *e);

#endif
