// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/expect.h"

#include "base/clock.h"
#include "base/log.h"

bool is_expected(const struct known_set *known, const char *job_id, const char *job_title,
		 const struct verdict *v)
{
	const struct known_query q = {job_id, job_title, outcome_name(v->outcome), v->signature};
	char today[32];
	bool expired;

	if (v->outcome == OUTCOME_USERSPACE_REACHED)
		return true;
	clock_utc(today, sizeof(today));
	today[10] = '\0'; /* the day of "2026-12-01T02:03:04Z" */
	if (known_find(known, &q, today, &expired))
		return true;
	if (expired)
		log_warn("%s: expected to end as %s once, but not any more", job_title, q.outcome);
	return false;
}
