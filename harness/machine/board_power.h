/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * board_power.h - a place's relays by what they are for, switched one by one.
 *
 * One request at a time; each ends in exactly one callback from the loop. free
 * is legal in any state.
 */
#ifndef KJUMP_MACHINE_BOARD_POWER_H
#define KJUMP_MACHINE_BOARD_POWER_H

#include <systemd/sd-event.h>

#include "machine/power/power.h"
#include "plan/lab.h"

struct board_power;

struct board_power_step {
	enum lab_role role; /* one that is not wired is passed over */
	bool on;	    /* of reset and maskrom: pressed */
};

#define BOARD_POWER_STEPS_MAX 8

/* @place is borrowed. Touches no device. -EINVAL with the mistakes in @diag. */
int board_power_new(sd_event *loop, const struct lab_place *place, struct board_power **ret,
		    struct diag *diag);
void board_power_free(struct board_power *b);

/* @error: NULL, or what failed at which role; the steps after it were not taken. */
typedef void (*board_power_done_fn)(const char *error, void *arg);

void board_power_apply(struct board_power *b, const struct board_power_step *steps, size_t n,
		       board_power_done_fn done, void *arg);

/* How @place is to be left: nothing pressed, power as it rests. Blocks; at most some 30 s a relay. */
int board_power_rest(const struct lab_place *place, struct err *e);

/* What @role's relay says of itself; blocks. UNKNOWN where it cannot tell. */
int board_power_ask(const struct lab_place *place, enum lab_role role, enum power_state *ret,
		    struct err *e);
/* Switches one relay; blocks. */
int board_power_switch(const struct lab_place *place, enum lab_role role, bool on, struct err *e);

#endif
