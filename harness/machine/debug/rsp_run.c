// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rsp_run.c - run control: halt, resume, step, breakpoints; choosing a CPU.
 */
#include "machine/debug/rsp_client.h"

#include <errno.h>
#include <inttypes.h>

#include "base/clock.h"

static void on_cpu(struct rsp_client *c, const char *reply, size_t len)
{
	if (!rsp_is_ok(reply, len)) {
		rsp_fail(c, -EIO, "the stub does not know this CPU any more");
		return;
	}
	c->cpu = (int)c->request.cpu;
	c->then(c);
}

void rsp_with_cpu(struct rsp_client *c, rsp_next_fn then)
{
	struct buf packet __free_buf = BUF_INIT;

	if (c->cpu == (int)c->request.cpu) {
		then(c);
		return;
	}
	c->then = then;
	buf_adds(&packet, "Hg");
	rsp_thread_add(&packet, &c->threads[c->request.cpu]);
	rsp_say_bytes(c, on_cpu, packet.data, packet.len);
}

/* --- halt ------------------------------------------------------------------- */

static void on_halt(struct rsp_client *c, const struct rsp_stop *stop)
{
	const struct debug_events *ev = &c->debug.events;

	rsp_stands(c);
	/* A breakpoint was faster: that is news beside the answer. */
	if (stop->signal == RSP_SIGNAL_TRAP && ev->halted)
		ev->halted(DEBUG_STOP_BREAKPOINT, rsp_stopped_cpu(c, stop), ev->arg);
	if (!c->dead)
		rsp_done(c);
}

void rsp_halt(struct rsp_client *c)
{
	if (!c->debug.running) {
		rsp_done(c);
		return;
	}
	rsp_await_stop(c, on_halt, DEBUG_RSP_SILENCE_MS, NULL);
	rsp_link_interrupt(c->link);
}

/* --- resume ----------------------------------------------------------------- */

static void resumed(struct rsp_client *c)
{
	c->debug.running = true;
	rsp_done(c);
}

static void on_refused(struct rsp_client *c, const char *reply, size_t len)
{
	rsp_fail(c, -EIO, "the stub does not let the target run");
}

/* It was so fast that not even the acknowledgement came first. */
static void on_short_run(struct rsp_client *c, const struct rsp_stop *stop)
{
	const struct debug_events *ev = &c->debug.events;
	bool trap = stop->signal == RSP_SIGNAL_TRAP;
	unsigned int cpu = rsp_stopped_cpu(c, stop);

	rsp_stands(c);
	rsp_done(c);
	if (!c->dead && ev->halted)
		ev->halted(trap ? DEBUG_STOP_BREAKPOINT : DEBUG_STOP_OTHER, cpu, ev->arg);
}

static void let_run(struct rsp_client *c)
{
	rsp_say(c, on_refused, "vCont;c");
	if (!c->acks) {
		resumed(c);
		return;
	}
	c->on_stop = on_short_run;
	c->on_taken = resumed;
}

/* Who comes after us with a debugger finds virtual addresses, as is usual. */
void rsp_resume(struct rsp_client *c)
{
	rsp_with_space(c, DEBUG_VIRTUAL, let_run);
}

/* --- step ------------------------------------------------------------------- */

static void on_stepped(struct rsp_client *c, const struct rsp_stop *stop)
{
	rsp_stands(c);
	rsp_done(c);
}

static void on_interrupted(struct rsp_client *c, const struct rsp_stop *stop)
{
	rsp_stands(c);
	if (stop->signal == RSP_SIGNAL_INT)
		rsp_fail(c, -ETIME, "the CPU completes no instruction");
	else
		rsp_done(c);
}

static void step_is_late(struct rsp_client *c)
{
	rsp_await_stop(c, on_interrupted, DEBUG_RSP_SILENCE_MS, NULL);
	rsp_link_interrupt(c->link);
}

void rsp_step(struct rsp_client *c)
{
	struct buf packet __free_buf = BUF_INIT;

	buf_adds(&packet, "vCont;s:");
	rsp_thread_add(&packet, &c->threads[c->request.cpu]);
	rsp_say_bytes(c, on_refused, packet.data, packet.len);
	c->on_stop = on_stepped;
	c->on_late = step_is_late;
	rsp_link_set_deadline(c->link, DEBUG_RSP_STEP_MS * NS_PER_MS);
}

/* --- breakpoints ------------------------------------------------------------ */

static unsigned int find_breakpoint(const struct rsp_client *c)
{
	unsigned int i;

	for (i = 0; i < c->n_breakpoints && c->breakpoints[i] != c->request.address; i++)
		;
	return i;
}

static bool refused(struct rsp_client *c, const char *reply, size_t len)
{
	if (rsp_is_ok(reply, len))
		return false;
	if (!len)
		rsp_fail(c, -EOPNOTSUPP, "the stub has no hardware breakpoints");
	else
		rsp_fail(c, -ENOSPC, "the stub has no such breakpoint to give");
	return true;
}

static void on_set(struct rsp_client *c, const char *reply, size_t len)
{
	if (refused(c, reply, len))
		return;
	c->breakpoints[c->n_breakpoints++] = c->request.address;
	rsp_done(c);
}

static void on_cleared(struct rsp_client *c, const char *reply, size_t len)
{
	if (refused(c, reply, len))
		return;
	c->breakpoints[find_breakpoint(c)] = c->breakpoints[--c->n_breakpoints];
	rsp_done(c);
}

void rsp_set_breakpoint(struct rsp_client *c)
{
	if (find_breakpoint(c) < c->n_breakpoints)
		rsp_done(c);
	else if (c->n_breakpoints == RSP_BREAKPOINTS_MAX)
		rsp_fail(c, -ENOSPC, "too many breakpoints");
	else
		rsp_say(c, on_set, "Z1,%" PRIx64 ",4", c->request.address);
}

void rsp_clear_breakpoint(struct rsp_client *c)
{
	if (find_breakpoint(c) == c->n_breakpoints)
		rsp_done(c);
	else
		rsp_say(c, on_cleared, "z1,%" PRIx64 ",4", c->request.address);
}
