// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU's display against a scripted monitor, which writes the pictures itself.
 */
#include "test/test.h"

#include <sys/socket.h>

#include "base/file.h"
#include "base/json.h"
#include "machine/display/display_qmp.h"
#include "test/machine/display_log.h"

#define GREETING "{\"QMP\":{\"version\":{\"qemu\":{\"micro\":2,\"minor\":0,\"major\":10}}}}\r\n"

struct fixture {
	struct display_log log;
	char *dir, *file;
	struct qmp *qmp;
	int peer;
	sd_event_source *peer_io;
	struct json_stream *peer_in;
	const char *picture; /* what a screendump gives; NULL: an error */
	size_t picture_len;
	unsigned int n_looks, n_ready, n_monitor;
	char *ready_error;
	bool hold;	 /* a screendump is not answered, */
	int64_t held_id; /* this one */
};

static void say(struct fixture *f, const char *text)
{
	assert_int_equal(send(f->peer, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

static void answer(struct fixture *f, int64_t id)
{
	char *text __free(str) = NULL;

	if (f->picture) {
		assert_int_equal(file_write(f->file, f->picture, f->picture_len, NULL), 0);
		text = xasprintf("{\"return\":{},\"id\":%lld}\r\n", (long long)id);
	} else {
		text = xasprintf("{\"error\":{\"class\":\"GenericError\",\"desc\":\"no console\"},"
				 "\"id\":%lld}\r\n",
				 (long long)id);
	}
	say(f, text);
}

static void on_command(struct json *command, void *arg)
{
	const struct json *args = json_get(command, "arguments");
	struct fixture *f = arg;
	int64_t id = json_get_int(command, "id", -1);

	if (!strcmp(json_get_str(command, "execute"), "qmp_capabilities")) {
		char *text __free(str) =
			xasprintf("{\"return\":{},\"id\":%lld}\r\n", (long long)id);

		say(f, text);
		return;
	}
	assert_string_equal(json_get_str(command, "execute"), "screendump");
	assert_string_equal(json_get_str(args, "filename"), f->file);
	f->n_looks++;
	f->held_id = id;
	if (!f->hold)
		answer(f, id);
}

static int on_peer(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct fixture *f = userdata;
	char block[4096];
	ssize_t n = read(fd, block, sizeof(block));

	assert_true(n > 0);
	return json_stream_feed(f->peer_in, block, (size_t)n, on_command, f, NULL);
}

static void on_ready(int major, int minor, void *arg)
{
	((struct fixture *)arg)->n_monitor++;
}

static void on_event(const char *name, const struct json *event, void *arg)
{
}

static void on_closed(int error, const char *text, void *arg)
{
}

static void show(struct fixture *f, const char *ppm)
{
	f->picture = ppm;
	f->picture_len = strlen(ppm);
}

#define BLACK "P6 1 1 255\n..."
#define RED   "P6 1 1 255\n\xff##"
#define GREEN "P6 1 1 255\n#\xff#"

static void make_monitor(struct fixture *f)
{
	const struct qmp_events events = {on_ready, on_event, on_closed, f};
	unsigned int n = f->n_monitor;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds),
			 0);
	f->peer = fds[1];
	f->peer_in = json_stream_new(65536);
	assert_true(sd_event_add_io(f->log.loop, &f->peer_io, f->peer, EPOLLIN, on_peer, f) >= 0);
	assert_int_equal(qmp_new(f->log.loop, fds[0], &events, &f->qmp, NULL), 0);
	say(f, GREETING);
	while (f->n_monitor == n)
		assert_true(sd_event_run(f->log.loop, PATIENCE_NS / 1000) > 0);
}

static void drop_monitor(struct fixture *f)
{
	qmp_free(steal_ptr(f->qmp));
	f->peer_io = sd_event_source_disable_unref(f->peer_io);
	json_stream_free(steal_ptr(f->peer_in));
	if (f->peer >= 0)
		close(steal_fd(&f->peer));
}

static int set_up(void **state)
{
	char template[] = "/tmp/kjump-test-XXXXXX";
	struct display_events events;
	struct fixture *f;

	xnew(f);
	f->dir = xstrdup(mkdtemp(template));
	f->file = file_join(f->dir, "screen.ppm");
	events = display_log_init(&f->log);
	f->log.display = display_qmp_new(f->log.loop, f->file, &events);
	make_monitor(f);
	show(f, BLACK);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	display_log_fini(&f->log);
	drop_monitor(f);
	assert_false(file_exists(f->file));
	file_remove_tree(f->dir, NULL);
	free(f->ready_error);
	free(f->file);
	free(f->dir);
	free(f);
	return 0;
}

static void on_baseline(const char *error, void *arg)
{
	struct fixture *f = arg;

	f->n_ready++;
	f->ready_error = xstrdup_null(error);
}

static void attach(struct fixture *f)
{
	unsigned int n = f->n_ready;

	display_qmp_attach(f->log.display, f->qmp, on_baseline, f);
	assert_int_equal(f->n_ready, n);
	while (f->n_ready == n)
		assert_true(sd_event_run(f->log.loop, PATIENCE_NS / 1000) > 0);
}

static void watch(struct fixture *f)
{
	attach(f);
	assert_null(f->ready_error);
	assert_int_equal(display_start(f->log.display, DISPLAY_FAST, NULL), 0);
	display_qmp_run(f->log.display);
}

static void the_picture_before_the_guest_is_a_placeholder(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(display_start(f->log.display, DISPLAY_SLOW, NULL), 0);
	attach(f);
	/* The CPUs do not run: a hint is none, and nothing is looked at. */
	display_qmp_hint(f->log.display);
	run_for(&f->log, 30);
	assert_int_equal(f->n_looks, 1);
	assert_string_equal(f->log.text.data, "");
	display_qmp_run(f->log.display);
	expect_log(&f->log, "*[2e2e2e]");
	show(f, RED);
	display_qmp_hint(f->log.display);
	expect_log(&f->log, "*[2e2e2e][ff2323]");
	show(f, BLACK);
	display_qmp_hint(f->log.display);
	expect_log(&f->log, "*[2e2e2e][ff2323]*[2e2e2e]");
}

/* How sure the time is: since the hint where there was one, else since the last look. */
static void uncertainty_is_told(void **state)
{
	struct fixture *f = *state;
	uint64_t begin_ns, all_ns;

	watch(f);
	expect_log(&f->log, "*[2e2e2e]");
	run_for(&f->log, 20);
	begin_ns = clock_ns();
	show(f, RED);
	display_qmp_hint(f->log.display);
	expect_log(&f->log, "*[2e2e2e][ff2323]");
	all_ns = clock_ns() - begin_ns;
	/* The hint itself may come late. */
	assert_true(f->log.uncertainty_ns < all_ns + 10 * NS_PER_MS);
	/* Nobody hints: it is found later, and may be as old as the look before. */
	begin_ns = clock_ns();
	show(f, GREEN);
	expect_log(&f->log, "*[2e2e2e][ff2323][23ff23]");
	assert_true(f->log.t_ns - f->log.uncertainty_ns <= begin_ns);
}

/* QEMU has other pictures of its own, of any size: whose it is, the trace says. */
static void a_blank_display_is_a_placeholder(void **state)
{
	struct fixture *f = *state;

	watch(f);
	expect_log(&f->log, "*[2e2e2e]");
	show(f, RED);
	display_qmp_scanout(f->log.display, true);
	display_qmp_hint(f->log.display);
	expect_log(&f->log, "*[2e2e2e][ff2323]");
	show(f, GREEN);
	display_qmp_scanout(f->log.display, false);
	display_qmp_hint(f->log.display);
	expect_log(&f->log, "*[2e2e2e][ff2323]*[23ff23]");
	/* While a look is under way it becomes the guest's: look again. */
	f->hold = true;
	show(f, RED);
	display_qmp_hint(f->log.display);
	run_for(&f->log, 20);
	f->hold = false;
	display_qmp_scanout(f->log.display, true);
	answer(f, f->held_id);
	expect_log(&f->log, "*[2e2e2e][ff2323]*[23ff23][ff2323]");
	assert_int_equal(f->log.n_frames, 4);
}

static void one_look_at_a_time(void **state)
{
	struct fixture *f = *state;
	unsigned int n, i;

	watch(f);
	expect_log(&f->log, "*[2e2e2e]");
	f->hold = true;
	n = f->n_looks;
	for (i = 0; i < 50; i++) {
		display_qmp_hint(f->log.display);
		run_for(&f->log, 1);
	}
	assert_int_equal(f->n_looks, n + 1);
}

/* A display that never rests gets few looks, so that its guest can go on. */
static void looks_are_rationed(void **state)
{
	struct fixture *f = *state;
	unsigned int n;
	int i;

	watch(f);
	expect_log(&f->log, "*[2e2e2e]");
	n = f->n_looks;
	for (i = 0; i < 400; i++) {
		show(f, i & 1 ? RED : GREEN);
		display_qmp_hint(f->log.display);
		run_for(&f->log, 1);
	}
	assert_in_range(f->n_looks - n, 2, 40);
}

static void nothing_is_asked_when_nobody_watches(void **state)
{
	struct fixture *f = *state;

	attach(f);
	display_qmp_run(f->log.display);
	display_qmp_hint(f->log.display);
	run_for(&f->log, 30);
	assert_int_equal(f->n_looks, 1);
	assert_int_equal(display_start(f->log.display, DISPLAY_FAST, NULL), 0);
	expect_log(&f->log, "*[2e2e2e]");
	display_stop(f->log.display);
	display_qmp_hint(f->log.display);
	run_for(&f->log, 30);
	assert_int_equal(f->n_looks, 2);
}

static void failures_are_told_once(void **state)
{
	static const struct {
		const char *picture, *text;
	} cases[] = {
		{NULL, "!no console!"},
		{"P6 1 1 255\n..", "!a portable pixmap of 1x1 with 2 bytes of pixels!"},
		{"", "!not a raw portable pixmap!"},
	};
	struct fixture *f = *state;
	size_t i;

	watch(f);
	expect_log(&f->log, "*[2e2e2e]");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		buf_reset(&f->log.text);
		f->picture = cases[i].picture;
		f->picture_len = f->picture ? strlen(f->picture) : 0;
		assert_int_equal(display_start(f->log.display, DISPLAY_FAST, NULL), 0);
		display_qmp_hint(f->log.display);
		expect_log(&f->log, cases[i].text);
		display_qmp_hint(f->log.display);
		run_for(&f->log, 20);
		assert_string_equal(f->log.text.data, cases[i].text);
	}
	/* And it can be watched again. */
	buf_reset(&f->log.text);
	show(f, RED);
	assert_int_equal(display_start(f->log.display, DISPLAY_FAST, NULL), 0);
	display_qmp_hint(f->log.display);
	expect_log(&f->log, "[ff2323]");
}

static void a_display_without_a_picture_is_told_at_the_start(void **state)
{
	struct fixture *f = *state;

	f->picture = NULL;
	attach(f);
	assert_string_equal(f->ready_error, "no console");
}

static void outlives_the_machine(void **state)
{
	struct fixture *f = *state;

	watch(f);
	expect_log(&f->log, "*[2e2e2e]");
	f->hold = true;
	display_qmp_hint(f->log.display);
	run_for(&f->log, 20);
	/* It went while a look was under way. */
	display_qmp_detach(f->log.display);
	display_qmp_detach(f->log.display);
	drop_monitor(f);
	expect_log(&f->log, "*[2e2e2e]<the machine is off>");
	f->hold = false;
	make_monitor(f);
	show(f, RED);
	attach(f);
	display_qmp_run(f->log.display);
	/* Another machine, another placeholder. */
	expect_log(&f->log, "*[2e2e2e]<the machine is off>*[ff2323]");
	f->log.free_in_event = true;
	show(f, GREEN);
	display_qmp_hint(f->log.display);
	expect_log(&f->log, "*[2e2e2e]<the machine is off>*[ff2323][23ff23]");
	assert_null(f->log.display);
}

#define WITH_QEMU(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_QEMU(the_picture_before_the_guest_is_a_placeholder),
		WITH_QEMU(uncertainty_is_told),
		WITH_QEMU(a_blank_display_is_a_placeholder),
		WITH_QEMU(one_look_at_a_time),
		WITH_QEMU(looks_are_rationed),
		WITH_QEMU(nothing_is_asked_when_nobody_watches),
		WITH_QEMU(failures_are_told_once),
		WITH_QEMU(a_display_without_a_picture_is_told_at_the_start),
		WITH_QEMU(outlives_the_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
