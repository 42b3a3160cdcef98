// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pictures: what is read, what is refused, and what is said of their pixels.
 */
#include "test/test.h"

#include "base/alloc.h"
#include "machine/display/picture.h"

#define assert_ppm(text, size, expected)                                             \
	do {                                                                         \
		struct picture p_ __free_picture = PICTURE_INIT;                     \
		struct err e_ __free_err = ERR_INIT;                                 \
                                                                                     \
		assert_int_equal(picture_parse_ppm(&p_, text, size, &e_), expected); \
		assert_true(!(expected) || err_msg(&e_)[0]);                         \
	} while (0)

static void fill(struct picture *p, unsigned int width, unsigned int height, uint8_t value)
{
	assert_int_equal(picture_resize(p, width, height, NULL), 0);
	memset(p->rgb, value, picture_bytes(p));
}

static void reads_pixmaps(void **state)
{
	static const char text[] = "P6\n# made by hand\n2 1\n255\n\1\2\3\4\5\6";
	struct picture p __free_picture = PICTURE_INIT;

	assert_int_equal(picture_parse_ppm(&p, text, sizeof(text) - 1, NULL), 0);
	assert_int_equal(p.width, 2);
	assert_int_equal(p.height, 1);
	assert_memory_equal(p.rgb, "\1\2\3\4\5\6", 6);
}

static void refuses_damaged_pixmaps(void **state)
{
	assert_ppm("", 0, -EBADMSG);
	assert_ppm("P", 1, -EBADMSG);
	assert_ppm("P5 1 1 255\n\1", 12, -EBADMSG);
	assert_ppm("P6", 2, -EBADMSG);
	assert_ppm("P6 # no end", 11, -EBADMSG);
	assert_ppm("P6 1 1 255", 10, -EBADMSG);
	assert_ppm("P6 1 1 65535\n\1\2\3\4\5\6", 19, -EBADMSG);
	assert_ppm("P6 -1 1 255\n\1\2\3", 15, -EBADMSG);
	assert_ppm("P6 99999999 1 255\n\1\2\3", 21, -EBADMSG);
	/* One byte too few, one too many. */
	assert_ppm("P6 1 1 255\n\1\2", 13, -EBADMSG);
	assert_ppm("P6 1 1 255\n\1\2\3\4", 15, -EBADMSG);
	/* A size that no display has must not be allocated. */
	assert_ppm("P6 0 4 255\n", 11, -EMSGSIZE);
	assert_ppm("P6 9999999 9999999 255\n", 23, -EMSGSIZE);
}

static void png_gives_back_what_was_written(void **state)
{
	struct picture p __free_picture = PICTURE_INIT, q __free_picture = PICTURE_INIT;
	struct buf png __free_buf = BUF_INIT;
	size_t i;

	fill(&p, 37, 11, 0);
	for (i = 0; i < picture_bytes(&p); i++)
		p.rgb[i] = (uint8_t)(i * 7);
	picture_write_png(&p, &png);
	assert_memory_equal(png.data, "\x89PNG\r\n\x1a\n", 8);
	assert_int_equal(picture_parse_png(&q, png.data, png.len, NULL), 0);
	assert_true(picture_equal(&p, &q));
}

static void refuses_damaged_png(void **state)
{
	struct picture p __free_picture = PICTURE_INIT, q __free_picture = PICTURE_INIT;
	struct buf png __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	size_t len;

	fill(&p, 64, 64, 9);
	picture_write_png(&p, &png);
	/* The last bytes are those of the end chunk, which holds nothing. */
	for (len = 0; len < png.len - 12; len++)
		assert_int_equal(picture_parse_png(&q, png.data, len, NULL), -EBADMSG);
	png.data[png.len / 2] ^= 0x55;
	assert_int_equal(picture_parse_png(&q, png.data, png.len, &e), -EBADMSG);
	/* A width of 2^30: the head, whose checksum is right, comes first. */
	png.len = 0;
	buf_add(&png,
		"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x0f\x42\x40\0\x0f\x42\x40\x08\2\0\0\0\xe9\xf3\xc6"
		"\x27",
		33);
	assert_true(picture_parse_png(&q, png.data, png.len, NULL) < 0);
}

static void a_single_pixel_counts(void **state)
{
	struct picture p __free_picture = PICTURE_INIT, q __free_picture = PICTURE_INIT;

	fill(&p, 2048, 1024, PICTURE_DARK);
	picture_copy(&q, &p);
	assert_int_equal(picture_lit_ppm(&p), 0);
	assert_int_equal(picture_changed_ppm(&p, &q), 0);
	assert_true(picture_equal(&p, &q));
	q.rgb[picture_bytes(&q) - 1]++;
	assert_int_equal(picture_lit_ppm(&q), 1);
	assert_int_equal(picture_changed_ppm(&p, &q), 1);
	assert_false(picture_equal(&p, &q));
	memset(q.rgb, 255, picture_bytes(&q) / 2);
	assert_int_equal(picture_lit_ppm(&q), 500001);
}

static void another_size_is_another_picture(void **state)
{
	struct picture p __free_picture = PICTURE_INIT, q __free_picture = PICTURE_INIT;
	char a[DIGEST_HEX_SIZE], b[DIGEST_HEX_SIZE];

	fill(&p, 4, 6, 1);
	fill(&q, 6, 4, 1);
	assert_int_equal(picture_changed_ppm(&p, &q), 1000000);
	assert_false(picture_equal(&p, &q));
	picture_digest(&p, a);
	picture_digest(&q, b);
	assert_string_not_equal(a, b);
	picture_copy(&q, &p);
	picture_digest(&q, b);
	assert_string_equal(a, b);
	/* None at all equals nothing. */
	picture_fini(&q);
	assert_false(picture_equal(&p, &q));
	assert_false(picture_equal(&q, &q));
	assert_int_equal(picture_changed_ppm(&p, &q), 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_pixmaps),
		cmocka_unit_test(refuses_damaged_pixmaps),
		cmocka_unit_test(png_gives_back_what_was_written),
		cmocka_unit_test(refuses_damaged_png),
		cmocka_unit_test(a_single_pixel_counts),
		cmocka_unit_test(another_size_is_another_picture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
