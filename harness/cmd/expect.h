/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expect.h - did an attempt end as it was expected to?
 */
#ifndef KJUMP_CMD_EXPECT_H
#define KJUMP_CMD_EXPECT_H

#include <stdbool.h>

#include "judge/verdict.h"
#include "plan/known.h"

/*
 * Success always is; a failure is if @known says so today. One that was
 * expected until an earlier day is told to the person at the terminal.
 */
bool is_expected(const struct known_set *known, const char *job_id, const char *job_title,
		 const struct verdict *v);

#endif
