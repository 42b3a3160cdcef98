// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine_qemu_end.c - the many ways in which a QEMU ends, and why it did.
 */
#include <signal.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "machine/console/console_unix.h"
#include "machine/machine_qemu.h"

/*
 * How long between the end of a socket and that of QEMU: giving back the memory
 * of a large guest takes seconds.
 */
#define LINE_PATIENCE_NS (30 * NS_PER_S)
void machine_qemu_destroy(struct machine_qemu *q)
{
	runtime_dir_fini(&q->dir);
	free(q);
}

/* Around all that may call back: the machine may be freed in there. */
void machine_qemu_enter(struct machine_qemu *q)
{
	q->busy++;
}

void machine_qemu_leave(struct machine_qemu *q)
{
	if (!--q->busy && q->dead)
		machine_qemu_destroy(q);
}

/* Back to "off"; the console, the directory and the callbacks stay. */
void machine_qemu_clear(struct machine_qemu *q)
{
	process_unwatch(steal_ptr(q->watch));
	qemu_screen_down(&q->screen);
	machine_qemu_debug_clear(q);
	q->machine.ram = NULL;
	ram_fini(&q->ram);
	qmp_free(steal_ptr(q->qmp));
	listener_free(steal_ptr(q->listener));
	last_words_close(&q->last_words);
	q->timer = sd_event_source_disable_unref(q->timer);
	q->deferred = sd_event_source_disable_unref(q->deferred);
	free(steal_ptr(q->shutdown_reason));
	free(steal_ptr(q->failure));
	free(steal_ptr(q->line_lost));
	q->qmp_ready = q->checked = q->terminated = q->killed = false;
	q->notices = 0;
	q->state = STATE_OFF;
}

static enum machine_down why_down(const struct machine_qemu *q)
{
	if (q->state == STATE_STOPPING)
		return MACHINE_DOWN_ASKED;
	if (q->state == STATE_UP && q->shutdown_reason) {
		if (!strcmp(q->shutdown_reason, "guest-reset"))
			return MACHINE_DOWN_GUEST_RESET;
		if (!strcmp(q->shutdown_reason, "guest-shutdown"))
			return MACHINE_DOWN_GUEST_OFF;
	}
	return MACHINE_DOWN_DIED;
}

static void go_down(struct machine_qemu *q, enum machine_down why, const char *text)
{
	machine_qemu_clear(q);
	/* The display has just said that it is off, which may have been answered. */
	if (!q->dead)
		q->machine.events.down(why, text, q->machine.events.arg);
}

void machine_qemu_ended(int status, void *arg)
{
	struct machine_qemu *q = arg;
	char *text __free(str) = NULL;
	enum machine_down why;

	machine_qemu_enter(q);
	q->timer = sd_event_source_disable_unref(q->timer);
	/* What the target and QEMU said last comes before the news that they are gone. */
	if (q->qmp)
		qmp_finish(q->qmp);
	if (!q->dead)
		console_unix_finish(q->machine.console);
	if (!q->dead)
		machine_qemu_debug_finish(q);
	if (!q->dead) {
		last_words_read(&q->last_words);
		why = why_down(q);
		if (why == MACHINE_DOWN_DIED)
			text = last_words_explain(&q->last_words, "QEMU", status, q->killed,
						  q->failure, q->shutdown_reason);
		go_down(q, why, text);
	}
	machine_qemu_leave(q);
}

int machine_qemu_never_started(sd_event_source *source, void *userdata)
{
	struct machine_qemu *q = userdata;
	char *text __free(str) = xstrdup(q->failure);

	machine_qemu_enter(q);
	go_down(q, why_down(q), text);
	machine_qemu_leave(q);
	return 0;
}

static void kill_qemu(struct machine_qemu *q)
{
	q->killed = true;
	process_signal(&q->process, SIGKILL);
}

/* Ends a QEMU that is of no use; down follows. @text is *taken*. */
void machine_qemu_give_up(struct machine_qemu *q, char *text)
{
	free(q->failure);
	q->failure = text;
	q->state = STATE_FAILING;
	kill_qemu(q);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata);

void machine_qemu_arm_timer(struct machine_qemu *q, uint64_t ns)
{
	sd_event_source_disable_unref(q->timer);
	q->timer = NULL;
	sd_event_add_time_relative(q->opts.loop, &q->timer, CLOCK_MONOTONIC, ns / 1000, 0, on_timer,
				   q);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct machine_qemu *q = userdata;

	switch (q->state) {
	case STATE_STARTING:
		machine_qemu_give_up(q, q->line_lost ? steal_ptr(q->line_lost)
						     : xasprintf("QEMU did not start within %llu s",
								 START_PATIENCE_NS / NS_PER_S));
		break;
	case STATE_UP:
		if (q->shutdown_reason)
			kill_qemu(q); /* the guest's end is known, only QEMU's is late */
		else
			machine_qemu_give_up(q, steal_ptr(q->line_lost));
		break;
	case STATE_STOPPING:
		if (q->terminated) {
			kill_qemu(q);
			break;
		}
		q->terminated = true;
		process_signal(&q->process, SIGTERM);
		machine_qemu_arm_timer(q, STOP_PATIENCE_NS);
		break;
	case STATE_FAILING:
	case STATE_OFF:
		break;
	}
	return 0;
}

/* QEMU closes its sockets when it ends. If it does not end, it is broken. */
void machine_qemu_lost_line(struct machine_qemu *q, const char *what, const char *text)
{
	if (q->line_lost || (q->state != STATE_STARTING && q->state != STATE_UP))
		return;
	q->line_lost = xasprintf("QEMU's %s failed: %s", what, text);
	machine_qemu_arm_timer(q, LINE_PATIENCE_NS);
}
