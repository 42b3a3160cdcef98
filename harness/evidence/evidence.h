/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * evidence.h - an attempt's directory: append-only writer, replaying reader.
 *
 *   console.log     console bytes from the first on, exactly as received
 *   console.tail    the last bytes of a flood, when console.log is full
 *   events.jsonl    one JSON object a line; console events name offsets
 *   frame-*.png     pictures of the display that frame events name
 *
 * A line is written whole or is the torn last one, which the reader reports
 * and leaves out. Nothing is ever rewritten.
 */
#ifndef KJUMP_EVIDENCE_EVIDENCE_H
#define KJUMP_EVIDENCE_EVIDENCE_H

#include "base/err.h"
#include "evidence/event.h"

struct evidence_limits {
	uint64_t head_bytes; /* console bytes kept from the start */
	uint64_t tail_bytes; /* and from the end */
};

#define EVIDENCE_LIMITS_DEFAULT         \
	{                               \
		32ULL << 20, 4ULL << 20 \
	}

struct evidence_writer;

/* Creates @dir, which must not exist (-EEXIST). */
int evidence_create(const char *dir, const struct evidence_limits *limits,
		    struct evidence_writer **ret, struct err *e);

/*
 * Appends one event. After the first failure (say ENOSPC) it returns that
 * error for every later call and writes nothing more; what is on disk stays
 * readable.
 */
int evidence_write(struct evidence_writer *w, const struct event *ev, struct err *e);

/*
 * A file of its own beside the others, which an event can name: @name has no
 * slash and is new. It is on disk after evidence_close(). Fails as evidence_write().
 */
int evidence_add_file(struct evidence_writer *w, const char *name, const void *data, size_t len,
		      struct err *e);

/* Flushes to disk and closes; frees @w in any case. */
int evidence_close(struct evidence_writer *w, struct err *e);

/*
 * Calls @each for every event in order; stops early when it returns non-zero
 * and returns that. A torn or foreign line is skipped, counted in *ret_skipped.
 */
int evidence_replay(const char *dir, int (*each)(const struct event *ev, void *arg), void *arg,
		    size_t *ret_skipped, struct err *e);

#endif
