/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture.h - pixels of a display, and what can be said of them.
 *
 * 8 bits each of red, green and blue, row by row without padding. What comes
 * from outside is checked: no picture has more than PICTURE_PIXELS_MAX pixels.
 */
#ifndef KJUMP_MACHINE_DISPLAY_PICTURE_H
#define KJUMP_MACHINE_DISPLAY_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/err.h"

#define PICTURE_PIXELS_MAX (16384u * 4096u)

/* A channel above this is light: black of limited-range video is 16. */
#define PICTURE_DARK	   24

struct picture {
	unsigned int width, height;
	uint8_t *rgb; /* 3 * width * height bytes */
};

#define PICTURE_INIT \
	{            \
		0    \
	}

void picture_fini(struct picture *p);
#define __free_picture __cleanup(picture_fini)

/* Makes room; the pixels are undefined. -EMSGSIZE when it would be too large or empty. */
int picture_resize(struct picture *p, unsigned int width, unsigned int height, struct err *e);
void picture_copy(struct picture *to, const struct picture *from);
void picture_swap(struct picture *a, struct picture *b);

static inline size_t picture_bytes(const struct picture *p)
{
	return (size_t)3 * p->width * p->height;
}

bool picture_equal(const struct picture *a, const struct picture *b);
void picture_digest(const struct picture *p, char ret_hex[DIGEST_HEX_SIZE]);

/* How many in a million are lit; never 0 while one is. */
unsigned int picture_lit_ppm(const struct picture *p);
/* How many in a million differ; all of them when the sizes do. Never 0 while one does. */
unsigned int picture_changed_ppm(const struct picture *a, const struct picture *b);

/* Portable pixmap, raw (P6) with 8 bits a channel, as QEMU writes it (netpbm, ppm(5)). */
int picture_parse_ppm(struct picture *p, const void *data, size_t len, struct err *e);

/* PNG (ISO/IEC 15948, by libpng). Written is RGB; any kind is read. */
void picture_write_png(const struct picture *p, struct buf *out);
int picture_parse_png(struct picture *p, const void *data, size_t len, struct err *e);

#endif
