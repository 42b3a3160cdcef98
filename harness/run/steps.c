// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * steps.c - what all kinds of jump have in common: boot, attach, prove.
 */
#include "run/steps.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"

/*
 * How long after the jump A's shell may still answer, because it was not
 * stopped yet; afterwards an A that answers is what came of the jump.
 */
#define A_LINGERS_MS  5000
#define LOOK_AGAIN_MS 300

/* A shell may take this long for one of our questions; limits end it sooner. */
#define FOREVER_MS    86400000

#define POLL_MS	      2000

/* --- the shell on behalf of a step ---------------------------------------- */

static void on_shell_error(struct session *s, int error)
{
	switch (error) {
	case -ECANCELED:
		break;
	case -ETIMEDOUT:
		session_limit(s, "answer", session_scaled(s, SHELL_ECHO_MS) * SHELL_RESENDS);
		break;
	case -EIO:
		session_infra(s, "the console damages too much of what is typed");
		break;
	default:
		session_infra(s, "cannot type to the console: %s", strerrordesc_np(-error));
	}
}

static void on_ran(const struct shell_result *r, void *arg)
{
	struct session *s = arg;

	if (s->ending)
		return;
	if (r->error && r->error != -EMSGSIZE) {
		on_shell_error(s, r->error);
		return;
	}
	session_command(s, r);
	if (!s->ending)
		s->ran(s, r);
}

void session_run(struct session *s, const char *command,
		 void (*done)(struct session *s, const struct shell_result *r))
{
	int rc;

	if (s->ending)
		return;
	free(s->command);
	s->command = xstrdup(command);
	s->ran = done;
	rc = shell_run(s->shell, command, FOREVER_MS, on_ran, s);
	if (rc)
		on_shell_error(s, rc);
}

static void on_left(const struct shell_result *r, void *arg)
{
	struct session *s = arg;

	if (s->ending)
		return;
	/* Without an answer it may have left all the same: what comes will tell. */
	if (r->error && r->error != -ETIMEDOUT)
		on_shell_error(s, r->error);
	else
		session_next(s);
}

void session_leave(struct session *s, const char *command)
{
	int rc;

	s->jump_ns = clock_ns();
	session_mark(s, MARK_JUMP, command);
	if (s->ending)
		return;
	rc = shell_leave(s->shell, command, FOREVER_MS, on_left, s);
	if (rc)
		on_shell_error(s, rc);
}

static void on_attached(const struct shell_result *r, void *arg)
{
	struct session *s = arg;

	if (s->ending)
		return;
	if (r->error)
		on_shell_error(s, r->error);
	else
		s->attached(s);
}

static void attach(struct session *s, void (*then)(struct session *s))
{
	int rc;

	s->attached = then;
	rc = shell_attach(s->shell, POLL_MS, FOREVER_MS, on_attached, s);
	if (rc)
		on_shell_error(s, rc);
}

/* --- power ------------------------------------------------------------------ */

static void power_on(struct session *s, const struct machine_boot *boot)
{
	struct err e __free_err = ERR_INIT;

	if (s->machine->ops->start(s->machine, boot, &e))
		session_infra(s, "cannot start the machine: %s", err_msg(&e));
}

static void power_on_a(struct session *s)
{
	const struct boot_files *a = s->setup.a;
	const struct machine_boot boot = {
		.kernel = a->kernel->image,
		.initrd = s->payload ? s->payload : a->initramfs,
		.dtb = s->dtb_a,
		.cmdline = s->cmdline_a,
	};

	power_on(s, &boot);
}

static void power_on_b(struct session *s)
{
	const struct boot_files *b = s->setup.b;
	const struct machine_boot boot = {
		.kernel = b->kernel->image,
		.initrd = b->initramfs,
		.dtb = s->dtb_b,
		.cmdline = s->cmdline_b,
	};

	power_on(s, &boot);
}

static void up_a(struct session *s)
{
	session_mark(s, MARK_POWER_ON, NULL);
	session_next(s);
}

static void up_b(struct session *s)
{
	session_mark(s, MARK_B_POWER_ON, NULL);
	session_next(s);
}

/* --- A ------------------------------------------------------------------------ */

static void a_answered(struct session *s)
{
	session_mark(s, MARK_A_UP, NULL);
	session_next(s);
}

static void attach_a(struct session *s)
{
	attach(s, a_answered);
}

static void a_said(struct session *s, const struct shell_result *r)
{
	struct err e __free_err = ERR_INIT;

	if (facts_parse(&s->facts_a, r->output, r->output_len, &e)) {
		session_infra(s, "A's shell answers nonsense: %s", err_msg(&e));
		return;
	}
	if (!session_check_a(s)) {
		session_infra(s, "what booted is not the A that was asked for");
		return;
	}
	session_mark(s, MARK_A_PROVEN, NULL);
	session_next(s);
}

static void prove_a(struct session *s)
{
	session_run(s, facts_command, a_said);
}

/* --- B ------------------------------------------------------------------------ */

static void attach_b(struct session *s)
{
	attach(s, session_next);
}

static void prove_b(struct session *s);

static void attach_b_again(struct session *s)
{
	attach(s, prove_b);
}

/* A may still answer for a moment after it took the command that ends it. */
static bool still_a(const struct session *s)
{
	return !s->jump->same_kernel && s->facts_b.boot_id && s->facts_a.boot_id &&
	       !strcmp(s->facts_b.boot_id, s->facts_a.boot_id) &&
	       clock_ns() - s->jump_ns < session_scaled(s, A_LINGERS_MS) * NS_PER_MS;
}

static void b_said(struct session *s, const struct shell_result *r)
{
	struct err e __free_err = ERR_INIT;
	int rc;

	facts_fini(&s->facts_b);
	rc = facts_parse(&s->facts_b, r->output, r->output_len, &e);
	if (!rc && still_a(s)) {
		session_later(s, LOOK_AGAIN_MS, attach_b_again);
		return;
	}
	session_mark(s, MARK_B_UP, NULL);
	if (rc)
		session_check(s, "facts", "complete", err_msg(&e), false);
	else
		session_check_b(s);
	session_look(s);
}

static void prove_b(struct session *s)
{
	session_run(s, facts_command, b_said);
}

/* A machine that was started anew has the time of a boot, what was jumped into that of a jump. */
const struct step step_power_on_a = {LIMIT_BOOT, false, power_on_a, up_a, NULL};
const struct step step_attach_a = {LIMIT_BOOT, true, attach_a, NULL, NULL};
const struct step step_prove_a = {LIMIT_BOOT, true, prove_a, NULL, NULL};
const struct step step_power_on_b = {LIMIT_BOOT, false, power_on_b, up_b, NULL};
const struct step step_attach_booted_b = {LIMIT_BOOT, true, attach_b, NULL, NULL};
const struct step step_prove_booted_b = {LIMIT_BOOT, true, prove_b, NULL, NULL};
const struct step step_attach_b = {LIMIT_JUMP, true, attach_b, NULL, NULL};
const struct step step_prove_b = {LIMIT_JUMP, true, prove_b, NULL, NULL};
