/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout.h - what writer and reader of an evidence directory agree on.
 *
 * console.tail is a ring that follows a small header. Its last TAIL_SLACK_BYTES
 * are never shown: a writer that dies between the bytes and the header leaves
 * its newest bytes over the oldest ones.
 */
#ifndef KJUMP_EVIDENCE_LAYOUT_H
#define KJUMP_EVIDENCE_LAYOUT_H

#include <stdint.h>

#define CONSOLE_FILE	 "console.log"
#define TAIL_FILE	 "console.tail"
#define EVENTS_FILE	 "events.jsonl"

#define TAIL_MAGIC	 "kjtail01"
#define TAIL_SLACK_BYTES 65536ULL

/* Little-endian, as all hosts that kjump runs on. */
struct tail_header {
	char magic[8];
	uint64_t ring_bytes; /* size of what follows */
	uint64_t start;	     /* console offset of the ring's first byte ever */
	uint64_t end;	     /* console offset after the newest byte */
};

/* Why bytes between head and tail are missing in a replay. */
#define GAP_OVER_LIMIT "over the size limit"

#endif
