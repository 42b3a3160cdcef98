// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/debug/rsp_packet.h"

#include <errno.h>
#include <string.h>

/* A run's count is a printable character, this much above the count. */
#define RUN_BASE 29
#define RUN_MIN	 ' '
#define RUN_MAX	 '~'

void rsp_reader_fini(struct rsp_reader *r)
{
	buf_fini(&r->body);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static void begin(struct rsp_reader *r, char c)
{
	r->state = RSP_BODY;
	r->notification = c == '%';
	r->code = RSP_PLAIN;
	r->broken = false;
	r->sum = 0;
	buf_reset(&r->body);
}

static enum rsp_item outside(struct rsp_reader *r, char c)
{
	switch (c) {
	case '+':
		return RSP_ACK;
	case '-':
		return RSP_NAK;
	case '$':
	case '%':
		begin(r, c);
		return RSP_NOTHING;
	}
	return RSP_JUNK;
}

static void add_run(struct rsp_reader *r, char c)
{
	int n;

	if (!r->body.len || c < RUN_MIN || c > RUN_MAX) {
		r->broken = true;
		return;
	}
	for (n = c - RUN_BASE; n; n--)
		buf_addch(&r->body, r->body.data[r->body.len - 1]);
}

static void decode(struct rsp_reader *r, char c)
{
	enum rsp_reader_code code = r->code;

	r->code = RSP_PLAIN;
	switch (code) {
	case RSP_PLAIN:
		if (c == '}')
			r->code = RSP_ESCAPED;
		else if (c == '*')
			r->code = RSP_RUN;
		else
			buf_addch(&r->body, c);
		break;
	case RSP_ESCAPED:
		buf_addch(&r->body, (char)(c ^ 0x20));
		break;
	case RSP_RUN:
		add_run(r, c);
		break;
	}
}

static enum rsp_item inside(struct rsp_reader *r, char c)
{
	if (c == '#') {
		r->broken |= r->code != RSP_PLAIN;
		r->state = RSP_SUM_HIGH;
		return RSP_NOTHING;
	}
	if (c == '$') { /* the rest of the one before was lost on the way */
		begin(r, c);
		return RSP_DAMAGED;
	}
	r->sum += (uint8_t)c;
	decode(r, c);
	if (r->body.len <= RSP_PACKET_MAX)
		return RSP_NOTHING;
	r->state = RSP_OUTSIDE;
	return RSP_TOO_LONG;
}

static enum rsp_item end(struct rsp_reader *r, char c)
{
	int high = digit(r->sum_high), low = digit(c);

	r->state = RSP_OUTSIDE;
	if (r->broken || high < 0 || low < 0 || (high << 4 | low) != r->sum)
		return RSP_DAMAGED;
	return r->notification ? RSP_NOTIFICATION : RSP_PACKET;
}

enum rsp_item rsp_reader_byte(struct rsp_reader *r, char c)
{
	switch (r->state) {
	case RSP_OUTSIDE:
		return outside(r, c);
	case RSP_BODY:
		return inside(r, c);
	case RSP_SUM_HIGH:
		r->sum_high = c;
		r->state = RSP_SUM_LOW;
		return RSP_NOTHING;
	case RSP_SUM_LOW:
		return end(r, c);
	}
	return RSP_NOTHING;
}

void rsp_packet_add(struct buf *out, const void *body, size_t len)
{
	size_t from = out->len + 1;
	const char *p = body;
	uint8_t sum = 0;

	buf_addch(out, '$');
	for (; len; len--, p++) {
		bool special = *p && strchr("$#}*", *p);

		if (special)
			buf_addch(out, '}');
		buf_addch(out, special ? (char)(*p ^ 0x20) : *p);
	}
	for (; from < out->len; from++)
		sum += (uint8_t)out->data[from];
	buf_addf(out, "#%02x", sum);
}

void rsp_hex_add(struct buf *out, const void *data, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *p = data;

	buf_reserve(out, 2 * len);
	for (; len; len--, p++) {
		buf_addch(out, digits[*p >> 4]);
		buf_addch(out, digits[*p & 15]);
	}
}

int rsp_hex_decode(const char *hex, void *data, size_t len)
{
	uint8_t *to = data;

	for (; len; len--, hex += 2) {
		int high = digit(hex[0]), low = high < 0 ? -1 : digit(hex[1]);

		if (low < 0)
			return -EBADMSG;
		*to++ = (uint8_t)(high << 4 | low);
	}
	return 0;
}

int rsp_hex_number(const char **p, uint64_t *ret)
{
	const char *s = *p;
	uint64_t v = 0;

	if (digit(*s) < 0)
		return -EBADMSG;
	for (; digit(*s) >= 0; s++) {
		if (v >> 60)
			return -ERANGE;
		v = v << 4 | (uint64_t)digit(*s);
	}
	*p = s;
	*ret = v;
	return 0;
}
