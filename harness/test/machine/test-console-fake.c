// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/alloc.h"
#include "machine/console/console_fake.h"

struct fixture {
	sd_event *loop;
	struct console *console;
	struct buf log;
	bool free_in_bytes;
};

static void on_bytes(const void *data, size_t len, void *arg)
{
	struct fixture *f = arg;

	buf_add(&f->log, data, len);
	if (f->free_in_bytes)
		console_free(steal_ptr(f->console));
}

static void on_hangup(void *arg)
{
	buf_adds(&((struct fixture *)arg)->log, "[hangup]");
}

static void on_back(void *arg)
{
	buf_adds(&((struct fixture *)arg)->log, "[back]");
}

static int set_up(void **state)
{
	struct console_events events = {on_bytes, on_hangup, on_back, NULL};
	struct fixture *f;

	xnew(f);
	*state = f;
	events.arg = f;
	buf_init(&f->log);
	assert_true(sd_event_new(&f->loop) >= 0);
	assert_int_equal(console_fake_new(f->loop, &events, &f->console, NULL), 0);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	console_free(f->console);
	sd_event_unref(f->loop);
	buf_fini(&f->log);
	free(f);
	return 0;
}

static void run_dry(struct fixture *f)
{
	int n;

	do {
		n = sd_event_run(f->loop, 0);
		assert_true(n >= 0);
	} while (n);
}

static void events_come_from_the_loop_in_order(void **state)
{
	struct fixture *f = *state;

	console_fake_feed(f->console, "a\0b", 3);
	console_fake_hangup(f->console);
	console_fake_back(f->console);
	console_fake_feed(f->console, "c", 1);
	assert_int_equal(f->log.len, 0);
	run_dry(f);
	assert_int_equal(f->log.len, 18);
	assert_memory_equal(f->log.data, "a\0b[hangup][back]c", 18);
}

static void echo(const void *data, size_t len, void *arg)
{
	console_fake_feed(((struct fixture *)arg)->console, data, len);
}

static void keeps_what_is_written(void **state)
{
	struct fixture *f = *state;
	static char big[CONSOLE_QUEUE_MAX + 1];
	int i;

	console_fake_on_write(f->console, echo, f);
	assert_int_equal(console_write(f->console, "ls\n", 3), 0);
	assert_string_equal(console_fake_written(f->console)->data, "ls\n");
	run_dry(f);
	assert_string_equal(f->log.data, "ls\n");
	assert_int_equal(console_write(f->console, big, sizeof(big)), -ENOBUFS);
	console_fake_on_write(f->console, NULL, NULL);
	for (i = 0; i < 100; i++)
		assert_int_equal(console_write(f->console, big, sizeof(big) - 1), 0);
	assert_in_range(console_fake_written(f->console)->len, 1, 4 * CONSOLE_QUEUE_MAX);
}

static void free_is_legal_in_callbacks(void **state)
{
	struct fixture *f = *state;

	f->free_in_bytes = true;
	console_fake_feed(f->console, "a", 1);
	console_fake_feed(f->console, "b", 1);
	run_dry(f);
	assert_null(f->console);
	assert_string_equal(f->log.data, "a");
}

static void free_drops_what_is_queued(void **state)
{
	struct fixture *f = *state;

	console_fake_feed(f->console, "a", 1);
	console_free(steal_ptr(f->console));
	run_dry(f);
	assert_int_equal(f->log.len, 0);
}

#define WITH_CONSOLE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_CONSOLE(events_come_from_the_loop_in_order),
		WITH_CONSOLE(keeps_what_is_written),
		WITH_CONSOLE(free_is_legal_in_callbacks),
		WITH_CONSOLE(free_drops_what_is_queued),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
