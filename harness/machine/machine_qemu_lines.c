// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine_qemu_lines.c - what comes over QEMU's lines: its monitor, the
 * console and the debug port; and the start, which waits for all of them.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "machine/console/console_unix.h"
#include "machine/machine_qemu.h"
#include "machine/qemu_args.h"

/* Notices forwarded in one start: a guest can cause as many as it likes. */
#define NOTICES_MAX 1000

static void on_cont(const char *error, const struct json *reply, void *arg)
{
	struct machine_qemu *q = arg;

	if (q->state != STATE_STARTING)
		return;
	if (error) {
		machine_qemu_give_up(q, xasprintf("QEMU does not run the machine: %s", error));
		return;
	}
	q->state = STATE_UP;
	machine_qemu_debug_lend(q);
	q->machine.ram = q->ram.size_bytes ? &q->ram : NULL;
	qemu_screen_run(&q->screen);
	if (!q->line_lost)
		q->timer = sd_event_source_disable_unref(q->timer);
	machine_qemu_enter(q);
	q->machine.events.up(q->machine.events.arg);
	machine_qemu_leave(q);
}

static void on_looked_at(char *error, void *arg)
{
	struct machine_qemu *q = arg;

	if (q->state != STATE_STARTING) {
		free(error);
		return;
	}
	if (error)
		machine_qemu_give_up(q, error);
	else
		qmp_command(q->qmp, "cont", NULL, on_cont, q);
}

void machine_qemu_proceed(struct machine_qemu *q)
{
	if (q->state != STATE_STARTING || q->checked || !q->qmp_ready ||
	    !console_unix_connected(q->machine.console) || !machine_qemu_debug_ready(q))
		return;
	q->checked = true;
	q->ready = (struct qemu_ready){
		.qmp = q->qmp,
		.spec = q->opts.spec,
		.display = q->screen.by_monitor ? q->screen.display : NULL,
		.done = on_looked_at,
		.arg = q,
	};
	qemu_ready_start(&q->ready);
}

static void on_qmp_ready(int major, int minor, void *arg)
{
	struct machine_qemu *q = arg;

	if (q->state != STATE_STARTING)
		return;
	if (major < QEMU_MAJOR_MIN) {
		machine_qemu_give_up(q, xasprintf("QEMU %d.%d is too old: kjump needs %d or later",
						  major, minor, QEMU_MAJOR_MIN));
		return;
	}
	q->qmp_ready = true;
	machine_qemu_proceed(q);
}

static void on_qmp_event(const char *name, const struct json *event, void *arg)
{
	struct machine_qemu *q = arg;
	struct buf line __free_buf = BUF_INIT;

	if (!strcmp(name, "SHUTDOWN")) {
		free(q->shutdown_reason);
		q->shutdown_reason = xstrdup_null(json_get_str(json_get(event, "data"), "reason"));
	}
	/* A port that halts it has both come hundreds of times, and knows it. */
	if (q->machine.debug && (!strcmp(name, "STOP") || !strcmp(name, "RESUME")))
		return;
	if (!q->machine.events.notice || q->notices++ >= NOTICES_MAX)
		return;
	json_print(event, false, &line);
	machine_qemu_enter(q);
	q->machine.events.notice(line.data, q->machine.events.arg);
	machine_qemu_leave(q);
}

static void on_qmp_closed(int error, const char *text, void *arg)
{
	struct machine_qemu *q = arg;

	if (error == -EPIPE)
		machine_qemu_lost_line(q, "monitor", text);
	else if (q->state == STATE_STARTING || q->state == STATE_UP)
		machine_qemu_give_up(q, xasprintf("QEMU's monitor failed: %s", text));
}

void machine_qemu_monitor(int fd, void *arg)
{
	struct machine_qemu *q = arg;
	const struct qmp_events events = {on_qmp_ready, on_qmp_event, on_qmp_closed, q};
	struct err e __free_err = ERR_INIT;

	listener_free(steal_ptr(q->listener));
	if (qmp_new(q->opts.loop, fd, &events, &q->qmp, &e))
		machine_qemu_give_up(q, xstrdup(err_msg(&e)));
}

static void on_console_bytes(const void *data, size_t len, void *arg)
{
	struct machine_qemu *q = arg;

	machine_qemu_enter(q);
	q->console_events.bytes(data, len, q->console_events.arg);
	machine_qemu_leave(q);
}

static void on_console_hangup(void *arg)
{
	machine_qemu_lost_line(arg, "console", "closed");
}

static void on_console_back(void *arg)
{
	machine_qemu_proceed(arg);
}

struct console_events machine_qemu_console_events(struct machine_qemu *q)
{
	return (struct console_events){on_console_bytes, on_console_hangup, on_console_back, q};
}
