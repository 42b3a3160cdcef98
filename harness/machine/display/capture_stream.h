/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture_stream.h - what kjump-grab tells its reader over a pipe.
 *
 * A head, and behind it a picture or a text. Both ends are on one host and of one
 * build, but the writer decodes what strangers send, so the reader believes
 * nothing: a stream that is not one ends.
 */
#ifndef KJUMP_MACHINE_DISPLAY_CAPTURE_STREAM_H
#define KJUMP_MACHINE_DISPLAY_CAPTURE_STREAM_H

#include "machine/display/picture.h"

#define CAPTURE_MAGIC	 0x62726a6bu /* "kjrb" */
#define CAPTURE_TEXT_MAX 512

enum capture_kind {
	CAPTURE_FRAME, /* another picture than the last one */
	CAPTURE_SAME,  /* looked, and it is still the last one; no more than some a second */
	CAPTURE_GONE,  /* no picture until the next FRAME: the text says why */
	N_CAPTURE_KINDS
};

struct capture_head {
	uint32_t magic;
	uint32_t kind;
	uint64_t t_ns;		 /* CLOCK_MONOTONIC, when the picture was there */
	uint64_t uncertainty_ns; /* and by how much it may have come earlier */
	uint32_t dropped;	 /* pictures lost or damaged since the last head */
	uint32_t width, height;	 /* FRAME: of the picture, which follows; else 0 */
	uint32_t text_bytes;	 /* GONE: of the text, which follows; else 0 */
};

/* A head with what follows; valid for the duration of the call. */
struct capture_message {
	struct capture_head head;
	const uint8_t *rgb; /* FRAME */
	const char *text;   /* GONE; as it came, so not to be printed unescaped */
};

/*
 * Takes the first message off @in. 1: *ret is one, and *ret_bytes are to be
 * consumed after its use; 0: it is not complete yet; -EBADMSG: not a stream.
 */
int capture_stream_parse(const struct buf *in, struct capture_message *ret, size_t *ret_bytes,
			 struct err *e);

#endif
