/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rejudge.h - judging a run again from its evidence, without booting anything.
 */
#ifndef KJUMP_CMD_REJUDGE_H
#define KJUMP_CMD_REJUDGE_H

#include "base/err.h"
#include "cmd/cmd.h"
#include "plan/known.h"
#include "plan/rule.h"

struct rejudge_opts {
	const char *results; /* where kjump.db is */
	const char *run;     /* "last" or the beginning of an id */
	const struct rule_set *rules;
	const struct known_set *known;
	bool json;
};

/*
 * Replaces the verdicts in the store and prints what changed. The exit status
 * is that of a run with the new verdicts.
 */
enum exit_status rejudge(const struct rejudge_opts *opts, struct err *e);

#endif
