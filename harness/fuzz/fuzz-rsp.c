// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-rsp.c - a gdb stub that says anything; and a target described in any way.
 *
 * Each time the client sends, a byte of the input decides: an answer as a
 * healthy stub gives it, or what the input holds up to the next newline, as a
 * packet or as it is. When the input is at its end, the stub hangs up.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "machine/debug/debug_rsp.h"
#include "machine/debug/rsp_packet.h"
#include "machine/debug/rsp_target_xml.h"

#define INPUT_MAX 65536

static const char *const names[] = {"x0", "pc", "cpsr", "vbar_el1", "esr_el1"};

static const char *const healthy[][2] = {
	{"qSupported", "PacketSize=1000;qXfer:features:read+;multiprocess+"},
	{"?", "T05thread:p01.01;"},
	{"vCont?", "vCont;c;C;s;S"},
	{"qfThreadInfo", "mp01.01,p01.02"},
	{"qsThreadInfo", "l"},
	{"qXfer:features:read:target.xml", "l<t><xi:include href=\"c.xml\"/></t>"},
	{"qXfer:features:read:c.xml",
	 "l<f><reg name=\"x0\" bitsize=\"64\"/><reg name=\"pc\" bitsize=\"64\"/>"
	 "<reg name=\"VBAR\" bitsize=\"64\" regnum=\"9\"/></f>"},
	{"g", "00000000000000000000000000000000"},
	{"p", "0000000000000000"},
	{"qqemu", "0"},
	{"m", "00112233"},
	{"vCont;s", "T05thread:p01.02;"},
	{"vCont;c", "T05thread:p01.02;"},
};

struct target {
	struct debug *debug;
	const uint8_t *data; /* what is left of the input */
	size_t size;
	int fd;
	int n_lost, n_waiting;
	bool frees;
};

static void ask_all(struct target *t);

static void on_done(const struct debug_reply *reply, void *arg)
{
	struct target *t = arg;

	t->n_waiting--;
	if (reply->error > 0 || (reply->error && !reply->text))
		abort();
	if (reply->data && (reply->len == 0 || reply->len > DEBUG_MEMORY_MAX))
		abort();
	if (reply->registers && reply->registers->n != ARRAY_SIZE(names))
		abort();
	if (t->frees && !t->n_waiting && t->debug) {
		debug_free(t->debug);
		t->debug = NULL;
	}
}

static void on_attached(const struct debug_reply *reply, void *arg)
{
	on_done(reply, arg);
	if (!reply->error)
		ask_all(arg);
}

static void on_halted(enum debug_stop why, unsigned int cpu, void *arg)
{
	struct target *t = arg;

	if (t->debug->running || cpu >= t->debug->n_cpus)
		abort();
}

static void on_lost(const char *why, void *arg)
{
	struct target *t = arg;

	if (!why || t->n_waiting || t->n_lost++)
		abort();
}

static void ask(struct target *t, struct debug_request r)
{
	r.arg = t;
	if (!r.done)
		r.done = on_done;
	if (t->debug && !debug_submit(t->debug, &r))
		t->n_waiting++;
}

static void ask_all(struct target *t)
{
	static const enum debug_op ops[] = {DEBUG_READ_REGISTERS,   DEBUG_READ_MEMORY,
					    DEBUG_WRITE_REGISTER,   DEBUG_WRITE_MEMORY,
					    DEBUG_SET_BREAKPOINT,   DEBUG_STEP,
					    DEBUG_RESUME,	    DEBUG_HALT,
					    DEBUG_CLEAR_BREAKPOINT, DEBUG_READ_REGISTERS};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		ask(t, (struct debug_request){.op = ops[i],
					      .cpu = i % 2,
					      .names = names,
					      .n_names = ARRAY_SIZE(names),
					      .space = i % 3 ? DEBUG_VIRTUAL : DEBUG_PHYSICAL,
					      .address = 0x40000000,
					      .data = "data",
					      .len = 4});
}

static const char *healthy_answer(const char *asked)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(healthy); i++)
		if (!strncmp(asked, healthy[i][0], strlen(healthy[i][0])))
			return healthy[i][1];
	return "OK";
}

static void put(struct target *t, const void *data, size_t len)
{
	if (send(t->fd, data, len, MSG_NOSIGNAL) < 0)
		t->size = 0;
}

static void put_packet(struct target *t, const void *body, size_t len)
{
	struct buf b __free_buf = BUF_INIT;

	buf_addch(&b, '+');
	rsp_packet_add(&b, body, len);
	put(t, b.data, b.len);
}

/* What the client sent is @asked; takes its answer off the input. */
static void answer(struct target *t, const char *asked)
{
	uint8_t how = *t->data;
	const uint8_t *end;
	size_t n;

	t->data++;
	t->size--;
	if (how < 0x80) {
		put_packet(t, healthy_answer(asked), strlen(healthy_answer(asked)));
		return;
	}
	end = memchr(t->data, '\n', t->size);
	n = end ? (size_t)(end - t->data) : t->size;
	if (how & 1)
		put_packet(t, t->data, n);
	else
		put(t, t->data, n);
	t->data += end ? n + 1 : n;
	t->size -= end ? n + 1 : n;
}

/* False: the client has not sent anything. */
static bool serve(struct target *t)
{
	char block[32768];
	ssize_t n = recv(t->fd, block, sizeof(block) - 1, MSG_DONTWAIT);
	const char *packet;

	if (n <= 0 || !t->size)
		return false;
	block[n] = '\0';
	packet = memrchr(block, '$', (size_t)n);
	answer(t, packet ? packet + 1 : "");
	return true;
}

static void talk(const uint8_t *data, size_t size)
{
	static sd_event *loop;
	struct target t = {.data = data, .size = size, .frees = size % 2};
	const struct debug_events events = {on_halted, on_lost, &t};
	int fds[2];

	if ((!loop && sd_event_new(&loop) < 0) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) ||
	    debug_rsp_new(loop, fds[0], &events, &t.debug, NULL))
		abort();
	t.fd = fds[1];
	ask(&t, (struct debug_request){.op = DEBUG_ATTACH, .done = on_attached});
	do {
		while (sd_event_run(loop, 0) > 0)
			;
	} while (t.debug && serve(&t));
	close(t.fd);
	if (t.debug && !t.n_lost)
		debug_rsp_finish(t.debug);
	if (t.debug && (!t.n_lost || t.n_waiting))
		abort();
	debug_free(t.debug);
}

static void describe(const uint8_t *data, size_t size)
{
	struct rsp_registers registers = RSP_REGISTERS_INIT;
	struct rsp_target_xml xml;
	int rc = 0;

	rsp_target_xml_init(&xml);
	while (!rc && rsp_target_xml_missing(&xml)) {
		const uint8_t *end = memchr(data, '\0', size);
		size_t n = end ? (size_t)(end - data) : size;

		rc = rsp_target_xml_add(&xml, data, n, NULL);
		data += end ? n + 1 : n;
		size -= end ? n + 1 : n;
	}
	if (!rc)
		rc = rsp_target_xml_registers(&xml, &registers, NULL);
	if (!rc && (!registers.n || rsp_registers_find(&registers, "") ||
		    !rsp_registers_find(&registers, registers.list[0].name)))
		abort();
	rsp_registers_fini(&registers);
	rsp_target_xml_fini(&xml);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size || size > INPUT_MAX)
		return 0;
	if (data[0] == '<')
		describe(data, size);
	else
		talk(data + 1, size - 1);
	return 0;
}
