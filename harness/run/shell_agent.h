/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shell_agent.h - the reader that a shell is given, and what it answers.
 *
 * The agent is a shell function for any POSIX shell with base64 and sha256sum.
 * It reads lines from the console in the terminal's plain line mode:
 *
 *   +TRY ID OFFSET BASE64   a piece of command ID; kept if OFFSET fits
 *   r ID DIGEST             run it if the whole has that digest, but never twice
 *   l ID DIGEST             the same for one that does not come back
 *   f FIRST LAST            send these lines of the last output again
 *   echo ...                somebody looks for a shell: end, for it to answer
 *
 * and answers with messages "TAG KIND FIELD,FIELD...;" (without the blanks):
 *
 *   h                       it runs
 *   s ID,LENGTH,LAST        after any other line: bytes it holds of ID, last one run
 *   g ID / n ID             about to run it / it is damaged
 *   b ID,STATUS,BYTES,DIGEST / d ID,LINE,BASE64 / e ID     output
 *   a STATUS,NUMBER         a shell's answer to "is one there?"
 *   j LENGTH                pieces of the agent itself that a shell holds
 *
 * The tag is random and never typed together with what makes a message whole,
 * so that no echo, however damaged, is one.
 */
#ifndef KJUMP_RUN_SHELL_AGENT_H
#define KJUMP_RUN_SHELL_AGENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define SHELL_TAG_SIZE	 8	    /* '_', six letters or digits, and a NUL */
#define SHELL_OUTPUT_MAX (1U << 20) /* bytes of one command */
#define SHELL_DIGEST_LEN 16	    /* hex digits of SHA-256 that are compared */
#define SHELL_LINE_BYTES 57	    /* of output in one message: 76 of base64 */

/* Fresh random bits; blocks only on a host without entropy. */
uint64_t shell_random(void);
void shell_tag_new(char ret_tag[SHELL_TAG_SIZE]);

/* The agent's program text. */
void shell_agent_source(struct buf *out, const char *tag);

struct shell_message {
	char kind;
	const char *field[4];
	size_t n_fields;
};

/* Field @i as a number; -EINVAL if it is absent or not one. */
int shell_message_number(const struct shell_message *m, size_t i, uint64_t *ret);

/* Finds messages in a stream of text; starts as all zeroes with BUF_INIT. */
struct shell_scan {
	char tag[SHELL_TAG_SIZE]; /* "": nothing is looked for */
	struct buf pending;
};

/* Calls @each for every message; strings are borrowed for the call. */
void shell_scan_feed(struct shell_scan *s, const char *text, size_t len,
		     void (*each)(const struct shell_message *m, void *arg), void *arg);

#endif
