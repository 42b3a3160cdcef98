// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A grabber's pictures: the real kjump-grab on generated pictures and on files,
 * and programs in its place that do what it must never do.
 */
#include "test/test.h"

#include <sys/stat.h>

#include "base/file.h"
#include "machine/display/capture_stream.h"
#include "machine/display/display_capture.h"
#include "test/machine/display_log.h"

#define GRAB "build/san/kjump-grab"

struct fixture {
	struct display_log log;
	char *dir;
};

static int set_up(void **state)
{
	char template[] = "/tmp/kjump-test-XXXXXX";
	struct fixture *f;

	xnew(f);
	f->dir = xstrdup(mkdtemp(template));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	display_log_fini(&f->log);
	file_remove_tree(f->dir, NULL);
	free(f->dir);
	free(f);
	return 0;
}

static int try_watch(struct fixture *f, const struct capture_spec *spec, const char *program,
		     struct err *e)
{
	const struct display_events events = display_log_init(&f->log);
	int rc = display_capture_new(f->log.loop, spec, program, &events, &f->log.display, e);

	return rc ? rc : display_start(f->log.display, DISPLAY_FAST, e);
}

static void watch(struct fixture *f, const struct capture_spec *spec, const char *program)
{
	struct err e __free_err = ERR_INIT;

	if (try_watch(f, spec, program, &e))
		fail_msg("%s", err_msg(&e));
	assert_string_equal(f->log.text.data, "");
}

static void watch_graph(struct fixture *f, const char *graph)
{
	watch(f, &(struct capture_spec){.source = (char *)graph, .format = CAPTURE_LAVFI}, GRAB);
}

#define PART(colour, seconds) "color=c=" colour ":s=64x48:r=20:d=" seconds ",format=rgb24"

static void changes_are_seen_with_their_times(void **state)
{
	struct fixture *f = *state;
	uint64_t black_ns;

	watch_graph(f, PART("black", "0.5") "[a];" PART("red", "0.5") "[b];[a][b]concat");
	expect_log(&f->log, "<+64x48>[000000]");
	black_ns = f->log.t_ns;
	expect_log(&f->log, "<+64x48>[000000][ff0000]");
	/* The source's own times, whatever this host was busy with; one picture is 50 ms. */
	assert_int_equal((f->log.t_ns - black_ns + 500000) / NS_PER_MS, 500);
	assert_int_equal((f->log.uncertainty_ns + 500000) / NS_PER_MS, 50);
	expect_log(&f->log, "<+64x48>[000000][ff0000]<the source has ended>");
}

/* No two pictures of a grabber are the same. */
static void noise_is_no_change(void **state)
{
	struct fixture *f = *state;

	watch_graph(f, "color=c=gray:s=64x48:r=50:d=0.6,noise=c0s=20:c0f=t+u,format=rgb24");
	while (!strstr(f->log.text.data, "ended"))
		assert_true(sd_event_run(f->log.loop, PATIENCE_NS / 1000) > 0);
	assert_int_equal(f->log.n_frames, 1);
}

static void its_own_picture_is_no_signal(void **state)
{
	struct fixture *f = *state;
	struct picture blue __free_picture = PICTURE_INIT;
	struct buf png __free_buf = BUF_INIT;
	char *path __free(str) = file_join(f->dir, "blue.png");
	struct capture_spec spec = {
		.source = (char *)PART("blue", "0.2") "[a];" PART("red", "0.2") "[b];" PART(
			"blue", "0.2") "[c];[a][b][c]concat=n=3",
		.format = CAPTURE_LAVFI,
		.no_signal = path};
	size_t i;

	assert_int_equal(picture_resize(&blue, 64, 48, NULL), 0);
	for (i = 0; i < picture_bytes(&blue); i++)
		blue.rgb[i] = i % 3 == 2 ? 250 : 4;
	picture_write_png(&blue, &png);
	assert_int_equal(file_write(path, png.data, png.len, NULL), 0);
	watch(f, &spec, GRAB);
	expect_log(&f->log, "<the grabber shows its picture for no signal>*[0000ff]"
			    "<+64x48>[ff0000]"
			    "<the grabber shows its picture for no signal>*[0000ff]");
}

static void its_own_picture_can_be_learned(void **state)
{
	struct fixture *f = *state;

	watch_graph(f, PART("green", "1") "[a];" PART("red", "0.2") "[b];" PART(
			       "green", "9") "[c];[a][b][c]concat=n=3");
	assert_int_equal(display_capture_learn(f->log.display), -EAGAIN);
	expect_log(&f->log, "<+64x48>[008000]");
	assert_int_equal(display_capture_learn(f->log.display), 0);
	expect_log(&f->log, "<+64x48>[008000][ff0000]"
			    "<the grabber shows its picture for no signal>*[008000]");
}

#define PPM(size, pixels) "P6\n" size "\n255\n" pixels

static char *make_file(struct fixture *f, const char *name, const void *data, size_t len)
{
	char *path = file_join(f->dir, name);

	assert_int_equal(file_write(path, data, len, NULL), 0);
	return path;
}

static void another_mode_is_told(void **state)
{
	static const char film[] = PPM("2 1", "111222") PPM("1 2", "333444") PPM("1 2", "333444");
	struct fixture *f = *state;
	char *path __free(str) = make_file(f, "film", film, sizeof(film) - 1);

	watch(f, &(struct capture_spec){.source = path, .format = CAPTURE_FILE}, GRAB);
	expect_log(&f->log, "<+2x1>[313131]<+1x2>[333333]<the source has ended>");
}

static void damaged_pictures_are_left_out(void **state)
{
	static const char film[] =
		PPM("1 1", "111") PPM("99999 99999", "") PPM("1 1", "zzz") PPM("1 1", "x");
	struct fixture *f = *state;
	char *path __free(str) = make_file(f, "film", film, sizeof(film) - 1);

	watch(f, &(struct capture_spec){.source = path, .format = CAPTURE_FILE}, GRAB);
	while (!strstr(f->log.text.data, "ended"))
		assert_true(sd_event_run(f->log.loop, PATIENCE_NS / 1000) > 0);
	assert_non_null(strstr(f->log.text.data, "<+1x1>[313131]"));
}

static void what_is_no_source_is_told(void **state)
{
	struct fixture *f = *state;
	struct err e __free_err = ERR_INIT;
	char *path __free(str) = make_file(f, "file", "no picture", 10);
	struct capture_spec spec = {.source = (char *)"/nonexistent/video0"};

	watch(f, &spec, GRAB);
	expect_log(&f->log, "!the grabber's program ended: exit status 1; /nonexistent/video0: No "
			    "such file or directory!");
	display_log_fini(&f->log);
	spec = (struct capture_spec){.source = path, .format = CAPTURE_FILE};
	watch(f, &spec, GRAB);
	while (f->log.text.data[0] != '!')
		assert_true(sd_event_run(f->log.loop, PATIENCE_NS / 1000) > 0);
	display_log_fini(&f->log);
	assert_int_equal(try_watch(f, &spec, "/nonexistent/grab", &e), -ENOENT);
	assert_non_null(strstr(err_msg(&e), "/nonexistent/grab"));
	display_log_fini(&f->log);
	spec.no_signal = path;
	assert_int_equal(try_watch(f, &spec, GRAB, &e), -EBADMSG);
	assert_non_null(strstr(err_msg(&e), path));
}

/* --- programs in its place ----------------------------------------------------------- */

/* A program that says @stream and does @then. */
static char *make_program(struct fixture *f, const struct buf *stream, const char *then)
{
	char *data __free(str) = make_file(f, "stream", stream->data, stream->len);
	char *script __free(str) = xasprintf("#!/bin/sh\ncat %s\n%s\n", data, then);
	char *path = make_file(f, "program", script, strlen(script));

	assert_int_equal(chmod(path, 0700), 0);
	return path;
}

static void add_head(struct buf *b, struct capture_head h)
{
	h.magic = CAPTURE_MAGIC;
	h.t_ns = 1;
	buf_add(b, &h, sizeof(h));
}

static void add_frame(struct buf *b, const char *rgb, unsigned int dropped)
{
	add_head(b, (struct capture_head){
			    .kind = CAPTURE_FRAME, .width = 1, .height = 1, .dropped = dropped});
	buf_add(b, rgb, 3);
}

static const struct capture_spec any = {.source = (char *)"x"};

static void silence_is_no_signal(void **state)
{
	struct fixture *f = *state;
	struct buf b __free_buf = BUF_INIT, same __free_buf = BUF_INIT;
	char *program __free(str) = NULL, *path __free(str) = NULL, *then __free(str) = NULL;

	add_frame(&b, "abc", 0);
	add_head(&same, (struct capture_head){.kind = CAPTURE_SAME});
	path = make_file(f, "same", same.data, same.len);
	then = xasprintf("sleep 2.5; cat %s; sleep 1000", path);
	program = make_program(f, &b, then);
	watch(f, &any, program);
	expect_log(&f->log, "<+1x1>[616263]<no picture for 2000 ms><+the picture is back>[616263]");
}

static void lost_pictures_are_told(void **state)
{
	struct fixture *f = *state;
	struct buf b __free_buf = BUF_INIT;
	char *program __free(str) = NULL;

	add_frame(&b, "aaa", 0);
	add_frame(&b, "bbb", 3);
	add_frame(&b, "ccc", 2); /* within a second: told later, together */
	add_head(&b, (struct capture_head){.kind = CAPTURE_GONE, .text_bytes = 3});
	buf_adds(&b, "\033[m");
	program = make_program(f, &b, "sleep 1000");
	watch(f, &any, program);
	expect_log(&f->log, "<+1x1>[616161]<+3 pictures lost or damaged on the way>[626262][636363]"
			    "<\\x1b[m>");
}

#define DIED "<the grabber's program ended: killed by SIGSEGV>"

static void a_decoder_may_die(void **state)
{
	struct fixture *f = *state;
	struct buf b __free_buf = BUF_INIT;
	char *program __free(str) = NULL;

	add_frame(&b, "aaa", 0);
	program = make_program(f, &b, "kill -SEGV $$");
	watch(f, &any, program);
	/* It is started again, but not for ever. */
	expect_log(&f->log, "<+1x1>[616161]" DIED "<+1x1>[616161]" DIED "<+1x1>[616161]" DIED
			    "<+1x1>[616161]" DIED "<+1x1>[616161]" DIED
			    "<+1x1>[616161]!the grabber's program ended: killed by SIGSEGV!");
}

static void a_stream_that_is_none_ends(void **state)
{
	struct fixture *f = *state;
	struct buf b __free_buf = BUF_INIT;
	char *program __free(str) = NULL;

	buf_adds(&b, "what is this? It is no picture, and no head of one either.");
	program = make_program(f, &b, "exec sleep 1000");
	watch(f, &any, program);
	while (f->log.text.data[0] == '\0' || !strchr(f->log.text.data, '!'))
		assert_true(sd_event_run(f->log.loop, PATIENCE_NS / 1000) > 0);
	assert_string_equal(f->log.text.data, "<the grabber's stream is damaged>"
					      "!the grabber's stream is damaged!");
}

static void stops_and_starts(void **state)
{
	struct fixture *f = *state;

	watch_graph(f, PART("red", "100"));
	expect_log(&f->log, "<+64x48>[ff0000]");
	display_stop(f->log.display);
	display_stop(f->log.display);
	run_for(&f->log, 50);
	assert_string_equal(f->log.text.data, "<+64x48>[ff0000]");
	assert_int_equal(display_start(f->log.display, DISPLAY_SLOW, NULL), 0);
	expect_log(&f->log, "<+64x48>[ff0000]<+64x48>[ff0000]");
	assert_int_equal(display_start(f->log.display, DISPLAY_FAST, NULL), 0);
	f->log.free_in_event = true;
	display_stop(f->log.display);
	assert_int_equal(display_start(f->log.display, DISPLAY_FAST, NULL), 0);
	while (f->log.display)
		assert_true(sd_event_run(f->log.loop, PATIENCE_NS / 1000) > 0);
	run_for(&f->log, 50);
	assert_string_equal(f->log.text.data, "<+64x48>[ff0000]<+64x48>[ff0000]<+64x48>");
}

#define WITH_DIR(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DIR(changes_are_seen_with_their_times),
		WITH_DIR(noise_is_no_change),
		WITH_DIR(its_own_picture_is_no_signal),
		WITH_DIR(its_own_picture_can_be_learned),
		WITH_DIR(another_mode_is_told),
		WITH_DIR(damaged_pictures_are_left_out),
		WITH_DIR(what_is_no_source_is_told),
		WITH_DIR(silence_is_no_signal),
		WITH_DIR(lost_pictures_are_told),
		WITH_DIR(a_decoder_may_die),
		WITH_DIR(a_stream_that_is_none_ends),
		WITH_DIR(stops_and_starts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
