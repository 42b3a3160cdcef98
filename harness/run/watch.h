/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.h - a kexec seen from outside, as part of a session: the tables before
 * the jump, faults that the job puts in, the phases on the way, and the proof
 * when nothing moves any more. All of it becomes probe events and marks.
 *
 * Nothing here ends an attempt but a job's own wish: a debug port that fails is
 * told (PROBE_LOST) and the limits go on.
 */
#ifndef KJUMP_RUN_WATCH_H
#define KJUMP_RUN_WATCH_H

#include "machine/debug/debug.h"
#include "run/steps.h"

struct watch_kexec;

/* Does the job want its machine's debug port? */
bool watch_wanted(const struct job *job);

/* For machine_opts; valid as long as the session. */
struct debug_events watch_debug_events(struct session *s);

/* The step between the load and the jump. */
extern const struct step step_watch;

/* A is being left: from now on silence is looked into. */
void watch_left(struct session *s);

/* Before the session's last event: how often the machine was asked. */
void watch_end(struct session *s);

/* After the machine was freed. */
void watch_free(struct watch_kexec *w);

#endif
