/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - pictures out of whatever libavformat, libavdevice and libavcodec
 * read: a V4L2 grabber, a filter graph, a file.
 *
 * Everything that comes in is a stranger's. What cannot be decoded is counted and
 * left out; what is too large is refused. Calls block.
 */
#ifndef KJUMP_GRAB_SOURCE_H
#define KJUMP_GRAB_SOURCE_H

#include "machine/display/picture.h"

struct source_opts {
	const char *format; /* "v4l2", "lavfi" or "file" */
	const char *source;
	const char *input, *size, *rate; /* of a device, in libavdevice's words; NULL: its choice */
};

struct source;

int source_open(const struct source_opts *opts, struct source **ret, struct err *e);
void source_close(struct source *s);

struct source_picture {
	uint64_t t_ns;	  /* CLOCK_MONOTONIC: when it was there; the driver's stamp if it has one */
	uint64_t late_ns; /* it may have been there so much earlier: there was no stamp */
	unsigned int dropped;	/* damaged ones since the last one */
	struct picture *pixels; /* borrowed until the next call */
};

/*
 * The next picture. A file's or a generated one is waited for until its time.
 * 0: *ret is one; -ENODATA: the source has ended; else it cannot be read.
 * @least_ns: pictures that come sooner after the last one are left out, undecoded,
 * where the format allows it.
 */
int source_read(struct source *s, uint64_t least_ns, struct source_picture *ret, struct err *e);

#endif
