/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * known.h - failures that are expected for now, from cases/known.yaml.
 *
 * See the head of the YAML file for the form. The set owns all that it points to.
 */
#ifndef KJUMP_PLAN_KNOWN_H
#define KJUMP_PLAN_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "plan/diag.h"

struct known {
	char *job;	 /* pattern of a job's id or title */
	char *outcome;	 /* its name */
	char *signature; /* pattern, or NULL: any */
	char *reason;
	char expires[11]; /* "2027-01-31": the last day */
};

struct known_set {
	struct known *known;
	size_t n;
};

/* -EINVAL with all mistakes in @diag. */
int known_set_load(const char *path, struct diag *diag, struct known_set **ret);
void known_set_free(struct known_set *s);
DEFINE_FREE(known_set, struct known_set *, known_set_free(_v));

/* What a failed attempt was. Borrowed strings; signature may be NULL. */
struct known_query {
	const char *job_id, *job_title, *outcome, *signature;
};

/*
 * The entry that expects this, *borrowed*, or NULL. *ret_expired: one did until
 * before @today ("2027-02-01"), and none does any more.
 */
const struct known *known_find(const struct known_set *s, const struct known_query *q,
			       const char *today, bool *ret_expired);

#endif
