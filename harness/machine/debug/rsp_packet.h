/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rsp_packet.h - packets of the gdb remote serial protocol, and its numbers.
 *
 * Source: Debugging with GDB, appendix E "GDB Remote Serial Protocol": $BODY#CC
 * with a checksum over BODY as it stands on the line, '}' before a byte that was
 * xored with 0x20, '*' for a run of the byte before it; '+' and '-' between.
 * Allocates at most RSP_PACKET_MAX for what it reads.
 */
#ifndef KJUMP_MACHINE_DEBUG_RSP_PACKET_H
#define KJUMP_MACHINE_DEBUG_RSP_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define RSP_PACKET_MAX 65536 /* bytes of a body, decoded */
#define RSP_INTERRUPT  0x03  /* on the line by itself: stop the target */

enum rsp_item {
	RSP_NOTHING, /* in the middle of something */
	RSP_ACK,
	RSP_NAK,
	RSP_PACKET,
	RSP_NOTIFICATION, /* a packet that is no answer and wants none */
	RSP_DAMAGED,	  /* a packet with a wrong checksum or encoding */
	RSP_TOO_LONG,
	RSP_JUNK, /* a byte outside of packets */
};

struct rsp_reader {
	enum rsp_reader_state { RSP_OUTSIDE, RSP_BODY, RSP_SUM_HIGH, RSP_SUM_LOW } state;
	bool notification;
	enum rsp_reader_code { RSP_PLAIN, RSP_ESCAPED, RSP_RUN } code;
	bool broken; /* what came so far cannot be decoded */
	uint8_t sum; /* of the bytes on the line */
	char sum_high;
	struct buf body;
};

#define RSP_READER_INIT          \
	{                        \
		.body = BUF_INIT \
	}

void rsp_reader_fini(struct rsp_reader *r);

/* What @c completes. After RSP_PACKET @r->body is the packet until the next byte. */
enum rsp_item rsp_reader_byte(struct rsp_reader *r, char c);

/* Appends the packet that carries @len bytes of @body. */
void rsp_packet_add(struct buf *out, const void *body, size_t len);

/* The bytes of @data as hexadecimal digits. */
void rsp_hex_add(struct buf *out, const void *data, size_t len);
/* 2 * @len digits to bytes; -EBADMSG for anything else. */
int rsp_hex_decode(const char *hex, void *data, size_t len);
/* The number that *@p starts with, which it goes past; -EBADMSG or -ERANGE. */
int rsp_hex_number(const char **p, uint64_t *ret);

#endif
