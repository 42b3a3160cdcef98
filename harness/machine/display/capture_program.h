/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture_program.h - one run of kjump-grab: its start, its stream and its end.
 */
#ifndef KJUMP_MACHINE_DISPLAY_CAPTURE_PROGRAM_H
#define KJUMP_MACHINE_DISPLAY_CAPTURE_PROGRAM_H

#include <systemd/sd-event.h>

#include "machine/display/capture_stream.h"

struct capture_program_events {
	void (*message)(const struct capture_message *m, void *arg);
	/*
	 * The last callback. @text: why, for people. @died: it was not its own
	 * decision, or it said what is no stream.
	 */
	void (*ended)(bool died, const char *text, void *arg);
	void *arg;
};

struct capture_program;

/* @argv ends with NULL. Events come from the loop. */
int capture_program_start(sd_event *loop, const char *const *argv,
			  const struct capture_program_events *events, struct capture_program **ret,
			  struct err *e);
/* Ends it at once. Legal in any state, also in a callback; no event comes after it. */
void capture_program_free(struct capture_program *p);
/* How closely it is to look. */
void capture_program_pace(struct capture_program *p, bool fast);

#endif
