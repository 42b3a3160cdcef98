// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/console/telnet.h"

#include <string.h>

enum {
	SE = 240,
	SB = 250,
	WILL = 251,
	WONT = 252,
	DO = 253,
	DONT = 254,
	IAC = 255,
};

enum { OPT_BINARY = 0, OPT_GO_AHEAD = 3, OPT_COM_PORT = 44 };

/* RFC 2217: the client's commands; the server answers with 100 more. */
enum { SET_BAUD = 1, SET_DATA_SIZE = 2, SET_PARITY = 3, SET_STOP_SIZE = 4, SET_CONTROL = 5 };
enum { SERVER = 100, PARITY_NONE = 1, STOP_ONE = 1, CONTROL_NO_FLOW = 1 };

static bool get_bit(const uint8_t *set, unsigned char i)
{
	return set[i / 8] >> (i % 8) & 1;
}

static void put_bit(uint8_t *set, unsigned char i, bool on)
{
	set[i / 8] = (uint8_t)((set[i / 8] & ~(1u << (i % 8))) | (unsigned int)on << (i % 8));
}

static void say(struct buf *out, unsigned char verb, unsigned char option)
{
	const unsigned char text[] = {IAC, verb, option};

	buf_add(out, text, sizeof(text));
}

void telnet_escape(struct buf *out, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	size_t i;

	for (i = 0; i < len; i++) {
		if (p[i] == IAC)
			buf_addch(out, (char)IAC);
		buf_addch(out, (char)p[i]);
	}
}

static void say_sub(struct buf *out, unsigned char command, const void *value, size_t len)
{
	const unsigned char head[] = {IAC, SB, OPT_COM_PORT, command}, tail[] = {IAC, SE};

	buf_add(out, head, sizeof(head));
	telnet_escape(out, value, len);
	buf_add(out, tail, sizeof(tail));
}

void telnet_set_baud(struct telnet *t, unsigned int baud, struct buf *out)
{
	const unsigned char value[] = {(unsigned char)(baud >> 24), (unsigned char)(baud >> 16),
				       (unsigned char)(baud >> 8), (unsigned char)baud};

	t->baud = baud;
	if (get_bit(t->we_will, OPT_COM_PORT))
		say_sub(out, SET_BAUD, value, sizeof(value));
}

/* The server takes the port's settings. */
static void set_port(struct telnet *t, struct buf *out)
{
	static const unsigned char settings[][2] = {
		{SET_DATA_SIZE, 8},
		{SET_PARITY, PARITY_NONE},
		{SET_STOP_SIZE, STOP_ONE},
		{SET_CONTROL, CONTROL_NO_FLOW},
	};
	size_t i;

	telnet_set_baud(t, t->baud, out);
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		say_sub(out, settings[i][0], &settings[i][1], 1);
}

/* What we offer and ask for; everything else is refused. */
static bool is_wanted(unsigned char option, bool ours)
{
	return option == OPT_BINARY || option == OPT_GO_AHEAD || (ours && option == OPT_COM_PORT);
}

void telnet_start(struct telnet *t, unsigned int baud, struct buf *reply)
{
	memset(t, 0, sizeof(*t));
	t->baud = baud;
	say(reply, WILL, OPT_COM_PORT);
	say(reply, WILL, OPT_BINARY);
	say(reply, DO, OPT_BINARY);
	say(reply, DO, OPT_GO_AHEAD);
	put_bit(t->we_answered, OPT_COM_PORT, true);
	put_bit(t->we_answered, OPT_BINARY, true);
	put_bit(t->they_answered, OPT_BINARY, true);
	put_bit(t->they_answered, OPT_GO_AHEAD, true);
}

/* DO and DONT are about us, WILL and WONT about them. */
static void on_option(struct telnet *t, unsigned char option, struct buf *reply)
{
	bool ours = t->verb == DO || t->verb == DONT;
	bool on = t->verb == DO || t->verb == WILL, agreed = on && is_wanted(option, ours);
	uint8_t *state = ours ? t->we_will : t->they_will;
	uint8_t *answered = ours ? t->we_answered : t->they_answered;
	bool was = get_bit(state, option), known = get_bit(answered, option);

	put_bit(state, option, agreed);
	put_bit(answered, option, true);
	/* An answer to what we said needs none; nor does what changes nothing. */
	if (!known || (was && !agreed))
		say(reply, ours ? (agreed ? WILL : WONT) : (agreed ? DO : DONT), option);
	if (ours && option == OPT_COM_PORT && agreed && !was)
		set_port(t, reply);
}

static void on_sub(struct telnet *t)
{
	const unsigned char *s = t->sub;

	if (t->n_sub == 6 && s[0] == OPT_COM_PORT && s[1] == SERVER + SET_BAUD)
		t->actual_baud = (unsigned int)s[2] << 24 | (unsigned int)s[3] << 16 |
				 (unsigned int)s[4] << 8 | s[5];
}

static void add_sub(struct telnet *t, unsigned char c)
{
	if (t->n_sub < sizeof(t->sub))
		t->sub[t->n_sub++] = c;
}

static void after_iac(struct telnet *t, unsigned char c, struct buf *data)
{
	t->state = TELNET_DATA;
	if (c == IAC) {
		buf_addch(data, (char)c);
	} else if (c >= WILL) {
		t->verb = c;
		t->state = TELNET_OPTION;
	} else if (c == SB) {
		t->n_sub = 0;
		t->state = TELNET_SUB;
	}
}

static void feed_byte(struct telnet *t, unsigned char c, struct buf *data, struct buf *reply)
{
	switch (t->state) {
	case TELNET_DATA:
		if (c == IAC)
			t->state = TELNET_IAC;
		else
			buf_addch(data, (char)c);
		break;
	case TELNET_IAC:
		after_iac(t, c, data);
		break;
	case TELNET_OPTION:
		t->state = TELNET_DATA;
		on_option(t, c, reply);
		break;
	case TELNET_SUB:
		if (c == IAC)
			t->state = TELNET_SUB_IAC;
		else
			add_sub(t, c);
		break;
	case TELNET_SUB_IAC:
		t->state = c == IAC ? TELNET_SUB : TELNET_DATA;
		if (c == IAC)
			add_sub(t, c);
		else if (c == SE)
			on_sub(t);
		break;
	}
}

void telnet_feed(struct telnet *t, const void *bytes, size_t len, struct buf *data,
		 struct buf *reply)
{
	const unsigned char *p = bytes;
	size_t i;

	for (i = 0; i < len; i++)
		feed_byte(t, p[i], data, reply);
}
