/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shell_text.h - what programs wrote on a console, without what came between.
 *
 * Removes, wherever they start, whole kernel messages ("[   12.345678] ..." up
 * to their newline, also with "<6>" before and "[    T0]" behind the stamp, as
 * printk writes them with printk.time), and terminal control sequences (CSI,
 * OSC and the short ones, ECMA-48). Of the rest only printable ASCII and
 * newlines are passed on. Works on a stream: any cut of it gives the same text.
 *
 * A message that lost its head or its newline is not recognised or takes what
 * follows with it, so nothing read from here may be trusted without a digest.
 */
#ifndef KJUMP_RUN_SHELL_TEXT_H
#define KJUMP_RUN_SHELL_TEXT_H

#include <stddef.h>

#include "base/buf.h"

enum shell_text_state {
	TEXT_PLAIN,
	TEXT_ESCAPE,	 /* after ESC, and its intermediate bytes */
	TEXT_CONTROL,	 /* in a CSI sequence */
	TEXT_STRING,	 /* in an OSC string */
	TEXT_STRING_END, /* after the ESC that may end one */
	TEXT_HEAD,	 /* in what may be the head of a kernel message */
	TEXT_MESSAGE,	 /* in a kernel message, up to its newline */
};

struct shell_text {
	enum shell_text_state state;
	enum shell_text_state resume; /* where a kernel message broke in */
	char head[32];
	size_t n_head;
	size_t n_skipped; /* bytes of the sequence or message so far */
};

/* Starts as all zeroes. Appends the text of @data to @out. */
void shell_text_feed(struct shell_text *t, const void *data, size_t len, struct buf *out);

#endif
