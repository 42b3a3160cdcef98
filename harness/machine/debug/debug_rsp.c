// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * debug_rsp.c - the port itself: requests in order, what comes unasked, the end.
 */
#include "machine/debug/debug_rsp.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "machine/debug/rsp_client.h"

/* A stub may say that it stopped once more than it was asked, now and then. */
#define STRAYS_MAX 256

static struct rsp_client *to_client(struct debug *d)
{
	return container_of(d, struct rsp_client, debug);
}

static void destroy(struct rsp_client *c)
{
	debug_queue_fini(&c->queue);
	if (c->working)
		free((void *)c->request.data);
	rsp_target_xml_fini(&c->xml);
	rsp_registers_fini(&c->registers);
	buf_fini(&c->data);
	free(c);
}

static void enter(struct rsp_client *c)
{
	c->busy++;
}

static void leave(struct rsp_client *c)
{
	if (!--c->busy && c->dead)
		destroy(c);
}

static void stop_waiting(struct rsp_client *c)
{
	c->on_reply = NULL;
	c->on_stop = NULL;
	c->on_taken = NULL;
	c->on_late = NULL;
	if (c->link)
		rsp_link_set_deadline(c->link, 0);
}

void rsp_say_bytes(struct rsp_client *c, rsp_reply_fn reply, const void *body, size_t len)
{
	stop_waiting(c);
	c->on_reply = reply;
	rsp_link_send(c->link, body, len);
	rsp_link_set_deadline(c->link, DEBUG_RSP_SILENCE_MS * NS_PER_MS);
}

void rsp_say(struct rsp_client *c, rsp_reply_fn reply, const char *fmt, ...)
{
	char *text __free(str) = NULL;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		abort();
	rsp_say_bytes(c, reply, text, (size_t)len);
}

void rsp_await_stop(struct rsp_client *c, rsp_stop_fn stop, uint64_t ms, rsp_next_fn late)
{
	stop_waiting(c);
	c->on_stop = stop;
	c->on_late = late;
	rsp_link_set_deadline(c->link, ms * NS_PER_MS);
}

static void wake(struct rsp_client *c)
{
	if (c->defer)
		sd_event_source_set_enabled(c->defer, SD_EVENT_ONESHOT);
}

/* Ends the request that is under way. */
static void answer(struct rsp_client *c, const struct debug_reply *reply)
{
	const struct debug_request request = c->request;

	c->working = false;
	stop_waiting(c);
	if (c->queue.n)
		wake(c);
	debug_queue_done(&request, reply);
}

void rsp_done(struct rsp_client *c)
{
	struct debug_reply reply = {0};

	if (c->request.op == DEBUG_READ_REGISTERS) {
		reply.registers = &c->regs;
	} else if (c->request.op == DEBUG_READ_MEMORY) {
		reply.data = c->data.data;
		reply.len = c->data.len;
	}
	answer(c, &reply);
}

void rsp_fail(struct rsp_client *c, int error, const char *text)
{
	const struct debug_reply reply = {.error = error, .text = text};

	answer(c, &reply);
}

void rsp_lose(struct rsp_client *c, const char *why)
{
	char *text __free(str) = xstrdup(why);
	const struct debug_reply reply = {.error = -ENOTCONN, .text = text};

	if (c->lost)
		return;
	c->lost = true;
	c->debug.running = false;
	stop_waiting(c);
	rsp_link_free(steal_ptr(c->link));
	if (c->working)
		answer(c, &reply);
	while (c->queue.n && !c->dead) {
		struct debug_request r = debug_queue_pop(&c->queue);

		debug_queue_done(&r, &reply);
	}
	if (!c->dead && c->debug.events.lost)
		c->debug.events.lost(text, c->debug.events.arg);
}

void rsp_stands(struct rsp_client *c)
{
	c->debug.running = false;
	c->cpu = -1; /* QEMU chooses the CPU that stopped */
}

unsigned int rsp_stopped_cpu(const struct rsp_client *c, const struct rsp_stop *stop)
{
	unsigned int i;

	for (i = 0; stop->has_thread && i < c->n_threads; i++)
		if (rsp_thread_equal(&c->threads[i], &stop->thread))
			return i;
	return 0;
}

static void take_stop(struct rsp_client *c, const struct rsp_stop *stop)
{
	const struct debug_events *ev = &c->debug.events;
	rsp_stop_fn on_stop = c->on_stop;

	if (stop->ended) {
		rsp_lose(c, "the stub says that its target has ended");
	} else if (on_stop) {
		stop_waiting(c);
		on_stop(c, stop);
	} else if (c->debug.running && c->attached) {
		rsp_stands(c);
		if (ev->halted)
			ev->halted(stop->signal == RSP_SIGNAL_TRAP ? DEBUG_STOP_BREAKPOINT
								   : DEBUG_STOP_OTHER,
				   rsp_stopped_cpu(c, stop), ev->arg);
	} else if (++c->strays > STRAYS_MAX) {
		rsp_lose(c, "the stub reports stops without end");
	}
}

static void on_packet(const char *body, size_t len, void *arg)
{
	struct rsp_client *c = arg;
	rsp_reply_fn on_reply = c->on_reply;
	struct rsp_stop stop;

	enter(c);
	if (!rsp_stop_parse(body, len, &stop)) {
		take_stop(c, &stop);
	} else if (on_reply) {
		stop_waiting(c);
		on_reply(c, body, len);
	} else if (!rsp_is_output(body, len)) {
		rsp_lose(c, "the stub sends what nobody asked for");
	}
	leave(c);
}

static void on_taken(void *arg)
{
	struct rsp_client *c = arg;
	rsp_next_fn next = steal_ptr(c->on_taken);

	enter(c);
	if (next)
		next(c);
	leave(c);
}

static void on_late(void *arg)
{
	struct rsp_client *c = arg;
	rsp_next_fn next = steal_ptr(c->on_late);

	enter(c);
	if (next)
		next(c);
	else
		rsp_lose(c, "the stub does not answer");
	leave(c);
}

static void on_failed(const char *why, void *arg)
{
	struct rsp_client *c = arg;

	enter(c);
	rsp_lose(c, why);
	leave(c);
}

static void begin(struct rsp_client *c)
{
	switch (c->request.op) {
	case DEBUG_ATTACH:
	case DEBUG_HALT:
		if (c->attached)
			rsp_halt(c);
		else
			rsp_attach(c);
		break;
	case DEBUG_RESUME:
		rsp_resume(c);
		break;
	case DEBUG_STEP:
		rsp_step(c);
		break;
	case DEBUG_READ_REGISTERS:
		rsp_read_registers(c);
		break;
	case DEBUG_WRITE_REGISTER:
		rsp_write_register(c);
		break;
	case DEBUG_READ_MEMORY:
		rsp_read_memory(c);
		break;
	case DEBUG_WRITE_MEMORY:
		rsp_write_memory(c);
		break;
	case DEBUG_SET_BREAKPOINT:
		rsp_set_breakpoint(c);
		break;
	case DEBUG_CLEAR_BREAKPOINT:
		rsp_clear_breakpoint(c);
		break;
	}
}

static bool asks_to_stop(const struct debug_request *r)
{
	return r->op == DEBUG_ATTACH || r->op == DEBUG_HALT;
}

static int on_defer(sd_event_source *source, void *userdata)
{
	struct rsp_client *c = userdata;

	if (c->working || !c->queue.n)
		return 0;
	enter(c);
	c->request = debug_queue_pop(&c->queue);
	c->working = true;
	if (!asks_to_stop(&c->request) && (c->debug.running || !c->attached))
		rsp_fail(c, -EBUSY, "the target runs, or was never attached");
	else if (c->attached && c->request.cpu >= c->n_threads)
		rsp_fail(c, -EINVAL, "the target has no such CPU");
	else
		begin(c);
	leave(c);
	return 0;
}

static int rsp_submit(struct debug *d, const struct debug_request *request)
{
	struct rsp_client *c = to_client(d);
	int rc;

	if (c->lost)
		return -ENOTCONN;
	rc = debug_queue_push(&c->queue, c->attached ? c->n_threads : DEBUG_CPUS_MAX, request);
	if (!rc)
		wake(c);
	return rc;
}

static void rsp_free(struct debug *d)
{
	struct rsp_client *c = to_client(d);

	c->defer = sd_event_source_disable_unref(c->defer);
	rsp_link_free(steal_ptr(c->link));
	c->dead = true;
	if (!c->busy)
		destroy(c);
}

static const struct debug_ops debug_rsp_ops = {
	.name = "rsp",
	.submit = rsp_submit,
	.free = rsp_free,
};

int debug_rsp_new(sd_event *loop, int fd, const struct debug_events *events, struct debug **ret,
		  struct err *e)
{
	struct rsp_link_events link_events = {on_packet, on_taken, on_late, on_failed, NULL};
	struct rsp_client *c;
	int rc;

	xnew(c);
	link_events.arg = c;
	c->debug.ops = &debug_rsp_ops;
	c->debug.events = *events;
	c->debug.running = true;
	c->cpu = -1;
	c->acks = true;
	buf_init(&c->data);
	rc = rsp_link_new(loop, fd, &link_events, &c->link, e);
	if (rc) {
		rsp_free(&c->debug);
		return rc;
	}
	rc = sd_event_add_defer(loop, &c->defer, on_defer, c);
	if (rc < 0) {
		rsp_free(&c->debug);
		return err_errno(e, -rc, "debug port");
	}
	sd_event_source_set_enabled(c->defer, SD_EVENT_OFF);
	*ret = &c->debug;
	return 0;
}

void debug_rsp_finish(struct debug *d)
{
	struct rsp_client *c = to_client(d);

	enter(c);
	if (c->link)
		rsp_link_finish(c->link);
	if (!c->dead)
		rsp_lose(c, "the stub's program has ended");
	leave(c);
}
