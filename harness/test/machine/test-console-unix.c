// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "machine/console/console_unix.h"
#include "machine/runtime.h"

#define PATIENCE_NS (20 * NS_PER_S)

struct fixture {
	sd_event *loop;
	struct runtime_dir dir;
	char *path;
	struct console *console;
	struct buf got;
	unsigned int n_hangup, n_back;
	bool free_in_bytes, free_in_hangup, free_in_back;
};

static void drop_console(struct fixture *f)
{
	console_free(steal_ptr(f->console));
}

static void on_bytes(const void *data, size_t len, void *arg)
{
	struct fixture *f = arg;

	buf_add(&f->got, data, len);
	if (f->free_in_bytes)
		drop_console(f);
}

static void on_hangup(void *arg)
{
	struct fixture *f = arg;

	f->n_hangup++;
	if (f->free_in_hangup)
		drop_console(f);
}

static void on_back(void *arg)
{
	struct fixture *f = arg;

	f->n_back++;
	if (f->free_in_back)
		drop_console(f);
}

static int set_up(void **state)
{
	struct console_events events = {on_bytes, on_hangup, on_back, NULL};
	struct fixture *f;

	xnew(f);
	*state = f;
	events.arg = f;
	buf_init(&f->got);
	assert_true(sd_event_new(&f->loop) >= 0);
	assert_int_equal(runtime_dir_init(&f->dir, NULL), 0);
	f->path = file_join(f->dir.path, "console");
	assert_int_equal(console_unix_new(f->loop, f->path, &events, &f->console, NULL), 0);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	drop_console(f);
	sd_event_unref(f->loop);
	runtime_dir_fini(&f->dir);
	free(f->path);
	buf_fini(&f->got);
	free(f);
	return 0;
}

/* The target's end of the line. */
static int plug_in(const struct fixture *f)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	assert_true(fd >= 0 && strlen(f->path) < sizeof(addr.sun_path));
	strcpy(addr.sun_path, f->path);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

static void print(int fd, const char *data, size_t len)
{
	assert_int_equal(send(fd, data, len, MSG_NOSIGNAL), len);
}

#define run_until(f, cond)                                                 \
	do {                                                               \
		uint64_t end_ = clock_ns() + PATIENCE_NS;                  \
                                                                           \
		while (!(cond)) {                                          \
			assert_true(clock_ns() < end_);                    \
			assert_true(sd_event_run((f)->loop, 100000) >= 0); \
		}                                                          \
	} while (0)

static void run_dry(struct fixture *f)
{
	int n;

	do {
		n = sd_event_run(f->loop, 0);
		assert_true(n >= 0);
	} while (n);
}

static void carries_any_byte_both_ways(void **state)
{
	struct fixture *f = *state;
	int fd = plug_in(f);
	char all[256], back[256];
	size_t i;

	for (i = 0; i < sizeof(all); i++)
		all[i] = (char)i;
	print(fd, all, sizeof(all));
	run_until(f, f->got.len == sizeof(all));
	assert_memory_equal(f->got.data, all, sizeof(all));
	assert_true(console_unix_connected(f->console));
	assert_int_equal(console_write(f->console, all, sizeof(all)), 0);
	run_dry(f);
	assert_int_equal(recv(fd, back, sizeof(back), MSG_WAITALL), sizeof(back));
	assert_memory_equal(back, all, sizeof(all));
	close(fd);
}

static void comes_and_goes(void **state)
{
	struct fixture *f = *state;
	int fd = plug_in(f);

	run_until(f, f->n_back == 1);
	print(fd, "last", 4);
	close(fd);
	run_until(f, f->n_hangup == 1);
	assert_string_equal(f->got.data, "last");
	assert_false(console_unix_connected(f->console));
	fd = plug_in(f);
	print(fd, " next", 5);
	run_until(f, f->got.len == 9);
	assert_int_equal(f->n_back, 2);
	assert_int_equal(f->n_hangup, 1);
	close(fd);
}

static void nothing_is_kept_for_a_line_that_is_not_there(void **state)
{
	struct fixture *f = *state;
	char c;
	int fd;

	assert_int_equal(console_write(f->console, "lost", 4), 0);
	fd = plug_in(f);
	run_until(f, f->n_back);
	run_dry(f);
	assert_int_equal(recv(fd, &c, 1, MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
	close(fd);
}

static void stale_input_does_not_reach_the_next(void **state)
{
	struct fixture *f = *state;
	int fd = plug_in(f);
	char c;

	run_until(f, f->n_back);
	assert_int_equal(console_write(f->console, "for the first", 13), 0);
	close(fd);
	fd = plug_in(f);
	run_until(f, f->n_back == 2);
	run_dry(f);
	assert_int_equal(recv(fd, &c, 1, MSG_DONTWAIT), -1);
	close(fd);
}

static void queue_is_bounded(void **state)
{
	struct fixture *f = *state;
	static char block[CONSOLE_QUEUE_MAX];
	int fd = plug_in(f), i;

	run_until(f, f->n_back);
	assert_int_equal(console_write(f->console, block, sizeof(block)), 0);
	assert_int_equal(console_write(f->console, "x", 1), -ENOBUFS);
	/* The far end does not read: what the socket does not take stays queued. */
	for (i = 0; i < 1000; i++) {
		run_dry(f);
		if (console_write(f->console, block, sizeof(block)))
			break;
	}
	assert_true(i < 1000);
	/* And goes on when it does. */
	while (console_write(f->console, block, sizeof(block))) {
		char sink[65536];

		assert_true(recv(fd, sink, sizeof(sink), 0) > 0);
		run_dry(f);
	}
	close(fd);
}

static void finish_hands_over_all(void **state)
{
	struct fixture *f = *state;
	static char block[1500];
	int fd = plug_in(f), i;

	run_until(f, f->n_back);
	for (i = 0; i < 60; i++)
		print(fd, block, sizeof(block));
	close(fd);
	console_unix_finish(f->console);
	assert_int_equal(f->got.len, 60 * sizeof(block));
	run_dry(f);
	assert_int_equal(f->n_hangup, 0);
}

static void finish_finds_whom_the_loop_has_not_seen(void **state)
{
	struct fixture *f = *state;
	int fd = plug_in(f), other = plug_in(f);

	print(fd, "short life", 10);
	close(fd);
	print(other, "not the console", 15);
	console_unix_finish(f->console);
	assert_string_equal(f->got.data, "short life");
	close(other);
	buf_reset(&f->got);
	fd = plug_in(f);
	print(fd, "new", 3);
	run_until(f, f->got.len == 3);
	assert_string_equal(f->got.data, "new");
	console_unix_finish(f->console);
	close(fd);
}

static void one_line_at_a_time(void **state)
{
	struct fixture *f = *state;
	int fd = plug_in(f), other;

	run_until(f, f->n_back);
	other = plug_in(f);
	print(other, "later", 5);
	run_dry(f);
	assert_int_equal(f->got.len, 0);
	print(fd, "first ", 6);
	run_until(f, f->got.len == 6);
	assert_int_equal(f->n_back, 1);
	close(fd);
	run_until(f, f->got.len == 11);
	assert_string_equal(f->got.data, "first later");
	close(other);
}

static void free_is_legal_in_callbacks(void **state)
{
	struct fixture *f = *state;
	int fd = plug_in(f);

	f->free_in_back = true;
	run_until(f, !f->console);
	assert_false(file_exists(f->path));
	close(fd);
}

static void free_is_legal_in_bytes(void **state)
{
	struct fixture *f = *state;
	int fd = plug_in(f);

	f->free_in_bytes = true;
	print(fd, "x", 1);
	close(fd);
	run_until(f, !f->console);
	assert_int_equal(f->n_hangup, 0);
}

static void free_is_legal_in_finish(void **state)
{
	struct fixture *f = *state;
	int fd = plug_in(f);

	f->free_in_bytes = true;
	print(fd, "x", 1);
	close(fd);
	console_unix_finish(f->console);
	assert_null(f->console);
}

static void free_is_legal_in_hangup(void **state)
{
	struct fixture *f = *state;
	int fd = plug_in(f);

	f->free_in_hangup = true;
	close(fd);
	run_until(f, !f->console);
}

static void refuses_long_paths(void **state)
{
	struct fixture *f = *state;
	const struct console_events events = {.bytes = on_bytes};
	struct console *c = NULL;
	char path[200];

	memset(path, 'x', sizeof(path) - 1);
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(console_unix_new(f->loop, path, &events, &c, NULL), -ENAMETOOLONG);
	assert_null(c);
}

#define WITH_CONSOLE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_CONSOLE(carries_any_byte_both_ways),
		WITH_CONSOLE(comes_and_goes),
		WITH_CONSOLE(nothing_is_kept_for_a_line_that_is_not_there),
		WITH_CONSOLE(stale_input_does_not_reach_the_next),
		WITH_CONSOLE(queue_is_bounded),
		WITH_CONSOLE(finish_hands_over_all),
		WITH_CONSOLE(finish_finds_whom_the_loop_has_not_seen),
		WITH_CONSOLE(one_line_at_a_time),
		WITH_CONSOLE(free_is_legal_in_callbacks),
		WITH_CONSOLE(free_is_legal_in_bytes),
		WITH_CONSOLE(free_is_legal_in_finish),
		WITH_CONSOLE(free_is_legal_in_hangup),
		WITH_CONSOLE(refuses_long_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
