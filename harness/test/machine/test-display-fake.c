// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "machine/display/display_fake.h"
#include "machine/machine_fake.h"
#include "test/machine/display_log.h"

static int set_up(void **state)
{
	struct display_log *l;
	struct display_events events;

	xnew(l);
	events = display_log_init(l);
	assert_int_equal(display_fake_new(l->loop, &events, &l->display, NULL), 0);
	*state = l;
	return 0;
}

static int tear_down(void **state)
{
	display_log_fini(*state);
	free(*state);
	return 0;
}

static void reports_what_is_watched(void **state)
{
	struct display_log *l = *state;
	enum display_pace pace;

	display_fake_show_colour(l->display, 0x101010);
	run_for(l, 20);
	assert_string_equal(l->text.data, "");
	assert_false(display_fake_is_watched(l->display, &pace));
	assert_int_equal(display_start(l->display, DISPLAY_FAST, NULL), 0);
	assert_string_equal(l->text.data, "");
	expect_log(l, "[101010]");
	assert_true(display_fake_is_watched(l->display, &pace));
	assert_int_equal(pace, DISPLAY_FAST);
	/* The same picture again is no news, nor is another pace. */
	display_fake_show_colour(l->display, 0x101010);
	assert_int_equal(display_start(l->display, DISPLAY_SLOW, NULL), 0);
	display_fake_show_colour(l->display, 0x20ff00);
	expect_log(l, "[101010][20ff00]");
	display_stop(l->display);
	display_fake_show_colour(l->display, 0);
	display_fake_unplug(l->display, "off");
	run_for(l, 20);
	assert_string_equal(l->text.data, "[101010][20ff00]");
}

static void signal_and_failure(void **state)
{
	struct display_log *l = *state;
	struct picture p __free_picture = PICTURE_INIT;

	assert_int_equal(picture_resize(&p, 1, 1, NULL), 0);
	memset(p.rgb, 0x33, 3);
	assert_int_equal(display_start(l->display, DISPLAY_SLOW, NULL), 0);
	display_fake_show(l->display, &p, true);
	display_fake_unplug(l->display, "no cable");
	display_fake_show(l->display, &p, false);
	display_fake_fail(l->display, "broken");
	display_fake_show_colour(l->display, 0xffffff);
	run_for(l, 20);
	expect_log(l, "*[333333]<no cable>[333333]!broken!");
}

static void free_is_legal_in_callbacks(void **state)
{
	struct display_log *l = *state;

	assert_int_equal(display_start(l->display, DISPLAY_SLOW, NULL), 0);
	display_fake_show_colour(l->display, 1);
	display_fake_show_colour(l->display, 2);
	l->free_in_event = true;
	run_for(l, 20);
	assert_string_equal(l->text.data, "[000001]");
	assert_null(l->display);
}

static void ignore(void *arg)
{
}

static void ignore_down(enum machine_down why, const char *text, void *arg)
{
}

static void ignore_bytes(const void *data, size_t len, void *arg)
{
}

/* A machine with a script lends one. */
static void a_machine_lends_one(void **state)
{
	static const struct machine_fake_step steps[] = {
		{.action = FAKE_SHOW, .rgb = 0x0000ff},
		{.action = FAKE_UNPLUG, .text = "no cable"},
		{.action = FAKE_SHOW, .rgb = 0xff0000},
		{.action = FAKE_OFF},
	};
	static const struct machine_fake_script script = {.steps = steps,
							  .n_steps = ARRAY_SIZE(steps)};
	struct machine_spec spec = {.name = (char *)"m", .board = (char *)"fake"};
	const struct machine_events events = {ignore, ignore_down, ignore, NULL, NULL};
	const struct console_events console = {ignore_bytes, ignore, ignore, NULL};
	struct display_log l;
	const struct display_events display = display_log_init(&l);
	const struct machine_opts opts = {
		.spec = &spec, .display = true, .display_events = &display, .loop = l.loop};
	struct machine *m = NULL;

	assert_int_equal(machine_new(&opts, &events, &console, &m, NULL), 0);
	machine_fake_set_script(m, &script);
	assert_int_equal(display_start(m->display, DISPLAY_FAST, NULL), 0);
	assert_int_equal(m->ops->start(m, &(struct machine_boot){0}, NULL), 0);
	expect_log(&l, "[0000ff]<no cable>[ff0000]<the machine is off>");
	machine_free(m);
	display_log_fini(&l);
}

#define WITH_DISPLAY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DISPLAY(reports_what_is_watched),
		WITH_DISPLAY(signal_and_failure),
		WITH_DISPLAY(free_is_legal_in_callbacks),
		cmocka_unit_test(a_machine_lends_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
