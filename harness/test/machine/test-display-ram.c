// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pixels in RAM: a test draws where a guest would.
 */
#include "test/test.h"

#include <sys/mman.h>

#include "machine/display/display_ram.h"
#include "test/machine/display_log.h"

#define ADDRESS	   0x40000000
#define RAM_BYTES  65536
#define FB_ADDRESS (ADDRESS + 4096)
#define WIDTH	   5
#define HEIGHT	   3
#define STRIDE	   32

static const struct framebuffer small = {FB_ADDRESS, WIDTH, HEIGHT, STRIDE, FRAMEBUFFER_XRGB8888};

struct fixture {
	struct display_log log;
	struct ram ram;
	uint8_t *guest; /* the framebuffer, as the guest has it */
};

static int set_up(void **state)
{
	struct display_events events;
	struct fixture *f;
	uint8_t *map;

	xnew(f);
	events = display_log_init(&f->log);
	assert_int_equal(ram_init(&f->ram, ADDRESS, RAM_BYTES, NULL), 0);
	map = mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, f->ram.fd, 0);
	assert_true(map != MAP_FAILED);
	f->guest = map + FB_ADDRESS - ADDRESS;
	assert_int_equal(display_ram_new(f->log.loop, &small, &events, &f->log.display, NULL), 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	display_log_fini(&f->log);
	munmap(f->guest - (FB_ADDRESS - ADDRESS), RAM_BYTES);
	ram_fini(&f->ram);
	free(f);
	return 0;
}

static void what_was_there_is_a_placeholder(void **state)
{
	struct fixture *f = *state;
	struct display *d = f->log.display;

	f->guest[1] = 0xaa; /* the firmware's, or of the system before */
	assert_int_equal(display_start(d, DISPLAY_FAST, NULL), 0);
	assert_int_equal(display_ram_attach(d, &f->ram, NULL), 0);
	expect_log(&f->log, "*[00aa00]");
	assert_int_equal(f->log.uncertainty_ns, 0);
	f->guest[0] = 0xff;
	expect_log(&f->log, "*[00aa00][00aaff]");
	assert_true(f->log.uncertainty_ns > 0);
	/* Back to what it was: that is still nothing that the guest drew. */
	f->guest[0] = 0;
	expect_log(&f->log, "*[00aa00][00aaff]*[00aa00]");
}

static void the_last_pixel_is_seen_at_either_pace(void **state)
{
	struct fixture *f = *state;
	struct display *d = f->log.display;
	enum display_pace pace;

	assert_int_equal(display_ram_attach(d, &f->ram, NULL), 0);
	assert_int_equal(display_start(d, DISPLAY_SLOW, NULL), 0);
	expect_log(&f->log, "*[000000]");
	for (pace = DISPLAY_SLOW; pace <= DISPLAY_FAST; pace++) {
		unsigned int n = f->log.n_frames;
		uint64_t end_ns = clock_ns() + PATIENCE_NS;

		assert_int_equal(display_start(d, pace, NULL), 0);
		f->guest[(HEIGHT - 1) * STRIDE + 4 * (WIDTH - 1)] = (uint8_t)(7 + pace);
		while (f->log.n_frames == n && clock_ns() < end_ns)
			sd_event_run(f->log.loop, 100000);
		assert_int_equal(f->log.n_frames, n + 1);
		assert_int_equal(f->log.picture.rgb[3 * WIDTH * HEIGHT - 1], 7 + pace);
	}
	display_stop(d);
	f->guest[0] = 1;
	run_for(&f->log, 30);
	assert_int_equal(f->log.n_frames, 3);
}

static void follows_the_machine(void **state)
{
	struct fixture *f = *state;
	struct display *d = f->log.display;

	display_ram_detach(d);
	assert_int_equal(display_start(d, DISPLAY_FAST, NULL), 0);
	assert_int_equal(display_ram_attach(d, &f->ram, NULL), 0);
	expect_log(&f->log, "*[000000]");
	display_ram_detach(d);
	display_ram_detach(d);
	expect_log(&f->log, "*[000000]<the machine is off>");
	f->guest[2] = 0x80;
	run_for(&f->log, 20);
	assert_int_equal(display_ram_attach(d, &f->ram, NULL), 0);
	expect_log(&f->log, "*[000000]<the machine is off>*[800000]");
	f->log.free_in_event = true;
	display_ram_detach(d);
	assert_null(f->log.display);
}

static void free_is_legal_in_a_frame(void **state)
{
	struct fixture *f = *state;

	f->log.free_in_event = true;
	assert_int_equal(display_ram_attach(f->log.display, &f->ram, NULL), 0);
	assert_int_equal(display_start(f->log.display, DISPLAY_FAST, NULL), 0);
	run_for(&f->log, 20);
	assert_string_equal(f->log.text.data, "*[000000]");
}

/* One pixel of each format, red over its most. */
static void knows_the_formats(void **state)
{
	static const struct {
		enum framebuffer_format format;
		const char *bytes, *shown;
	} cases[] = {
		{FRAMEBUFFER_XRGB8888, "\x30\x20\xff\x99", "*[ff2030]"},
		{FRAMEBUFFER_XBGR8888, "\xff\x20\x30\x99", "*[ff2030]"},
		{FRAMEBUFFER_RGB565, "\x06\xf9\0\0", "*[ff2031]"},
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct framebuffer fb = small;
		struct display_log l;
		struct display_events events = display_log_init(&l);

		fb.format = cases[i].format;
		memcpy(f->guest, cases[i].bytes, 4);
		assert_int_equal(display_ram_new(l.loop, &fb, &events, &l.display, NULL), 0);
		assert_int_equal(display_ram_attach(l.display, &f->ram, NULL), 0);
		assert_int_equal(display_start(l.display, DISPLAY_FAST, NULL), 0);
		expect_log(&l, cases[i].shown);
		assert_int_equal(l.picture.width, WIDTH);
		assert_int_equal(l.picture.height, HEIGHT);
		display_log_fini(&l);
	}
}

/* The device tree is foreign: what it says may be anything. */
static void refuses_what_cannot_be(void **state)
{
	struct fixture *f = *state;
	struct display_events events = {0};
	struct display *d = NULL;
	struct framebuffer fb = small;
	struct err e __free_err = ERR_INIT;

	fb.stride_bytes = 4 * WIDTH - 1;
	assert_int_equal(display_ram_new(f->log.loop, &fb, &events, &d, &e), -EINVAL);
	assert_non_null(strstr(err_msg(&e), "rows of 19 bytes"));
	fb = small;
	fb.stride_bytes = 0xfffffff0;
	assert_int_equal(display_ram_new(f->log.loop, &fb, &events, &d, NULL), -EINVAL);
	fb.width = fb.height = 0xffffffff;
	assert_int_equal(display_ram_new(f->log.loop, &fb, &events, &d, NULL), -EMSGSIZE);
	fb = small;
	fb.address = ADDRESS + RAM_BYTES - STRIDE * HEIGHT + 1;
	assert_int_equal(display_ram_new(f->log.loop, &fb, &events, &d, NULL), 0);
	assert_int_equal(display_ram_attach(d, &f->ram, &e), -ERANGE);
	assert_non_null(strstr(err_msg(&e), "0x4000ffa1"));
	display_free(d);
	fb.address = UINT64_MAX - 10;
	assert_int_equal(display_ram_new(f->log.loop, &fb, &events, &d, NULL), 0);
	assert_int_equal(display_ram_attach(d, &f->ram, NULL), -ERANGE);
	display_free(d);
}

#define WITH_RAM(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_RAM(what_was_there_is_a_placeholder),
		WITH_RAM(the_last_pixel_is_seen_at_either_pace),
		WITH_RAM(follows_the_machine),
		WITH_RAM(free_is_legal_in_a_frame),
		WITH_RAM(knows_the_formats),
		WITH_RAM(refuses_what_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
