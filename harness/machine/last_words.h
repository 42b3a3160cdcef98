/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * last_words.h - the end of what a child program says on its stderr.
 *
 * Reads from the loop as it comes, so that the program never waits for us, and
 * keeps the last few kilobytes.
 */
#ifndef KJUMP_MACHINE_LAST_WORDS_H
#define KJUMP_MACHINE_LAST_WORDS_H

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "base/buf.h"
#include "base/err.h"

struct last_words {
	int fd; /* -1: not open */
	sd_event_source *io;
	struct buf text;
};

#define LAST_WORDS_INIT            \
	{                          \
		-1, NULL, BUF_INIT \
	}

/* *ret_write_fd is for the child, *returned*; close it when the child has it. */
int last_words_open(struct last_words *w, sd_event *loop, int *ret_write_fd, struct err *e);

/* Reads what is there now, without waiting. */
void last_words_read(struct last_words *w);

/* Appends what was kept: lines joined by "; ", safe to print. */
void last_words_add(const struct last_words *w, struct buf *out);

/*
 * Why the child @name ended, in words: @failure (why we ended it, or NULL), its wait
 * status unless @killed by us, @reason (what it gave itself, or NULL), and what
 * it said last. *returned*
 */
char *last_words_explain(const struct last_words *w, const char *name, int status, bool killed,
			 const char *failure, const char *reason);

/* Legal in any state; may be opened again. */
void last_words_close(struct last_words *w);

#endif
