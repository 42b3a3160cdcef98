/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * telnet.h - the client's part of telnet for a serial port behind a network.
 *
 * Sources: RFC 854 (commands), 855 and 1143 (options), 856 (binary), 858
 * (suppress go ahead), 2217 (COM-PORT-OPTION). The server is not trusted: what
 * it says is bounded, and an option is answered once.
 */
#ifndef KJUMP_MACHINE_CONSOLE_TELNET_H
#define KJUMP_MACHINE_CONSOLE_TELNET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define TELNET_SUB_MAX 64 /* bytes of one subnegotiation that are looked at */

enum telnet_state {
	TELNET_DATA,
	TELNET_IAC,
	TELNET_OPTION, /* after WILL, WONT, DO, DONT */
	TELNET_SUB,
	TELNET_SUB_IAC,
};

struct telnet {
	unsigned int baud; /* asked for */
	enum telnet_state state;
	unsigned char verb;		    /* of TELNET_OPTION */
	uint8_t we_will[32], they_will[32]; /* bit sets: as agreed on */
	uint8_t we_answered[32], they_answered[32];
	unsigned char sub[TELNET_SUB_MAX];
	size_t n_sub;
	unsigned int actual_baud; /* as the server said; 0: it did not */
};

/* A fresh connection; what to send first is appended to @reply. */
void telnet_start(struct telnet *t, unsigned int baud, struct buf *reply);

/* What the server sent: the target's bytes go to @data, our answers to @reply. */
void telnet_feed(struct telnet *t, const void *bytes, size_t len, struct buf *data,
		 struct buf *reply);

/* The target's bytes as they are to be sent. */
void telnet_escape(struct buf *out, const void *bytes, size_t len);

/* Asks the server for another speed. */
void telnet_set_baud(struct telnet *t, unsigned int baud, struct buf *out);

#endif
