/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shell_frame.h - a command's output, put together from numbered lines.
 *
 * Lines may come in any order, more than once, or not at all; what is missing
 * can be asked for. Only a digest that fits makes it whole. A length over
 * SHELL_OUTPUT_MAX is refused before anything is kept.
 */
#ifndef KJUMP_RUN_SHELL_FRAME_H
#define KJUMP_RUN_SHELL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "run/shell_agent.h"

struct shell_frame {
	bool begun;
	int status;
	size_t len;
	char digest[SHELL_DIGEST_LEN + 1];
	unsigned char *bytes; /* len of them */
	bool *have;	      /* by line */
	size_t n_lines, n_have;
};

/* Starts as all zeroes. */
void shell_frame_reset(struct shell_frame *f);

/*
 * Message "b". -EINVAL: damaged, forget it. -EMSGSIZE: more than SHELL_OUTPUT_MAX.
 * Another one that says the same keeps the lines that are there.
 */
int shell_frame_begin(struct shell_frame *f, const struct shell_message *m);

/* Message "d"; a damaged or foreign one changes nothing. */
void shell_frame_line(struct shell_frame *f, const struct shell_message *m);

/* First and last line that are missing, counted from 1; false: none is. */
bool shell_frame_missing(const struct shell_frame *f, size_t *ret_first, size_t *ret_last);

/* 0: whole. -EBADMSG: the digest does not fit; all lines were forgotten. */
int shell_frame_check(struct shell_frame *f);

#endif
