// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sim_relay.c - relays as their makers sell them: LCUS frames on one pty, a
 * Modbus RTU unit on another. Channels: 1 power, 2 reset, 3 MaskROM.
 */
#include <string.h>

#include "base/alloc.h"
#include "sim/sim.h"

#define N_CHANNELS 4

static void set(struct sim *s, unsigned int channel, bool on)
{
	if (channel < 1 || channel > N_CHANNELS)
		return;
	s->relay[channel - 1] = on;
	sim_target_update(s);
}

static void on_lcus(const void *data, size_t len, void *arg)
{
	const unsigned char *p = data;
	size_t i;

	for (i = 0; i + 4 <= len; i += 4) {
		if (p[i] == 0xa0 && p[i + 3] == (unsigned char)(p[i] + p[i + 1] + p[i + 2]))
			set(arg, p[i + 1], p[i + 2]);
	}
}

/* CRC-16/MODBUS, low byte first. */
static void add_crc(unsigned char *frame, size_t len)
{
	unsigned int crc = 0xffff;
	size_t i;
	int bit;

	for (i = 0; i < len; i++) {
		crc ^= frame[i];
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1;
	}
	frame[len] = (unsigned char)crc;
	frame[len + 1] = (unsigned char)(crc >> 8);
}

static void on_modbus(const void *data, size_t len, void *arg)
{
	struct sim *s = arg;
	const unsigned char *p = data;
	unsigned char check[8], reply[6] = {1, 1, 1};

	if (len != 8)
		return;
	memcpy(check, p, 6);
	add_crc(check, 6);
	if (memcmp(check, p, 8) || p[0] != 1 || p[2] || p[3] >= N_CHANNELS)
		return;
	if (p[1] == 5) {
		set(s, p[3] + 1u, p[4] == 0xff);
		sim_pty_write(&s->modbus, p, 8);
	} else if (p[1] == 1) {
		reply[3] = s->relay[p[3]];
		add_crc(reply, 4);
		sim_pty_write(&s->modbus, reply, sizeof(reply));
	}
}

int sim_relay_open(struct sim *s, struct err *e)
{
	int rc;

	s->lcus.loop = s->modbus.loop = s->loop;
	s->lcus.arg = s->modbus.arg = s;
	s->lcus.bytes = on_lcus;
	s->modbus.bytes = on_modbus;
	s->lcus.link = xasprintf("%s/tty-relay", s->dir);
	s->modbus.link = xasprintf("%s/tty-modbus", s->dir);
	rc = sim_pty_open(&s->lcus, e);
	return rc ? rc : sim_pty_open(&s->modbus, e);
}

void sim_relay_close(struct sim *s)
{
	sim_pty_close(&s->lcus);
	sim_pty_close(&s->modbus);
	free(s->lcus.link);
	free(s->modbus.link);
}
