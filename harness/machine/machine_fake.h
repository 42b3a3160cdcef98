/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_fake.h - a machine that plays a script: board "fake".
 *
 * For running the whole pipeline without QEMU. A table of steps says what it
 * prints, what its display shows and when it fails; a callback can do what a
 * table cannot. It runs no program and touches no file.
 */
#ifndef KJUMP_MACHINE_MACHINE_FAKE_H
#define KJUMP_MACHINE_MACHINE_FAKE_H

#include "machine/machine.h"

enum machine_fake_action {
	FAKE_PRINT,	  /* prints text */
	FAKE_FLOOD,	  /* prints text over and over, n_bytes in all */
	FAKE_NOTICE,	  /* the monitor says text, one line of JSON */
	FAKE_RESET,	  /* resets itself and goes on running */
	FAKE_HANGUP,	  /* the console's line is gone */
	FAKE_BACK,	  /* and here again */
	FAKE_GUEST_RESET, /* down: the guest asked for a reset */
	FAKE_OFF,	  /* down: the guest powered itself off */
	FAKE_DIE,	  /* down: the machine failed, text says how */
	FAKE_SHOW,	  /* its display, if it has one, shows the colour rgb */
	FAKE_UNPLUG,	  /* the display's cable is out, says text */
};

struct machine_fake_step {
	const char *expect; /* waits for these typed characters; NULL: for nothing */
	uint64_t delay_ms;  /* and then so long */
	enum machine_fake_action action;
	const char *text;
	size_t n_bytes; /* FAKE_FLOOD only */
	uint32_t rgb;	/* FAKE_SHOW only: 0xRRGGBB */
};

enum machine_fake_start {
	FAKE_START_UP,
	FAKE_START_NEVER, /* start is accepted, and nothing ever happens */
	FAKE_START_DIES,  /* down(DIED) instead of up */
};

/*
 * Borrowed, with all that it points to, for as long as the machine lives. Steps
 * run in order and only while the machine is up: those after a down are played
 * after the next start.
 */
struct machine_fake_script {
	enum machine_fake_start start;
	const struct machine_fake_step *steps;
	size_t n_steps;
	bool echo; /* prints what is typed, as a terminal does */
	/* Each may be NULL; called from within start and console_write(). */
	void (*started)(struct machine *m, const struct machine_boot *boot, void *arg);
	void (*typed)(struct machine *m, const void *data, size_t len, void *arg);
	void *arg;
};

/* Replaces the script of a fake machine; its steps start anew. */
void machine_fake_set_script(struct machine *m, const struct machine_fake_script *script);

/*
 * The script of fake machines that are made from now on, for callers that do
 * not make them themselves. NULL: comes up and stays silent.
 */
void machine_fake_set_default_script(const struct machine_fake_script *script);

/* Does something now, that is: as soon as the loop comes round, in order. */
void machine_fake_do(struct machine *m, const struct machine_fake_step *step);

#endif
