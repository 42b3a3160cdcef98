// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <png.h>
#include <string.h>

#include "base/alloc.h"
#include "machine/display/picture.h"

static void add_bytes(png_structp png, png_bytep data, size_t len)
{
	buf_add(png_get_io_ptr(png), data, len);
}

static void no_flush(png_structp png)
{
}

/* Speed before size: the picture is written while a target is being watched. */
void picture_write_png(const struct picture *p, struct buf *out)
{
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	unsigned int y;

	/* Writing to memory fails for want of memory only. */
	if (!info || setjmp(png_jmpbuf(png)))
		abort();
	png_set_write_fn(png, out, add_bytes, no_flush);
	png_set_compression_level(png, 1);
	png_set_filter(png, 0, PNG_FILTER_SUB);
	png_set_IHDR(png, info, p->width, p->height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
		     PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	png_write_info(png, info);
	for (y = 0; y < p->height; y++)
		png_write_row(png, p->rgb + (size_t)3 * p->width * y);
	png_write_end(png, NULL);
	png_destroy_write_struct(&png, &info);
}

int picture_parse_png(struct picture *p, const void *data, size_t len, struct err *e)
{
	png_image image = {.version = PNG_IMAGE_VERSION};
	int rc;

	if (!png_image_begin_read_from_memory(&image, data, len))
		return err_set(e, EBADMSG, "not a PNG: %s", image.message);
	image.format = PNG_FORMAT_RGB;
	rc = picture_resize(p, image.width, image.height, e);
	/* What is transparent shows black. */
	if (!rc && !png_image_finish_read(&image, &(png_color){0}, p->rgb, 0, NULL))
		rc = err_set(e, EBADMSG, "a damaged PNG: %s", image.message);
	png_image_free(&image);
	return rc;
}
