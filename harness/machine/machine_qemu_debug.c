// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine_qemu_debug.c - the debug port of one start, from QEMU's connection on.
 *
 * QEMU connects its gdb stub while its CPUs do not run yet, so that nothing is
 * stopped by that; until the port is asked to attach, not a byte is sent.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "machine/debug/debug_rsp.h"
#include "machine/machine_qemu.h"

static void on_halted(enum debug_stop why, unsigned int cpu, void *arg)
{
	struct machine_qemu *q = arg;

	machine_qemu_enter(q);
	if (q->debug_events.halted)
		q->debug_events.halted(why, cpu, q->debug_events.arg);
	machine_qemu_leave(q);
}

/* Nobody can let it run again through the port: a guest that stands would look hung. */
static void let_run(struct machine_qemu *q)
{
	if (q->state == STATE_UP && q->qmp)
		qmp_command(q->qmp, "cont", NULL, NULL, NULL);
}

static void on_lost(const char *why, void *arg)
{
	struct machine_qemu *q = arg;
	struct debug *port = steal_ptr(q->port);
	bool was_lent = steal_ptr(q->machine.debug);

	machine_qemu_enter(q);
	if (!was_lent)
		machine_qemu_lost_line(q, "debug port", why);
	else
		let_run(q);
	if (was_lent && q->debug_events.lost)
		q->debug_events.lost(why, q->debug_events.arg);
	debug_free(port);
	machine_qemu_leave(q);
}

static void on_connected(int fd, void *arg)
{
	struct machine_qemu *q = arg;
	const struct debug_events events = {on_halted, on_lost, q};
	struct err e __free_err = ERR_INIT;

	listener_free(steal_ptr(q->debug_listener));
	if (debug_rsp_new(q->opts.loop, fd, &events, &q->port, &e))
		machine_qemu_give_up(q, xstrdup(err_msg(&e)));
	else
		machine_qemu_proceed(q);
}

int machine_qemu_debug_listen(struct machine_qemu *q, const char *path, struct err *e)
{
	int rc = listener_new(q->opts.loop, path, on_connected, q, &q->debug_listener, e);

	return rc ? err_prefix(e, rc, "debug port") : 0;
}

bool machine_qemu_debug_ready(const struct machine_qemu *q)
{
	return !q->has_debug || q->port;
}

void machine_qemu_debug_lend(struct machine_qemu *q)
{
	q->machine.debug = q->port;
}

void machine_qemu_debug_finish(struct machine_qemu *q)
{
	if (q->port)
		debug_rsp_finish(q->port);
}

void machine_qemu_debug_clear(struct machine_qemu *q)
{
	listener_free(steal_ptr(q->debug_listener));
	q->machine.debug = NULL;
	debug_free(steal_ptr(q->port));
}
