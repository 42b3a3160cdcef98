// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-picture.c - any bytes as a portable pixmap or a PNG.
 */
#include <stdint.h>
#include <stdlib.h>

#include "machine/display/picture.h"

/* What was taken has the size that it says, and can be written and read again. */
static void check(const struct picture *p)
{
	struct picture again __free_picture = PICTURE_INIT;
	struct buf png __free_buf = BUF_INIT;

	if (!p->width || !p->height || picture_lit_ppm(p) > 1000000)
		abort();
	/* Deflating large pictures would be all that this does. */
	if (picture_bytes(p) > 65536)
		return;
	picture_write_png(p, &png);
	if (picture_parse_png(&again, png.data, png.len, NULL) || !picture_equal(p, &again))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct picture p __free_picture = PICTURE_INIT;

	if (!picture_parse_ppm(&p, data, size, NULL))
		check(&p);
	if (!picture_parse_png(&p, data, size, NULL))
		check(&p);
	return 0;
}
