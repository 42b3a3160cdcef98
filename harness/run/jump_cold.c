// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jump_cold.c - the power is cut and comes back; the loader starts B.
 */
#include "base/clock.h"
#include "run/steps.h"

static void cut_power(struct session *s)
{
	struct err e __free_err = ERR_INIT;

	s->jump_ns = clock_ns();
	session_mark(s, MARK_JUMP, NULL);
	if (!s->ending && s->machine->ops->stop(s->machine, &e))
		session_infra(s, "cannot stop the machine: %s", err_msg(&e));
}

static bool is_off(struct session *s, enum machine_down why)
{
	if (why != MACHINE_DOWN_ASKED)
		return false;
	session_mark(s, MARK_POWER_OFF, NULL);
	session_next(s);
	return true;
}

static const struct step step_cut_power = {LIMIT_SHUTDOWN, false, cut_power, NULL, is_off};

static const struct step *const steps[] = {
	&step_power_on_a, &step_attach_a,	 &step_prove_a,	       &step_cut_power,
	&step_power_on_b, &step_attach_booted_b, &step_prove_booted_b, NULL,
};

const struct jump jump_cold = {.kind = JUMP_COLD, .steps = steps};
