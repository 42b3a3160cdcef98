// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-first-pixel - how late a pixel is seen, and what looking costs the guest.
 *
 * A guest changes one pixel now and then and writes its own time down just
 * before. Its clock is QEMU's, at an offset that is the least of (seen on the
 * console - said by the guest) over many lines; so what is printed includes the
 * guest's own way from the write to its display.
 *
 * The cost: a guest works at a constant task while its picture stands still and
 * is looked at as closely as after a jump, or not at all, by turns.
 */
#include <errno.h>
#include <systemd/sd-event.h>

#include "base/clock.h"
#include "machine/machine.h"
#include "test/bench/bench.h"

#define PIXELS	     60
#define CLOCKS	     40
#define TURNS	     40
#define UNITS_A_TURN 12
#define PATIENCE_US  (300 * 1000000ULL)
#define TOO_LATE_S   0.5

static const char case_text[] = "name: bench\n"
				"machines: [{board: qemu-virt, ram: 2G, cpu: max, lpa2: off}]\n"
				"kernels: [debian-7.2.9]\n"
				"jumps:\n"
				"  - {from: measure-pixel, to: measure-pixel, jump: cold}\n"
				"  - {from: measure-pixel-framebuffer, "
				"to: measure-pixel-framebuffer, jump: cold}\n"
				"  - {from: measure-work, to: measure-work, jump: cold}\n"
				"  - {from: measure-work-framebuffer, "
				"to: measure-work-framebuffer, jump: cold}\n";

struct viewer {
	sd_event *loop;
	struct machine *machine;
	struct buf line;
	double *frames; /* seconds on our clock */
	double *unsure; /* what the frame says of itself */
	size_t n_frames, n_unsure;
	double pixels[PIXELS]; /* seconds on the guest's */
	size_t n_pixels, n_clocks;
	double offset; /* ours - the guest's */

	double units[2][TURNS * UNITS_A_TURN]; /* not watched, watched */
	size_t n_units[2];
	unsigned int turn, in_turn;
	double unit_s;
	bool works; /* counts units instead of pixels */
};

static double now_s(void)
{
	return (double)clock_ns() / 1e9;
}

static void look(struct viewer *w, bool closely)
{
	struct err e __free_err = ERR_INIT;

	if (!closely)
		display_stop(w->machine->display);
	else if (display_start(w->machine->display, DISPLAY_FAST, &e))
		bench_die("display", &e);
}

static void on_unit(struct viewer *w)
{
	bool watched = w->turn & 1;
	double t = now_s();

	/* The first one of a turn began in the one before; early turns are a warm-up. */
	if (w->in_turn && w->turn >= 4 && w->n_units[watched] < TURNS * UNITS_A_TURN)
		w->units[watched][w->n_units[watched]++] = t - w->unit_s;
	w->unit_s = t;
	if (++w->in_turn <= UNITS_A_TURN)
		return;
	w->in_turn = 0;
	w->turn++;
	look(w, w->turn & 1);
	if (w->turn == TURNS + 4)
		sd_event_exit(w->loop, 0);
}

static void on_line(struct viewer *w, const char *line)
{
	const char *bracket = strchr(line, '[');
	double guest = bracket ? strtod(bracket + 1, NULL) : 0;

	if (w->works) {
		if (strstr(line, "kjump-unit"))
			on_unit(w);
	} else if (strstr(line, "kjump-pixel") && w->n_pixels < PIXELS) {
		w->pixels[w->n_pixels++] = guest;
	} else if (strstr(line, "kjump-clock") && w->n_pixels) {
		double offset = now_s() - guest;

		if (!w->n_clocks || offset < w->offset)
			w->offset = offset;
		if (++w->n_clocks == CLOCKS)
			sd_event_exit(w->loop, 0);
	}
}

static void on_bytes(const void *data, size_t len, void *arg)
{
	struct viewer *w = arg;
	const char *p = data;
	size_t i;

	for (i = 0; i < len; i++) {
		if (p[i] != '\n') {
			buf_addch(&w->line, p[i]);
			continue;
		}
		on_line(w, w->line.data);
		buf_reset(&w->line);
	}
}

static void on_frame(const struct display_frame *frame, void *arg)
{
	struct viewer *w = arg;

	*array_push(w->frames, w->n_frames) = (double)frame->t_ns / 1e9;
	*array_push(w->unsure, w->n_unsure) = (double)frame->uncertainty_ns / 1e6;
}

static void on_signal(bool present, const char *text, void *arg)
{
}

static void on_failed(const char *text, void *arg)
{
	fprintf(stderr, "display: %s\n", text);
	exit(1);
}

static void on_up(void *arg)
{
	struct viewer *w = arg;

	look(w, !w->works);
}

static void on_down(enum machine_down why, const char *text, void *arg)
{
	fprintf(stderr, "the machine went down: %s\n", text ? text : "no reason");
	exit(1);
}

static void ignore(void *arg)
{
}

static int on_patience(sd_event_source *source, uint64_t usec, void *arg)
{
	fprintf(stderr, "the guest did not do what it should in time\n");
	exit(1);
}

static void run(struct bench *b, size_t job, struct viewer *w)
{
	const struct boot_files *a = prepared_a(b->prepared, &b->plan->jobs[job]);
	const struct machine_boot boot = {
		.kernel = a->kernel->image, .initrd = a->initramfs, .cmdline = a->cmdline};
	const struct display_events display = {on_frame, on_signal, on_failed, w};
	const struct machine_events events = {on_up, on_down, ignore, NULL, w};
	const struct console_events console = {on_bytes, ignore, ignore, w};
	char *dtb __free(str) = file_join(b->dir, "dtb");
	struct framebuffer fb;
	struct machine_boot with_dtb = boot;
	struct machine_opts opts = {
		.spec = b->plan->jobs[job].machine, .display = true, .display_events = &display};
	struct err e __free_err = ERR_INIT;

	if (image_devicetree_framebuffer(a->live_dtb.data, a->live_dtb.len, &fb)) {
		opts.framebuffer = &fb;
		if (file_write(dtb, a->dtb.data, a->dtb.len, &e))
			bench_die("device tree", &e);
		with_dtb.dtb = dtb;
	}
	if (sd_event_new(&w->loop) < 0)
		abort();
	sd_event_add_time_relative(w->loop, NULL, CLOCK_MONOTONIC, PATIENCE_US, 0, on_patience,
				   NULL);
	opts.loop = w->loop;
	buf_init(&w->line);
	if (machine_new(&opts, &events, &console, &w->machine, &e) ||
	    w->machine->ops->start(w->machine, &with_dtb, &e))
		bench_die("machine", &e);
	sd_event_loop(w->loop);
	machine_free(w->machine);
	sd_event_unref(w->loop);
	buf_fini(&w->line);
}

static void measure_delay(struct bench *b, size_t job, const char *name)
{
	struct viewer *w;
	double *late, *unsure;
	size_t n = 0, missed = 0, i, f = 0;

	xnew(w);
	run(b, job, w);
	late = xcalloc(w->n_pixels + 1, sizeof(*late));
	unsure = xcalloc(w->n_pixels + 1, sizeof(*unsure));
	for (i = 0; i < w->n_pixels; i++) {
		double truth = w->pixels[i] + w->offset;

		/* A frame may come before the estimate of the truth by its error. */
		while (f < w->n_frames && w->frames[f] < truth - 0.001)
			f++;
		if (f < w->n_frames && w->frames[f] < truth + TOO_LATE_S) {
			unsure[n] = w->unsure[f];
			late[n++] = (w->frames[f++] - truth) * 1e3;
		} else {
			missed++;
		}
	}
	printf("%-12s seen - true: median %.2f ms, 10 %% %.2f, 90 %% %.2f, most %.2f; "
	       "%zu pixels, %zu not seen\n",
	       name, bench_quantile(late, n, 0.5), bench_quantile(late, n, 0.1),
	       bench_quantile(late, n, 0.9), bench_quantile(late, n, 1), n, missed);
	printf("%-12s uncertainty told: median %.2f ms, 90 %% %.2f\n", name,
	       bench_quantile(unsure, n, 0.5), bench_quantile(unsure, n, 0.9));
	fflush(stdout);
	free(late);
	free(unsure);
	free(w->unsure);
	free(w->frames);
	free(w);
}

static void measure_cost(struct bench *b, size_t job, const char *name)
{
	struct viewer *w;
	double alone, watched;

	xnew(w);
	w->works = true;
	run(b, job, w);
	alone = bench_quantile(w->units[0], w->n_units[0], 0.5);
	watched = bench_quantile(w->units[1], w->n_units[1], 0.5);
	printf("%-12s work: alone %.3f ms, watched %.3f ms, ratio %.4f\n", name, alone * 1e3,
	       watched * 1e3, watched / alone);
	fflush(stdout);
	free(w->frames);
	free(w);
}

int main(void)
{
	struct bench b = {0};

	bench_init(&b, case_text);
	measure_delay(&b, 0, "screendump");
	measure_delay(&b, 1, "guest RAM");
	measure_cost(&b, 2, "screendump");
	measure_cost(&b, 3, "guest RAM");
	bench_fini(&b);
	return 0;
}
