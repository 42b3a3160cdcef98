/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clean.h - console bytes to lines of text that rules can be matched on.
 *
 * Terminal control (ECMA-48 CSI, OSC and the like) and NUL are dropped,
 * backspaces take back what they erase, CR and LF in any mixture end a line,
 * empty lines vanish. Whatever the bytes, a line is at most CLEAN_LINE_BYTES
 * long and a batch is bounded. What comes out does not depend on how the bytes
 * were cut into chunks.
 *
 * A line of exactly 64 or 80 columns may have been wrapped by a terminal, as
 * long as hardly any line is longer: it is matched together with the next one,
 * so that a sentence cut in two is found. See enum line_use.
 */
#ifndef KJUMP_JUDGE_CLEAN_H
#define KJUMP_JUDGE_CLEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLEAN_LINE_BYTES  4096
#define CLEAN_BATCH_BYTES 65536
#define CLEAN_BATCH_LINES 512

enum line_use {
	LINE_PLAIN,	/* match it and show it */
	LINE_SHOW,	/* one that may be wrapped: shown, matched when joined */
	LINE_JOINED,	/* the held line and the one before this entry: matched only */
	LINE_UNWRAPPED, /* it alone after all: matched only */
};

struct line {
	uint32_t start, len; /* in text; lines are in the order of their starts */
	uint32_t boundary;   /* of a JOINED one: where the second part starts */
	uint32_t number;     /* lines of the batch before this one */
	enum line_use use;
	uint64_t raw_start, raw_end; /* console offsets, without the line's end */
	uint64_t raw_boundary;	     /* of a JOINED one: where the first part ends */
};

struct cleaner {
	/* The batch: complete lines, each followed by a newline, then a partial one. */
	char *text;
	size_t len;
	struct line *lines;
	size_t n_lines;

	/* Private. */
	uint32_t number;
	size_t partial; /* where the partial line starts */
	uint64_t raw, raw_start;
	unsigned int state, sequence;
	unsigned int longer[2]; /* lines longer than each of the widths */
	struct line held;	/* a wrapped line that waits for the next one */
	char held_text[80];
};

void clean_init(struct cleaner *c);
void clean_fini(struct cleaner *c);

/* Takes up to @len bytes and returns how many; fewer when the batch is full. */
size_t clean_feed(struct cleaner *c, const void *data, size_t len);
/* Forgets the complete lines. */
void clean_next(struct cleaner *c);
/* A wrapped line will not wait any longer: adds it to the batch. */
void clean_release(struct cleaner *c);
/* Ends the partial line as if a newline had come, and releases. */
void clean_finish(struct cleaner *c);
/* Bytes that were received but are not there. */
void clean_skip(struct cleaner *c, uint64_t bytes);

#endif
