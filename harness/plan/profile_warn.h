/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile_warn.h - where common readers of boot entries would differ.
 */
#ifndef KJUMP_PLAN_PROFILE_WARN_H
#define KJUMP_PLAN_PROFILE_WARN_H

#include "plan/profile.h"

/* Fills p->warnings, in file order. */
void profile_warn(struct profile *p);

#endif
