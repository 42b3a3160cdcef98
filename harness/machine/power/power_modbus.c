// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power_modbus.c - relay boards that are coils of a Modbus RTU unit, 9600 8N1.
 *
 * Sources: MODBUS Application Protocol V1.1b3, function codes 01 and 05; MODBUS
 * over Serial Line V1.02, frames and CRC. Waiting for an answer must not stop
 * everything else, which is why the frames are made here.
 */
#include <errno.h>
#include <string.h>

#include "machine/power/power_serial.h"

#define READ_COILS  1
#define WRITE_COIL  5
#define READ_REPLY  6 /* unit, function, count of bytes, 1 byte, CRC */
#define WRITE_REPLY 8 /* an echo */

static unsigned int crc16(const unsigned char *p, size_t len)
{
	unsigned int crc = 0xffff;
	size_t i;
	int bit;

	for (i = 0; i < len; i++) {
		crc ^= p[i];
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1;
	}
	return crc;
}

static void add_frame(struct buf *out, unsigned int unit, unsigned int function,
		      unsigned int address, unsigned int value)
{
	unsigned char f[8] = {(unsigned char)unit,	     (unsigned char)function,
			      (unsigned char)(address >> 8), (unsigned char)address,
			      (unsigned char)(value >> 8),   (unsigned char)value};
	unsigned int crc = crc16(f, 6);

	f[6] = (unsigned char)crc;
	f[7] = (unsigned char)(crc >> 8);
	buf_add(out, f, sizeof(f));
}

static size_t set(unsigned int unit, unsigned int channel, bool on, struct buf *out)
{
	add_frame(out, unit, WRITE_COIL, channel - 1, on ? 0xff00 : 0);
	return WRITE_REPLY;
}

static size_t get(unsigned int unit, unsigned int channel, struct buf *out)
{
	add_frame(out, unit, READ_COILS, channel - 1, 1);
	return READ_REPLY;
}

static int read_set(const struct buf *asked, const struct buf *reply, struct err *e)
{
	if (reply->len == asked->len && !memcmp(asked->data, reply->data, asked->len))
		return 0;
	return err_set(e, EBADMSG, "the relay board refused to switch the coil");
}

static int read_get(unsigned int unit, const struct buf *reply, enum power_state *ret,
		    struct err *e)
{
	const unsigned char *p = (const unsigned char *)reply->data;
	unsigned int crc;

	if (reply->len != READ_REPLY || p[0] != unit || p[1] != READ_COILS || p[2] != 1)
		return err_set(e, EBADMSG, "the relay board's answer is none to our question");
	crc = crc16(p, 4);
	if (p[4] != (crc & 0xff) || p[5] != crc >> 8)
		return err_set(e, EBADMSG, "the relay board's answer is damaged");
	*ret = p[3] & 1 ? POWER_ON : POWER_OFF;
	return 0;
}

static const struct power_serial_protocol protocol = {
	.baud = 9600, .set = set, .get = get, .read_set = read_set, .read_get = read_get};

static int modbus_new(sd_event *loop, const struct yaml_node *node,
		      const struct power_events *events, struct power **ret, struct diag *diag)
{
	static const char *const keys[] = {POWER_KEYS, TTY_KEYS, "channel", "unit"};
	struct tty_address address __cleanup(tty_address_fini) = {0};
	uint64_t channel = 1, unit = 1;
	size_t before = diag->n;

	yaml_check_keys(diag, node, keys, ARRAY_SIZE(keys));
	yaml_u64(diag, yaml_need(diag, node, "channel"), 1, 65536, &channel);
	yaml_u64(diag, yaml_get(node, "unit"), 1, 247, &unit);
	tty_address_read(&address, node, diag);
	if (diag->n != before)
		return -EINVAL;
	*ret = power_serial_new(loop, &protocol, &address, (unsigned int)unit,
				(unsigned int)channel, events);
	return 0;
}

const struct power_driver power_modbus = {"modbus", modbus_new};
