/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rsp_peer.h - a debug port with a gdb stub behind it that a test scripts.
 *
 * The stub answers as a small QEMU does: two CPUs, x0, x1, pc, cpsr in a whole
 * set, VBAR and ESR_EL1 beside it. A test's own answers come before those. What
 * is asked, answered and reported is written to a log, in order.
 */
#ifndef KJUMP_TEST_MACHINE_RSP_PEER_H
#define KJUMP_TEST_MACHINE_RSP_PEER_H

#include <sys/socket.h>
#include <systemd/sd-event.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "machine/debug/debug_rsp.h"
#include "machine/debug/rsp_packet.h"

#define PATIENCE_NS (60 * NS_PER_S)

#define SILENCE	    "(silence)"
#define HANGUP	    "(hangup)"
#define NO_ACK	    "(no ack)" /* and no answer */
#define NAK	    "(nak)"

/* Before bytes that are sent as they are, with no acknowledgement before them. */
#define RAW	    "(raw)"

struct answer {
	const char *ask; /* how the packet begins */
	const char *say; /* the body of the reply, or one of the above */
	unsigned int times;
};

#define CORE_XML                                                                       \
	"<?xml version=\"1.0\"?><!DOCTYPE feature SYSTEM \"gdb-target.dtd\">"          \
	"<feature name=\"org.gnu.gdb.aarch64.core\"><reg name=\"x0\" bitsize=\"64\"/>" \
	"<reg name=\"x1\" bitsize=\"64\"/><reg name=\"pc\" bitsize=\"64\"/>"           \
	"<reg name=\"cpsr\" bitsize=\"32\"/></feature>"
#define SYSTEM_XML                                                                \
	"<feature name=\"sys\"><reg name=\"VBAR\" bitsize=\"64\" regnum=\"90\"/>" \
	"<reg name=\"ESR_EL1\" bitsize=\"64\" regnum=\"77\"/>"                    \
	"<reg name=\"v0\" bitsize=\"128\"/></feature>"

static const struct answer default_answers[] = {
	{"qSupported", "PacketSize=1000;qXfer:features:read+;vContSupported+;multiprocess+", 0},
	{"?", "T05thread:p01.01;", 0},
	{"vCont?", "vCont;c;C;s;S", 0},
	{"qfThreadInfo", "mp01.01", 0},
	{"qsThreadInfo", "mp01.02", 1},
	{"qsThreadInfo", "l", 0},
	{"qXfer:features:read:target.xml:",
	 "l<?xml version=\"1.0\"?><target><architecture>aarch64</architecture>"
	 "<xi:include href=\"core.xml\"/><xi:include href=\"system.xml\"/></target>",
	 0},
	{"qXfer:features:read:core.xml:", "l" CORE_XML, 0},
	{"qXfer:features:read:system.xml:", "l" SYSTEM_XML, 0},
	{"qqemu.PhyMemMode", "0", 0},
	{"Qqemu.PhyMemMode:", "OK", 0},
	{"Hg", "OK", 0},
	{"g",
	 "0100000000000000"
	 "0200000000000000"
	 "0000008000800000"
	 "c9030060",
	 0},
	{"p5a", "0008000000000000", 0},
	{"p4d", "0f00008600000000", 0},
	{"vCont;c", SILENCE, 0},
	{"vCont;s:", "T05thread:p01.01;", 0},
	{"Z1,", "OK", 0},
	{"z1,", "OK", 0},
	{"m", "0102030405060708", 0},
	{"M", "OK", 0},
	{"\x03", "T02thread:p01.02;", 0},
};

struct peer {
	sd_event *loop;
	struct debug *debug;
	int fd; /* the stub's end */
	sd_event_source *io;
	struct rsp_reader reader;
	struct answer answers[32], defaults[ARRAY_SIZE(default_answers)];
	size_t n_answers;
	bool stands, no_acks;
	struct buf log;
	bool quiet; /* the log tells answers and events only */
	struct debug_regs regs;
	uint8_t bytes[DEBUG_MEMORY_MAX];
	unsigned int n_done;
	bool free_in_done, free_in_halted, free_in_lost;
};

static inline void peer_drop(struct peer *p)
{
	debug_free(steal_ptr(p->debug));
}

static inline void peer_done(const struct debug_reply *reply, void *arg)
{
	struct peer *p = arg;

	p->n_done++;
	buf_addf(&p->log, "[%d]", reply->error);
	assert_int_equal(!reply->error, !reply->text);
	if (reply->registers)
		p->regs = *reply->registers;
	if (reply->data)
		memcpy(p->bytes, reply->data, reply->len);
	if (p->free_in_done)
		peer_drop(p);
}

static inline void peer_halted(enum debug_stop why, unsigned int cpu, void *arg)
{
	struct peer *p = arg;

	buf_addf(&p->log, "[halted %s %u]", why == DEBUG_STOP_BREAKPOINT ? "breakpoint" : "other",
		 cpu);
	if (p->free_in_halted)
		peer_drop(p);
}

static inline void peer_lost(const char *why, void *arg)
{
	struct peer *p = arg;

	buf_addf(&p->log, "[lost: %s]", why);
	if (p->free_in_lost)
		peer_drop(p);
}

static inline void peer_hang_up(struct peer *p)
{
	p->io = sd_event_source_disable_unref(p->io);
	if (p->fd >= 0)
		close(steal_fd(&p->fd));
}

static inline void peer_send(struct peer *p, const void *data, size_t len)
{
	const char *at = data;

	while (len && p->fd >= 0) {
		ssize_t n = send(p->fd, at, len, MSG_NOSIGNAL);

		if (n <= 0) /* gone, or not reading any more */
			break;
		at += n;
		len -= (size_t)n;
	}
}

/* A packet, unasked. */
static inline void peer_say(struct peer *p, const char *body)
{
	struct buf b __free_buf = BUF_INIT;

	rsp_packet_add(&b, body, strlen(body));
	peer_send(p, b.data, b.len);
}

static inline void peer_answer(struct peer *p, const char *say, bool ack)
{
	if (!strcmp(say, HANGUP)) {
		peer_hang_up(p);
	} else if (!strcmp(say, NAK)) {
		peer_send(p, "-", 1);
	} else if (!strncmp(say, RAW, strlen(RAW))) {
		peer_send(p, say + strlen(RAW), strlen(say) - strlen(RAW));
	} else if (strcmp(say, NO_ACK)) {
		if (ack && !p->no_acks)
			peer_send(p, "+", 1);
		if (strcmp(say, SILENCE))
			peer_say(p, say);
	}
}

static inline struct answer *peer_find(struct answer *list, size_t n, const char *ask)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!list[i].ask || strncmp(ask, list[i].ask, strlen(list[i].ask)))
			continue;
		return &list[i];
	}
	return NULL;
}

static inline void peer_asked(struct peer *p, const char *ask)
{
	struct answer *a = peer_find(p->answers, p->n_answers, ask);
	const char *say;

	if (!a)
		a = peer_find(p->defaults, ARRAY_SIZE(p->defaults), ask);
	if (!p->quiet)
		buf_addf(&p->log, "%s ", *ask == RSP_INTERRUPT ? "^C" : ask);
	say = a ? a->say : "";
	if (a && a->times && !--a->times)
		a->ask = NULL;
	peer_answer(p, say, *ask != RSP_INTERRUPT);
}

static inline void peer_interrupted(struct peer *p)
{
	if (p->stands)
		return;
	peer_asked(p, "\x03");
	p->stands = true;
}

static inline int peer_on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct peer *p = userdata;
	char block[65536];
	ssize_t n = read(fd, block, sizeof(block)), i;

	if (n <= 0) {
		p->io = sd_event_source_disable_unref(p->io);
		return 0;
	}
	for (i = 0; i < n && p->fd >= 0; i++) {
		enum rsp_item item = rsp_reader_byte(&p->reader, block[i]);

		assert_int_not_equal(item, RSP_DAMAGED);
		if (item == RSP_JUNK && block[i] == RSP_INTERRUPT)
			peer_interrupted(p);
		if (item != RSP_PACKET)
			continue;
		p->stands = strncmp(p->reader.body.data, "vCont;", 6);
		peer_asked(p, p->reader.body.data);
	}
	return 0;
}

/* Before those that there are by default; @times 0: always. */
static inline void peer_will(struct peer *p, const char *ask, const char *say, unsigned int times)
{
	assert_true(p->n_answers < ARRAY_SIZE(p->answers));
	p->answers[p->n_answers++] = (struct answer){ask, say, times};
}

/* A port whose stub is at the other end of @fd. */
static inline void peer_connect(struct peer *p, int fd)
{
	const struct debug_events events = {peer_halted, peer_lost, p};

	peer_drop(p);
	assert_int_equal(debug_rsp_new(p->loop, fd, &events, &p->debug, NULL), 0);
}

/* The stub listens to @fd. */
static inline void peer_listen(struct peer *p, int fd)
{
	peer_hang_up(p);
	p->fd = fd;
	assert_true(sd_event_add_io(p->loop, &p->io, fd, EPOLLIN, peer_on_io, p) >= 0);
}

static inline struct peer *peer_new(sd_event *loop)
{
	struct peer *p;
	int fds[2];

	xnew(p);
	p->loop = loop;
	p->fd = -1;
	p->reader = (struct rsp_reader)RSP_READER_INIT;
	buf_init(&p->log);
	memcpy(p->defaults, default_answers, sizeof(default_answers));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds),
			 0);
	peer_listen(p, fds[1]);
	peer_connect(p, fds[0]);
	return p;
}

static inline void peer_free(struct peer *p)
{
	peer_drop(p);
	peer_hang_up(p);
	rsp_reader_fini(&p->reader);
	buf_fini(&p->log);
	free(p);
}

static inline int peer_ask(struct peer *p, struct debug_request r)
{
	r.done = peer_done;
	r.arg = p;
	return debug_submit(p->debug, &r);
}

#define ask_for(p, ...) assert_int_equal(peer_ask(p, (struct debug_request){__VA_ARGS__}), 0)

#define run_until(p, cond)                                                 \
	do {                                                               \
		uint64_t end_ = clock_ns() + PATIENCE_NS;                  \
                                                                           \
		while (!(cond)) {                                          \
			assert_true(clock_ns() < end_);                    \
			assert_true(sd_event_run((p)->loop, 100000) >= 0); \
		}                                                          \
	} while (0)

/* Runs until there is nothing to do at once. */
static inline void peer_run_dry(struct peer *p)
{
	int n;

	do {
		n = sd_event_run(p->loop, 0);
		assert_true(n >= 0);
	} while (n);
}

/* Compares what was logged since the last time. */
static inline void peer_expect(struct peer *p, const char *log)
{
	peer_run_dry(p);
	assert_string_equal(p->log.data, log);
	buf_reset(&p->log);
}

static inline void peer_attach(struct peer *p)
{
	p->quiet = true;
	ask_for(p, .op = DEBUG_ATTACH);
	peer_expect(p, "[0]");
	p->quiet = false;
}

/* For cmocka: a peer with a loop of its own in *state. */
static inline int peer_set_up(void **state)
{
	sd_event *loop = NULL;

	assert_true(sd_event_new(&loop) >= 0);
	*state = peer_new(loop);
	return 0;
}

static inline int peer_tear_down(void **state)
{
	struct peer *p = *state;
	sd_event *loop = p->loop;

	peer_free(p);
	sd_event_unref(loop);
	return 0;
}

#endif
