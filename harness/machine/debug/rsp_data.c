// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rsp_data.c - registers and memory of a target that stands.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "machine/debug/rsp_client.h"
#include "machine/debug/rsp_packet.h"

/* --- registers -------------------------------------------------------------- */

/* NULL: the target has none of this name, or none that a debug_regs holds. */
static const struct rsp_register *find_register(const struct rsp_client *c, const char *name)
{
	const struct rsp_register *reg = rsp_registers_find(&c->registers, name);

	return reg && reg->size_bytes <= sizeof(uint64_t) ? reg : NULL;
}

/* Little-endian, as arm64 is run here. False: the stub does not have the value. */
static bool decode_register(const char *hex, const struct rsp_register *reg, uint64_t *ret)
{
	uint8_t bytes[sizeof(uint64_t)] = {0};
	unsigned int i;

	*ret = 0;
	if (rsp_hex_decode(hex, bytes, reg->size_bytes))
		return false;
	for (i = 0; i < sizeof(bytes); i++)
		*ret |= (uint64_t)bytes[i] << (8 * i);
	return true;
}

static bool in_set(const struct rsp_client *c, const struct rsp_register *reg)
{
	return reg && reg->offset + reg->size_bytes <= c->set_bytes;
}

static void take_value(struct rsp_client *c, unsigned int i, const char *hex)
{
	c->regs.present[i] = decode_register(hex, c->found[i], &c->regs.value[i]);
}

static void read_singles(struct rsp_client *c);

static void on_single(struct rsp_client *c, const char *reply, size_t len)
{
	unsigned int i = c->next_reg++;

	if (len == 2 * (size_t)c->found[i]->size_bytes)
		take_value(c, i, reply);
	read_singles(c);
}

/* What a whole set does not hold, one by one. */
static void read_singles(struct rsp_client *c)
{
	while (c->next_reg < c->regs.n &&
	       (!c->found[c->next_reg] || in_set(c, c->found[c->next_reg])))
		c->next_reg++;
	if (c->next_reg == c->regs.n)
		rsp_done(c);
	else
		rsp_say(c, on_single, "p%x", c->found[c->next_reg]->number);
}

static void on_set(struct rsp_client *c, const char *reply, size_t len)
{
	unsigned int i;

	if (len != 2 * c->set_bytes) {
		rsp_fail(c, -EIO, "the stub does not read the registers of this CPU");
		return;
	}
	for (i = 0; i < c->regs.n; i++)
		if (in_set(c, c->found[i]))
			take_value(c, i, reply + 2 * (size_t)c->found[i]->offset);
	read_singles(c);
}

static void read_registers(struct rsp_client *c)
{
	unsigned int i;

	for (i = 0; i < c->regs.n && !in_set(c, c->found[i]); i++)
		;
	if (i < c->regs.n)
		rsp_say(c, on_set, "g");
	else
		read_singles(c);
}

void rsp_read_registers(struct rsp_client *c)
{
	unsigned int i;

	c->regs = (struct debug_regs){.names = c->request.names, .n = c->request.n_names};
	c->next_reg = 0;
	for (i = 0; i < c->regs.n; i++)
		c->found[i] = find_register(c, c->request.names[i]);
	rsp_with_cpu(c, read_registers);
}

static void on_read_back(struct rsp_client *c, const char *reply, size_t len)
{
	const struct rsp_register *reg = c->found[0];
	uint64_t value;

	if (len == 2 * (size_t)reg->size_bytes && decode_register(reply, reg, &value) &&
	    value == c->request.value)
		rsp_done(c);
	else
		rsp_fail(c, -EIO, "the target ignored what was written to the register");
}

static void on_written(struct rsp_client *c, const char *reply, size_t len)
{
	if (rsp_is_ok(reply, len))
		rsp_say(c, on_read_back, "p%x", c->found[0]->number);
	else
		rsp_fail(c, -EIO, "the stub does not write this register");
}

static void write_register(struct rsp_client *c)
{
	struct buf packet __free_buf = BUF_INIT;
	uint8_t bytes[8];
	unsigned int i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(c->request.value >> (8 * i));
	buf_addf(&packet, "P%x=", c->found[0]->number);
	rsp_hex_add(&packet, bytes, c->found[0]->size_bytes);
	rsp_say_bytes(c, on_written, packet.data, packet.len);
}

void rsp_write_register(struct rsp_client *c)
{
	c->found[0] = find_register(c, c->request.names[0]);
	if (!c->found[0])
		rsp_fail(c, -EIO, "the target has no such register");
	else
		rsp_with_cpu(c, write_register);
}

/* --- memory ----------------------------------------------------------------- */

static void on_space(struct rsp_client *c, const char *reply, size_t len)
{
	if (!rsp_is_ok(reply, len)) {
		rsp_fail(c, -EIO, "the stub does not change its address space");
		return;
	}
	c->physical = !c->physical;
	c->then(c);
}

void rsp_with_space(struct rsp_client *c, enum debug_space space, rsp_next_fn then)
{
	bool physical = space == DEBUG_PHYSICAL;

	if (physical == c->physical) {
		then(c);
	} else if (!c->has_physical) {
		rsp_fail(c, -EOPNOTSUPP, "the stub does not know physical addresses");
	} else {
		c->then = then;
		rsp_say(c, on_space, "Qqemu.PhyMemMode:%d", physical);
	}
}

/* How much of @left goes into one packet, after what stands before it. */
static size_t block(const struct rsp_client *c, size_t left)
{
	size_t most = ((c->features.packet_max - 64) / 2) & ~(size_t)63;

	return left < most ? left : most;
}

static void read_block(struct rsp_client *c);

static void on_read(struct rsp_client *c, const char *reply, size_t len)
{
	size_t n = len / 2;
	uint8_t *bytes;

	if (rsp_is_error(reply, len) || !len) {
		rsp_fail(c, -EFAULT, "the target refuses the address");
		return;
	}
	buf_reserve(&c->data, n);
	bytes = (uint8_t *)c->data.data + c->data.len;
	if (len % 2 || n > block(c, c->request.len - c->data.len) ||
	    rsp_hex_decode(reply, bytes, n)) {
		rsp_lose(c, "the stub sends something else than memory");
		return;
	}
	c->data.len += n;
	if (c->data.len == c->request.len)
		rsp_done(c);
	else
		read_block(c);
}

static void read_block(struct rsp_client *c)
{
	rsp_say(c, on_read, "m%" PRIx64 ",%zx", c->request.address + c->data.len,
		block(c, c->request.len - c->data.len));
}

static void write_block(struct rsp_client *c);

static void on_write(struct rsp_client *c, const char *reply, size_t len)
{
	if (!rsp_is_ok(reply, len)) {
		rsp_fail(c, -EFAULT, "the target refuses the address");
		return;
	}
	c->n_written += block(c, c->request.len - c->n_written);
	if (c->n_written == c->request.len)
		rsp_done(c);
	else
		write_block(c);
}

static void write_block(struct rsp_client *c)
{
	struct buf packet __free_buf = BUF_INIT;
	size_t n = block(c, c->request.len - c->n_written);

	buf_addf(&packet, "M%" PRIx64 ",%zx:", c->request.address + c->n_written, n);
	rsp_hex_add(&packet, (const uint8_t *)c->request.data + c->n_written, n);
	rsp_say_bytes(c, on_write, packet.data, packet.len);
}

static void access_memory(struct rsp_client *c)
{
	if (c->request.op == DEBUG_READ_MEMORY)
		read_block(c);
	else
		write_block(c);
}

static void choose_space(struct rsp_client *c)
{
	rsp_with_space(c, c->request.space, access_memory);
}

void rsp_read_memory(struct rsp_client *c)
{
	buf_reset(&c->data);
	rsp_with_cpu(c, choose_space);
}

void rsp_write_memory(struct rsp_client *c)
{
	c->n_written = 0;
	rsp_with_cpu(c, choose_space);
}
