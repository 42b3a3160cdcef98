// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/debug/rsp_reply.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "machine/debug/rsp_packet.h"

/* gdb assumes 400 where a stub says nothing; below that no register set fits. */
#define PACKET_MIN 400
/* More than this is no gain, and has to be kept. */
#define PACKET_MAX 16384

void rsp_thread_add(struct buf *out, const struct rsp_thread *t)
{
	if (t->has_process)
		buf_addf(out, "p%" PRIx64 ".", t->process);
	buf_addf(out, "%" PRIx64, t->thread);
}

bool rsp_thread_equal(const struct rsp_thread *a, const struct rsp_thread *b)
{
	return a->thread == b->thread &&
	       (!a->has_process || !b->has_process || a->process == b->process);
}

int rsp_thread_parse(const char **p, struct rsp_thread *ret)
{
	struct rsp_thread t = {.has_process = **p == 'p'};
	const char *s = *p + t.has_process;
	int rc = 0;

	if (t.has_process) {
		rc = rsp_hex_number(&s, &t.process);
		if (!rc && *s++ != '.')
			rc = -EBADMSG;
	}
	if (!rc)
		rc = rsp_hex_number(&s, &t.thread);
	if (rc)
		return -EBADMSG;
	*p = s;
	*ret = t;
	return 0;
}

static bool all_digits(const char *s, size_t len)
{
	for (; len; len--, s++)
		if (!isxdigit((unsigned char)*s))
			return false;
	return true;
}

bool rsp_is_error(const char *reply, size_t len)
{
	return len >= 2 && reply[0] == 'E' &&
	       (reply[1] == '.' || (len == 3 && all_digits(reply + 1, 2)));
}

bool rsp_is_ok(const char *reply, size_t len)
{
	return len == 2 && !memcmp(reply, "OK", 2);
}

bool rsp_is_output(const char *reply, size_t len)
{
	return len && reply[0] == 'O' && all_digits(reply + 1, len - 1);
}

/* "KEY:VALUE;" pairs, of which only the CPU's matters here. */
static void parse_pairs(const char *s, struct rsp_stop *ret)
{
	for (; s; s = strchr(s, ';'), s = s ? s + 1 : NULL) {
		if (strncmp(s, "thread:", 7))
			continue;
		s += 7;
		ret->has_thread = !rsp_thread_parse(&s, &ret->thread);
	}
}

int rsp_stop_parse(const char *reply, size_t len, struct rsp_stop *ret)
{
	struct rsp_stop stop = {0};
	uint8_t number;

	if (len < 3 || !memchr("TSWX", reply[0], 4) || rsp_hex_decode(reply + 1, &number, 1))
		return -EBADMSG;
	stop.ended = reply[0] == 'W' || reply[0] == 'X';
	stop.signal = number;
	if (reply[0] == 'T')
		parse_pairs(reply + 3, &stop);
	*ret = stop;
	return 0;
}

static void parse_feature(const char *name, size_t len, struct rsp_features *f)
{
	static const char size[] = "PacketSize=";
	uint64_t v;

	if (len > sizeof(size) - 1 && !memcmp(name, size, sizeof(size) - 1)) {
		name += sizeof(size) - 1;
		if (!rsp_hex_number(&name, &v))
			f->packet_max = v < PACKET_MIN	 ? PACKET_MIN
					: v > PACKET_MAX ? PACKET_MAX
							 : (size_t)v;
	} else if (len == 20 && !memcmp(name, "qXfer:features:read+", 20)) {
		f->reads_features = true;
	} else if (len == 16 && !memcmp(name, "QStartNoAckMode+", 16)) {
		f->has_no_ack = true;
	}
}

void rsp_features_parse(const char *reply, size_t len, struct rsp_features *ret)
{
	const char *end = reply + len;

	*ret = (struct rsp_features){.packet_max = PACKET_MIN};
	while (reply < end) {
		const char *next = memchr(reply, ';', (size_t)(end - reply));

		parse_feature(reply, (size_t)((next ? next : end) - reply), ret);
		reply = next ? next + 1 : end;
	}
}
