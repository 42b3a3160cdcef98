/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * power.h - the port to one outlet: a relay's channel, a GPIO line, a socket.
 *
 * It switches and tells; what an outlet is for, how long it stays so, and
 * whether the target agrees is the board's to know. One request at a time; each
 * ends in exactly one event from the loop, never before the call has returned.
 * free is legal in any state and no event comes after it.
 */
#ifndef KJUMP_MACHINE_POWER_POWER_H
#define KJUMP_MACHINE_POWER_POWER_H

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "base/err.h"
#include "plan/yaml.h"

/* Unknown is not off: many a device cannot tell. */
enum power_state { POWER_UNKNOWN, POWER_OFF, POWER_ON };

struct power_events {
	/* Of set: it did, and this is what it says of itself now. Of get: the same. */
	void (*settled)(enum power_state state, void *arg);
	/* @text: why, for people. What the outlet is now is not known. */
	void (*failed)(const char *text, void *arg);
	void *arg;
};

struct power;

struct power_ops {
	/* -EBUSY: a request is under way. */
	int (*set)(struct power *p, bool on, struct err *e);
	int (*get)(struct power *p, struct err *e);
	void (*free)(struct power *p);
};

struct power {
	const struct power_ops *ops;
	struct power_events events;
};

/* What a driver exports: one const descriptor, in power.c's table. */
struct power_driver {
	const char *name;
	/* @node: its map in a lab file; mistakes go to @diag. Touches no device. */
	int (*new)(sd_event *loop, const struct yaml_node *node, const struct power_events *events,
		   struct power **ret, struct diag *diag);
};

extern const struct power_driver power_lcus, power_modbus, power_command;

/* Makes the driver that @node's key "driver" names; @node outlives it. -EINVAL. */
int power_new(sd_event *loop, const struct yaml_node *node, const struct power_events *events,
	      struct power **ret, struct diag *diag);

/* Every driver's map may have these, too. */
#define POWER_KEYS "driver", "inverted"

const char *power_state_name(enum power_state s);

static inline int power_set(struct power *p, bool on, struct err *e)
{
	return p->ops->set(p, on, e);
}

static inline int power_get(struct power *p, struct err *e)
{
	return p->ops->get(p, e);
}

static inline void power_free(struct power *p)
{
	if (p)
		p->ops->free(p);
}

#endif
