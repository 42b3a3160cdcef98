// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pictures that are expected: what still is one, what is not, and bad files.
 */
#include "test/test.h"

#include "base/alloc.h"
#include "base/file.h"
#include "machine/display/reference.h"

#define WIDTH  320
#define HEIGHT 240

static char *dir, *json_path, *png_path;

static int set_up(void **state)
{
	char template[] = "/tmp/kjump-test-XXXXXX";

	dir = xstrdup(mkdtemp(template));
	json_path = file_join(dir, "logo.json");
	png_path = file_join(dir, "logo.png");
	return 0;
}

static int tear_down(void **state)
{
	file_remove_tree(dir, NULL);
	free(dir);
	free(json_path);
	free(png_path);
	return 0;
}

static void box(struct picture *p, unsigned int x, unsigned int y, unsigned int w, unsigned int h,
		uint8_t value)
{
	unsigned int row;

	for (row = y; row < y + h; row++)
		memset(p->rgb + 3 * ((size_t)row * p->width + x), value, 3 * (size_t)w);
}

/* Dark grey, with a light block left of the middle. */
static void draw(struct picture *p)
{
	assert_int_equal(picture_resize(p, WIDTH, HEIGHT, NULL), 0);
	box(p, 0, 0, WIDTH, HEIGHT, 40);
	box(p, 60, 70, 80, 90, 220);
}

static int load(const char *json, struct reference **ret, struct err *e)
{
	struct picture p __free_picture = PICTURE_INIT;
	struct buf png __free_buf = BUF_INIT;

	draw(&p);
	picture_write_png(&p, &png);
	assert_int_equal(file_write(png_path, png.data, png.len, NULL), 0);
	assert_int_equal(file_write(json_path, json, strlen(json), NULL), 0);
	return reference_load(json_path, ret, e);
}

#define WHOLE "{\"xpos\":0,\"ypos\":0,\"width\":320,\"height\":240}"

static void noise_does_not_matter(void **state)
{
	struct reference *r __free(reference) = NULL;
	struct picture p __free_picture = PICTURE_INIT;
	unsigned int percent = 0;
	size_t i;

	assert_int_equal(load("{\"area\":[" WHOLE "]}", &r, NULL), 0);
	assert_string_equal(reference_name(r), "logo");
	draw(&p);
	assert_true(reference_matches(r, &p, &percent));
	assert_int_equal(percent, 100);
	srand(4);
	for (i = 0; i < picture_bytes(&p); i++)
		p.rgb[i] = (uint8_t)(p.rgb[i] + rand() % 25 - 12);
	assert_true(reference_matches(r, &p, &percent));
	/* A grabber's brightness is off a little. */
	for (i = 0; i < picture_bytes(&p); i++)
		p.rgb[i] = (uint8_t)(p.rgb[i] * 15 / 16 + 6);
	assert_true(reference_matches(r, &p, &percent));
}

static void another_picture_does(void **state)
{
	struct reference *r __free(reference) = NULL;
	struct picture p __free_picture = PICTURE_INIT;
	unsigned int percent = 100;

	assert_int_equal(load("{\"area\":[" WHOLE "]}", &r, NULL), 0);
	draw(&p);
	box(&p, 180, 20, 80, 200, 200);
	assert_false(reference_matches(r, &p, &percent));
	assert_true(percent < 96);
	draw(&p); /* the block has moved */
	box(&p, 60, 70, 80, 90, 40);
	box(&p, 180, 70, 80, 90, 220);
	assert_false(reference_matches(r, &p, &percent));
	box(&p, 0, 0, WIDTH, HEIGHT, 0);
	assert_false(reference_matches(r, &p, &percent));
	box(&p, 0, 0, WIDTH, HEIGHT, 40);
	assert_false(reference_matches(r, &p, &percent));
	/* And another size. */
	assert_int_equal(picture_resize(&p, HEIGHT, WIDTH, NULL), 0);
	assert_false(reference_matches(r, &p, &percent));
	assert_int_equal(percent, 0);
}

static void what_is_excluded_does_not_count(void **state)
{
	struct reference *r __free(reference) = NULL, *q __free(reference) = NULL;
	struct picture p __free_picture = PICTURE_INIT;

	assert_int_equal(load("{\"area\":[" WHOLE ",{\"xpos\":170,\"ypos\":10,\"width\":150,"
			      "\"height\":230,\"type\":\"exclude\"}]}",
			      &r, NULL),
			 0);
	draw(&p);
	box(&p, 180, 20, 80, 200, 200); /* a clock, say */
	assert_true(reference_matches(r, &p, NULL));
	box(&p, 20, 20, 80, 200, 200);
	assert_false(reference_matches(r, &p, NULL));
	/* Or only the block is looked at, and must be right to the last percent. */
	assert_int_equal(load("{\"area\":[{\"xpos\":50,\"ypos\":60,\"width\":100,\"height\":110,"
			      "\"type\":\"match\",\"match\":100}]}",
			      &q, NULL),
			 0);
	draw(&p);
	box(&p, 180, 0, 140, 240, 200);
	assert_true(reference_matches(q, &p, NULL));
	box(&p, 50, 60, 30, 110, 200);
	assert_false(reference_matches(q, &p, NULL));
}

static void refuse(const char *json, const char *reason)
{
	struct reference *r __free(reference) = NULL;
	struct err e __free_err = ERR_INIT;

	assert_true(load(json, &r, &e) < 0);
	if (!strstr(err_msg(&e), reason) || !strstr(err_msg(&e), "logo.json"))
		fail_msg("'%s' does not say '%s'", err_msg(&e), reason);
}

static void mistakes_are_told(void **state)
{
	struct reference *r __free(reference) = NULL;
	struct err e __free_err = ERR_INIT;

	refuse("", "");
	refuse("[]", "expected \"area\"");
	refuse("{\"area\":[]}", "expected \"area\"");
	refuse("{\"area\":{}}", "expected \"area\"");
	refuse("{\"area\":[3]}", "area 1: expected xpos");
	refuse("{\"area\":[" WHOLE ",{\"xpos\":1,\"ypos\":0,\"width\":320,\"height\":240}]}",
	       "area 2: expected xpos, ypos, width and height inside its 320x240 picture");
	refuse("{\"area\":[{\"xpos\":-1,\"ypos\":0,\"width\":1,\"height\":1}]}", "area 1");
	refuse("{\"area\":[{\"xpos\":9223372036854775807,\"ypos\":0,\"width\":1,\"height\":1}]}",
	       "area 1");
	refuse("{\"area\":[{\"xpos\":0,\"ypos\":0,\"width\":9,\"height\":9,\"match\":101}]}",
	       "percentage");
	refuse("{\"area\":[{\"xpos\":0,\"ypos\":0,\"width\":9,\"height\":9,\"type\":\"ocr\"}]}",
	       "type 'ocr'");
	refuse("{\"area\":[{\"xpos\":0,\"ypos\":0,\"width\":9,\"height\":9,\"type\":\"exclude\"}]}",
	       "no area of type match");
	assert_int_equal(file_write(png_path, "x", 1, NULL), 0);
	assert_true(reference_load(json_path, &r, &e) < 0);
	assert_non_null(strstr(err_msg(&e), png_path));
	assert_int_equal(unlink(png_path), 0);
	assert_int_equal(reference_load(json_path, &r, &e), -ENOENT);
	assert_non_null(strstr(err_msg(&e), png_path));
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DIR(noise_does_not_matter),
		WITH_DIR(another_picture_does),
		WITH_DIR(what_is_excluded_does_not_count),
		WITH_DIR(mistakes_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
