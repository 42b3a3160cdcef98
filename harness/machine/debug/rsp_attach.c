// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rsp_attach.c - the way from a fresh line to a target that stands and is known:
 * stop it, features, CPUs, description, size of a whole set of registers.
 */
#include "machine/debug/rsp_client.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"

#define XML_BLOCK_MAX 8192

/* gdb says what it can; a stub may hold back what it does not hear. */
#define FEATURES      "qSupported:multiprocess+;swbreak+;hwbreak+;vContSupported+;xmlRegisters=arm"

static void fail_err(struct rsp_client *c, int rc, struct err *e)
{
	rsp_fail(c, rc, err_msg(e));
}

static void on_set(struct rsp_client *c, const char *reply, size_t len)
{
	if (rsp_is_error(reply, len)) {
		rsp_fail(c, -ENOTSUP, "the stub does not read registers");
		return;
	}
	c->set_bytes = len / 2;
	c->attached = true;
	c->debug.n_cpus = c->n_threads;
	rsp_done(c);
}

static void ask_set(struct rsp_client *c)
{
	rsp_say(c, on_set, "g");
}

static void on_physical(struct rsp_client *c, const char *reply, size_t len)
{
	c->has_physical = len == 1 && (reply[0] == '0' || reply[0] == '1');
	c->physical = c->has_physical && reply[0] == '1';
	c->request.cpu = 0; /* an ATTACH names none */
	rsp_with_cpu(c, ask_set);
}

static void read_description(struct rsp_client *c)
{
	struct err e __free_err = ERR_INIT;
	int rc;

	rsp_registers_fini(&c->registers);
	rc = rsp_target_xml_registers(&c->xml, &c->registers, &e);
	rsp_target_xml_fini(&c->xml);
	if (rc)
		fail_err(c, rc, &e);
	else
		rsp_say(c, on_physical, "qqemu.PhyMemMode");
}

static void ask_document(struct rsp_client *c);

static void on_document(struct rsp_client *c, const char *reply, size_t len)
{
	struct err e __free_err = ERR_INIT;
	bool more = len && reply[0] == 'm';
	int rc;

	if (!len || rsp_is_error(reply, len)) {
		rsp_fail(c, -ENOTSUP, "the stub does not send the target's description");
		return;
	}
	if ((!more && reply[0] != 'l') || (more && len == 1)) {
		rsp_lose(c, "the stub sends something else than a description");
		return;
	}
	buf_add(&c->data, reply + 1, len - 1);
	if (more && c->data.len <= RSP_XML_BYTES_MAX) {
		ask_document(c);
		return;
	}
	rc = rsp_target_xml_add(&c->xml, c->data.data, c->data.len, &e);
	buf_reset(&c->data);
	if (rc)
		fail_err(c, rc, &e);
	else
		ask_document(c);
}

static void ask_document(struct rsp_client *c)
{
	const char *name = rsp_target_xml_missing(&c->xml);
	size_t block = c->features.packet_max - 16;

	if (!name)
		read_description(c);
	else
		rsp_say(c, on_document, "qXfer:features:read:%s:%zx,%zx", name, c->data.len,
			block < XML_BLOCK_MAX ? block : XML_BLOCK_MAX);
}

static void on_threads(struct rsp_client *c, const char *reply, size_t len)
{
	const char *p = reply + 1;

	if (len == 1 && reply[0] == 'l' && c->n_threads) {
		buf_reset(&c->data);
		rsp_target_xml_fini(&c->xml);
		rsp_target_xml_init(&c->xml);
		ask_document(c);
		return;
	}
	if (!len || reply[0] != 'm') {
		rsp_fail(c, -ENOTSUP, "the stub does not list its CPUs");
		return;
	}
	do {
		if (c->n_threads >= DEBUG_CPUS_MAX) {
			rsp_fail(c, -E2BIG, "the target has too many CPUs");
			return;
		}
		if (rsp_thread_parse(&p, &c->threads[c->n_threads++])) {
			rsp_lose(c, "the stub names a CPU that is none");
			return;
		}
	} while (*p++ == ',');
	rsp_say(c, on_threads, "qsThreadInfo");
}

static void on_vcont(struct rsp_client *c, const char *reply, size_t len)
{
	if (strncmp(reply, "vCont", 5) || !strstr(reply, ";c") || !strstr(reply, ";s")) {
		rsp_fail(c, -ENOTSUP, "the stub does not run and step its CPUs one by one");
		return;
	}
	c->n_threads = 0;
	rsp_say(c, on_threads, "qfThreadInfo");
}

static void on_state(struct rsp_client *c, const struct rsp_stop *stop)
{
	rsp_stands(c);
	rsp_say(c, on_vcont, "vCont?");
}

static void on_no_stop(struct rsp_client *c, const char *reply, size_t len)
{
	rsp_lose(c, "the stub does not say whether its target stands");
}

static void ask_state(struct rsp_client *c)
{
	rsp_say(c, on_no_stop, "?");
	c->on_stop = on_state;
}

static void on_no_acks(struct rsp_client *c, const char *reply, size_t len)
{
	if (rsp_is_ok(reply, len)) {
		c->acks = false;
		rsp_link_stop_acks(c->link);
	}
	ask_state(c);
}

static void on_features(struct rsp_client *c, const char *reply, size_t len)
{
	rsp_features_parse(reply, len, &c->features);
	if (!c->features.reads_features)
		rsp_fail(c, -ENOTSUP, "the stub does not describe its target");
	else if (c->features.has_no_ack && c->acks)
		rsp_say(c, on_no_acks, "QStartNoAckMode");
	else
		ask_state(c);
}

/*
 * Whether the target runs is not known, and QEMU swallows the byte that stops
 * it: an interrupt goes ahead, which means nothing to a target that stands.
 */
void rsp_attach(struct rsp_client *c)
{
	rsp_link_interrupt(c->link);
	rsp_say(c, on_features, FEATURES);
}
