// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/display/display_capture.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "machine/display/capture_program.h"

#define PROGRAM	   "kjump-grab"

/* Without a word from the program for so long there is no picture. */
#define SILENCE_NS (2 * NS_PER_S)
/* A decoder loads, opens the device and waits for a whole picture before its first message. */
#define START_NS   (15 * NS_PER_S)
/* A decoder that dies may have met one bad picture; one that dies always is broken. */
#define DEATHS_MAX 5
/* Of lost pictures is told so often. */
#define DROPPED_NS NS_PER_S
/* Two pictures of the grabber's own are alike up to this many channels in a million. */
#define OWN_PPM	   10000
#define OWN_NOISE  32

struct display_capture {
	struct display display;
	sd_event *loop;
	char **argv;
	size_t n_argv;
	uint64_t delay_ns;
	struct picture no_signal; /* the grabber's own, or none */

	bool wanted;
	enum display_pace pace;
	struct capture_program *program; /* NULL: it does not run */
	sd_event_source *silence;
	uint64_t patience_ns; /* until that one says so */
	unsigned int deaths;

	bool lost;	     /* there is no picture, and that was told */
	bool own;	     /* the picture is the grabber's */
	struct picture last; /* of the newest FRAME */
	unsigned int dropped;
	uint64_t dropped_ns;
	unsigned int busy; /* callbacks under way; free waits for them */
	bool dead;
};

static const struct display_ops display_capture_ops;

static struct display_capture *to_capture(struct display *d)
{
	return container_of(d, struct display_capture, display);
}

/* --- what is told ----------------------------------------------------------- */

static void tell_signal(struct display_capture *d, bool present, const char *text)
{
	if (d->wanted && !d->dead)
		d->display.events.signal(present, text, d->display.events.arg);
}

static void lose(struct display_capture *d, const char *text)
{
	if (d->lost)
		return;
	d->lost = true;
	tell_signal(d, false, text);
}

static void tell_frame(struct display_capture *d, const struct capture_head *h)
{
	const struct display_frame frame = {
		.t_ns = h->t_ns > d->delay_ns ? h->t_ns - d->delay_ns : 0,
		.uncertainty_ns = h->uncertainty_ns,
		.picture = &d->last,
		.placeholder = d->own,
	};

	if (d->wanted && !d->dead)
		d->display.events.frame(&frame, d->display.events.arg);
}

static void tell_dropped(struct display_capture *d, unsigned int n)
{
	char text[64];

	d->dropped += n;
	if (!d->dropped || clock_ns() - d->dropped_ns < DROPPED_NS)
		return;
	snprintf(text, sizeof(text), "%u pictures lost or damaged on the way", d->dropped);
	d->dropped = 0;
	d->dropped_ns = clock_ns();
	tell_signal(d, true, text);
}

/* --- whose picture it is ------------------------------------------------------ */

static bool is_own(const struct display_capture *d)
{
	const struct picture *a = &d->no_signal, *b = &d->last;
	size_t n = picture_bytes(b), off = 0, i;

	if (!a->rgb || !b->rgb || a->width != b->width || a->height != b->height)
		return false;
	for (i = 0; i < n; i++)
		off += abs(a->rgb[i] - b->rgb[i]) > OWN_NOISE;
	return (uint64_t)off * 1000000 <= (uint64_t)n * OWN_PPM;
}

static void on_picture(struct display_capture *d, const struct capture_message *m)
{
	bool new_mode =
		!d->last.rgb || d->last.width != m->head.width || d->last.height != m->head.height;
	char mode[32];

	picture_resize(&d->last, m->head.width, m->head.height, NULL);
	memcpy(d->last.rgb, m->rgb, picture_bytes(&d->last));
	d->own = is_own(d);
	if (d->own) {
		lose(d, "the grabber shows its picture for no signal");
	} else if (d->lost || new_mode) {
		d->lost = false;
		snprintf(mode, sizeof(mode), "%ux%u", d->last.width, d->last.height);
		tell_signal(d, true, mode);
	}
	tell_frame(d, &m->head);
}

/* The picture that was there before the silence. */
static void on_same(struct display_capture *d, const struct capture_message *m)
{
	if (!d->lost || d->own || !d->last.rgb)
		return;
	d->lost = false;
	tell_signal(d, true, "the picture is back");
	tell_frame(d, &m->head);
}

static void on_gone(struct display_capture *d, const struct capture_message *m)
{
	struct buf text __free_buf = BUF_INIT;

	text_escape(&text, m->text, m->head.text_bytes);
	/* It says so once, and tries again until it can say FRAME. */
	sd_event_source_set_enabled(d->silence, SD_EVENT_OFF);
	picture_fini(&d->last);
	d->own = false;
	lose(d, text.data);
}

static void arm_silence(struct display_capture *d, uint64_t ns)
{
	d->patience_ns = ns;
	sd_event_source_set_time_relative(d->silence, ns / 1000);
	sd_event_source_set_enabled(d->silence, SD_EVENT_ONESHOT);
}

/* --- the program -------------------------------------------------------------- */

static void destroy(struct display_capture *d)
{
	size_t i;

	for (i = 0; i < d->n_argv; i++)
		free(d->argv[i]);
	free(d->argv);
	picture_fini(&d->last);
	picture_fini(&d->no_signal);
	free(d);
}

static void enter(struct display_capture *d)
{
	d->busy++;
}

static void leave(struct display_capture *d)
{
	if (!--d->busy && d->dead)
		destroy(d);
}

static void end_program(struct display_capture *d)
{
	capture_program_free(steal_ptr(d->program));
	sd_event_source_set_enabled(d->silence, SD_EVENT_OFF);
	picture_fini(&d->last);
}

static void fail(struct display_capture *d, const char *text)
{
	if (!d->wanted || d->dead)
		return;
	d->wanted = false;
	d->display.events.failed(text, d->display.events.arg);
}

static void on_message(const struct capture_message *m, void *arg)
{
	struct display_capture *d = arg;

	enter(d);
	arm_silence(d, SILENCE_NS);
	tell_dropped(d, m->head.dropped);
	switch ((enum capture_kind)m->head.kind) {
	case CAPTURE_FRAME:
		on_picture(d, m);
		break;
	case CAPTURE_SAME:
		on_same(d, m);
		break;
	case CAPTURE_GONE:
		on_gone(d, m);
		break;
	case N_CAPTURE_KINDS:
		break;
	}
	leave(d);
}

static int run_program(struct display_capture *d, struct err *e);

static void on_ended(bool died, const char *text, void *arg)
{
	struct display_capture *d = arg;
	struct err e __free_err = ERR_INIT;

	enter(d);
	end_program(d);
	/* An exit is its own decision: the source cannot be read. */
	if (!died || ++d->deaths > DEATHS_MAX) {
		fail(d, text);
	} else {
		lose(d, text);
		if (d->wanted && !d->dead && run_program(d, &e))
			fail(d, err_msg(&e));
	}
	leave(d);
}

static int on_silence(sd_event_source *source, uint64_t usec, void *arg)
{
	struct display_capture *d = arg;
	char text[64];

	snprintf(text, sizeof(text), "no picture for %llu ms",
		 (unsigned long long)(d->patience_ns / NS_PER_MS));
	enter(d);
	lose(d, text);
	leave(d);
	return 0;
}

static int run_program(struct display_capture *d, struct err *e)
{
	const struct capture_program_events events = {on_message, on_ended, d};
	int rc = capture_program_start(d->loop, (const char *const *)d->argv, &events, &d->program,
				       e);

	if (rc)
		return rc;
	arm_silence(d, START_NS);
	capture_program_pace(d->program, d->pace == DISPLAY_FAST);
	return 0;
}

/* --- the port -------------------------------------------------------------------- */

static int display_capture_start(struct display *display, enum display_pace pace, struct err *e)
{
	struct display_capture *d = to_capture(display);
	int rc;

	d->pace = pace;
	if (d->wanted) {
		capture_program_pace(d->program, pace == DISPLAY_FAST);
		return 0;
	}
	d->lost = d->own = false;
	d->deaths = 0;
	rc = run_program(d, e);
	d->wanted = !rc;
	return rc;
}

static void display_capture_stop(struct display *display)
{
	struct display_capture *d = to_capture(display);

	d->wanted = false;
	end_program(d);
}

static void display_capture_free(struct display *display)
{
	struct display_capture *d = to_capture(display);

	display_capture_stop(display);
	d->silence = sd_event_source_disable_unref(d->silence);
	d->dead = true;
	if (!d->busy)
		destroy(d);
}

int display_capture_learn(struct display *display)
{
	struct display_capture *d = to_capture(display);

	if (!d->last.rgb)
		return -EAGAIN;
	picture_copy(&d->no_signal, &d->last);
	return 0;
}

static const struct display_ops display_capture_ops = {
	.name = "capture",
	.start = display_capture_start,
	.stop = display_capture_stop,
	.free = display_capture_free,
};

/* --- making one -------------------------------------------------------------------- */

/* *returned* */
static char *program_beside_us(void)
{
	char path[PATH_MAX] = "";
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash = n > 0 ? strrchr(path, '/') : NULL;

	if (!slash)
		return xstrdup(PROGRAM);
	*slash = '\0';
	return file_join(path, PROGRAM);
}

static void add(struct display_capture *d, char *arg)
{
	d->argv = xreallocarray(d->argv, d->n_argv + 2, sizeof(*d->argv));
	d->argv[d->n_argv++] = arg;
	d->argv[d->n_argv] = NULL;
}

static void make_argv(struct display_capture *d, const struct capture_spec *spec,
		      const char *program)
{
	static const char *const formats[] = {
		[CAPTURE_V4L2] = "v4l2", [CAPTURE_LAVFI] = "lavfi", [CAPTURE_FILE] = "file"};

	add(d, program ? xstrdup(program) : program_beside_us());
	add(d, xasprintf("--format=%s", formats[spec->format]));
	if (spec->input)
		add(d, xasprintf("--input=%s", spec->input));
	if (spec->width)
		add(d, xasprintf("--size=%ux%u", spec->width, spec->height));
	if (spec->rate)
		add(d, xasprintf("--rate=%u", spec->rate));
	add(d, xstrdup("--"));
	add(d, xstrdup(spec->source));
}

static int read_no_signal(struct display_capture *d, const char *path, struct err *e)
{
	struct buf png __free_buf = BUF_INIT;
	int rc = file_read(path, (size_t)4 * PICTURE_PIXELS_MAX, &png, e);

	if (!rc)
		rc = picture_parse_png(&d->no_signal, png.data, png.len, e);
	return rc ? err_prefix(e, rc, "%s", path) : 0;
}

int display_capture_new(sd_event *loop, const struct capture_spec *spec, const char *program,
			const struct display_events *events, struct display **ret, struct err *e)
{
	struct display_capture *d;
	int rc = 0;

	xnew(d);
	d->display.ops = &display_capture_ops;
	d->display.events = *events;
	d->loop = loop;
	d->delay_ns = spec->delay_ms * NS_PER_MS;
	make_argv(d, spec, program);
	if (spec->no_signal)
		rc = read_no_signal(d, spec->no_signal, e);
	if (rc) {
		destroy(d);
		return rc;
	}
	if (sd_event_add_time(loop, &d->silence, CLOCK_MONOTONIC, 0, 1000, on_silence, d) < 0)
		abort();
	sd_event_source_set_enabled(d->silence, SD_EVENT_OFF);
	*ret = &d->display;
	return 0;
}
