// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include <fcntl.h>

#include "base/alloc.h"
#include "base/file.h"
#include "machine/qemu_trace.h"

struct fixture {
	char *dir, *path;
	sd_event *loop;
	struct qemu_trace trace;
	int qemu; /* its end */
	char events[64];
	size_t n;
};

static void on_event(enum qemu_trace_event event, void *arg)
{
	struct fixture *f = arg;

	assert_true(f->n < sizeof(f->events) - 1);
	f->events[f->n++] = "FSB."[event];
}

static int set_up(void **state)
{
	char template[] = "/tmp/kjump-test-XXXXXX";
	struct fixture *f;

	xnew(f);
	f->dir = xstrdup(mkdtemp(template));
	f->path = file_join(f->dir, "trace");
	f->trace = (struct qemu_trace)QEMU_TRACE_INIT;
	assert_true(sd_event_new(&f->loop) >= 0);
	assert_int_equal(qemu_trace_open(&f->trace, f->loop, f->path, on_event, f, NULL), 0);
	f->qemu = open(f->path, O_WRONLY | O_CLOEXEC);
	assert_true(f->qemu >= 0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	qemu_trace_close(&f->trace);
	qemu_trace_close(&f->trace);
	sd_event_unref(f->loop);
	close(f->qemu);
	file_remove_tree(f->dir, NULL);
	free(f->dir);
	free(f->path);
	free(f);
	return 0;
}

static void says(struct fixture *f, const char *text)
{
	assert_int_equal(file_write_all(f->qemu, text, strlen(text)), 0);
	while (sd_event_run(f->loop, 0) > 0)
		;
}

/* As QEMU 10.0 writes them. */
#define FLUSH	"virtio_gpu_cmd_res_flush res 0x2, w 1280, h 800, x 0, y 0"
#define SCANOUT "virtio_gpu_cmd_set_scanout id 0, res 0x2, w 0x500, h 0x320, x 0x0, y 0x0"
#define BLANK	"virtio_gpu_cmd_set_scanout id 0, res 0x0, w 0x0, h 0x0, x 0x0, y 0x0"
#define RESET	"virtio_set_status vdev 0x5555580 val 0"
#define STATUS	"virtio_set_status vdev 0x5555580 val 15"

static void lines_are_told_apart(void **state)
{
	struct fixture *f = *state;

	says(f, FLUSH "\n" SCANOUT "\n" BLANK "\n" RESET "\n" STATUS "\nqemu: warning\n\n");
	assert_string_equal(f->events, "FSBB...");
}

static void a_line_may_come_in_pieces_or_be_any_length(void **state)
{
	struct fixture *f = *state;
	char big[70000];

	says(f, "virtio_gpu_cmd_res_");
	assert_int_equal(f->n, 0);
	says(f, "flush res 0x2\nvirtio_");
	assert_string_equal(f->events, "F");
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	says(f, big);
	says(f, "\n" BLANK "\n");
	assert_string_equal(f->events, "F.B");
}

static int on_other(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	struct fixture *f = arg;
	char c;

	assert_int_equal(read(fd, &c, 1), 1);
	assert_string_equal(f->events, "F");
	f->events[f->n++] = 'o';
	return 0;
}

/* The monitor's answer comes after the lines that were there before it. */
static void comes_before_other_sources(void **state)
{
	struct fixture *f = *state;
	sd_event_source *other = NULL;
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	assert_true(sd_event_add_io(f->loop, &other, fds[0], EPOLLIN, on_other, f) >= 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	says(f, FLUSH "\n");
	assert_string_equal(f->events, "Fo");
	sd_event_source_unref(other);
	close(fds[0]);
	close(fds[1]);
}

#define WITH_FIFO(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIFO(lines_are_told_apart),
		WITH_FIFO(a_line_may_come_in_pieces_or_be_any_length),
		WITH_FIFO(comes_before_other_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
