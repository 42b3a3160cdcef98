/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile_warn.h - where common readers of boot entries would differ.
 */
#ifndef KJUMP_PLAN_PROFILE_WARN_H
#define KJUMP_PLAN_PROFILE_WARN_H

#include "plan/profile.h"

/* Adds one; what it quotes of the file is escaped. */
void profile_warn_at(struct profile *p, unsigned int line, unsigned int col, const char *fmt, ...)
	__printf(4, 5);

/* Adds those about the fields, and brings all into the order of the file. */
void profile_warn(struct profile *p);

#endif
