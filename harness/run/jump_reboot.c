// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jump_reboot.c - A asks for a reset; the loader starts B.
 *
 * The machine ends with the reset and is started again with what its boot
 * loader is to choose this time.
 */
#include "run/steps.h"

/* It may be gone before its shell's last word was read. */
static bool reset_early(struct session *s, enum machine_down why)
{
	if (why != MACHINE_DOWN_GUEST_RESET)
		return false;
	s->was_reset = true;
	shell_reset(s->shell);
	session_next(s);
	return true;
}

static void leave(struct session *s)
{
	session_leave(s, "reboot -f");
}

static void off(struct session *s)
{
	session_mark(s, MARK_POWER_OFF, NULL);
	session_next(s);
}

static void wait_off(struct session *s)
{
	if (s->was_reset)
		off(s);
}

static bool is_off(struct session *s, enum machine_down why)
{
	if (why != MACHINE_DOWN_GUEST_RESET)
		return false;
	off(s);
	return true;
}

static const struct step step_leave = {LIMIT_SHUTDOWN, true, leave, NULL, reset_early};
static const struct step step_wait_off = {LIMIT_SHUTDOWN, true, wait_off, NULL, is_off};

static const struct step *const steps[] = {
	&step_power_on_a, &step_attach_a,	 &step_prove_a,	       &step_leave, &step_wait_off,
	&step_power_on_b, &step_attach_booted_b, &step_prove_booted_b, NULL,
};

const struct jump jump_reboot = {.kind = JUMP_REBOOT, .steps = steps};
