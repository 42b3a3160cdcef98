// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kjump-grab - reads a display's pictures and tells the changed ones.
 *
 *	kjump-grab --format=v4l2|lavfi|file [--input=F] [--size=WxH] [--rate=N] -- SOURCE
 *
 * stdout: the stream of machine/display/capture_stream.h. stdin: 'f' looks at
 * every picture, 's' at some a second; its end is ours. A program of its own
 * because decoders meet strangers' bytes, block, and bring two hundred libraries.
 * Exit status 1, with the reason on stderr: there is no such source.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libavutil/log.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "grab/source.h"
#include "machine/display/capture_stream.h"

/* A channel that differs by no more is a grabber's noise. */
#define NOISE	      32

#define SLOW_LEAST_NS (200 * NS_PER_MS)
#define SAME_EVERY_NS (200 * NS_PER_MS)
#define AGAIN_MS      500

struct grab {
	struct source_opts opts;
	bool slow, opened; /* opened: it could be read once */
	bool gone;	   /* and that was told */
	struct picture sent;
	uint64_t seen_ns; /* the last picture's time */
	uint64_t told_ns; /* when something was told last */
	unsigned int dropped;
};

static void tell(struct grab *g, struct capture_head *h, const void *body, size_t len)
{
	h->magic = CAPTURE_MAGIC;
	h->dropped = g->dropped;
	g->dropped = 0;
	g->told_ns = clock_ns();
	if (file_write_all(STDOUT_FILENO, h, sizeof(*h)) ||
	    file_write_all(STDOUT_FILENO, body, len))
		exit(0); /* nobody reads any more */
}

static void tell_gone(struct grab *g, const char *why)
{
	struct capture_head h = {.kind = CAPTURE_GONE, .t_ns = clock_ns()};
	size_t len = strlen(why);

	h.text_bytes = len < CAPTURE_TEXT_MAX ? (uint32_t)len : CAPTURE_TEXT_MAX;
	if (!g->gone)
		tell(g, &h, why, h.text_bytes);
	g->gone = true;
	g->seen_ns = 0;
	picture_fini(&g->sent);
}

static bool is_other(const struct picture *a, const struct picture *b)
{
	size_t n = picture_bytes(a), i;

	if (!b->rgb || a->width != b->width || a->height != b->height)
		return true;
	for (i = 0; i < n; i++) {
		if (abs(a->rgb[i] - b->rgb[i]) > NOISE)
			return true;
	}
	return false;
}

static void on_picture(struct grab *g, const struct source_picture *p)
{
	struct capture_head h = {.kind = CAPTURE_FRAME, .t_ns = p->t_ns};

	g->dropped += p->dropped;
	/* It was not there yet when the one before it was taken. */
	h.uncertainty_ns = g->seen_ns && p->t_ns > g->seen_ns ? p->t_ns - g->seen_ns : p->late_ns;
	g->seen_ns = p->t_ns;
	if (is_other(p->pixels, &g->sent)) {
		h.width = p->pixels->width;
		h.height = p->pixels->height;
		tell(g, &h, p->pixels->rgb, picture_bytes(p->pixels));
		picture_copy(&g->sent, p->pixels);
	} else if (g->gone || clock_ns() - g->told_ns > SAME_EVERY_NS) {
		h.kind = CAPTURE_SAME;
		tell(g, &h, NULL, 0);
	}
	g->gone = false;
}

/* Waits up to @ms for a word from who started us. */
static void listen_to_reader(struct grab *g, int ms)
{
	struct pollfd pfd = {.fd = STDIN_FILENO, .events = POLLIN};
	char c;

	while (poll(&pfd, 1, ms) > 0) {
		if (read(STDIN_FILENO, &c, 1) <= 0)
			exit(0);
		g->slow = c == 's';
		ms = 0;
	}
}

/* Until the source can be read no more. */
static int read_all(struct grab *g, struct err *e)
{
	struct source_picture p;
	struct source *s = NULL;
	int rc = source_open(&g->opts, &s, e);

	while (!rc) {
		rc = source_read(s, g->slow ? SLOW_LEAST_NS : 0, &p, e);
		if (rc)
			break;
		g->opened = true;
		on_picture(g, &p);
		listen_to_reader(g, 0);
	}
	source_close(s);
	return rc;
}

static void usage(void)
{
	fputs("usage: kjump-grab --format=v4l2|lavfi|file [--input=FORMAT] [--size=WxH] "
	      "[--rate=N] -- SOURCE\n",
	      stderr);
	exit(2);
}

static void read_options(struct grab *g, int argc, char **argv)
{
	static const struct option options[] = {{"format", required_argument, NULL, 'f'},
						{"input", required_argument, NULL, 'i'},
						{"size", required_argument, NULL, 's'},
						{"rate", required_argument, NULL, 'r'},
						{0}};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (c == 'f')
			g->opts.format = optarg;
		else if (c == 'i')
			g->opts.input = optarg;
		else if (c == 's')
			g->opts.size = optarg;
		else if (c == 'r')
			g->opts.rate = optarg;
		else
			usage();
	}
	if (!g->opts.format || optind != argc - 1)
		usage();
	g->opts.source = argv[optind];
}

int main(int argc, char **argv)
{
	struct grab g = {0};

	read_options(&g, argc, argv);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	av_log_set_level(AV_LOG_QUIET);
	for (;;) {
		struct err e __free_err = ERR_INIT;

		if (read_all(&g, &e) && !g.opened) {
			fprintf(stderr, "%s\n", err_msg(&e));
			return 1;
		}
		tell_gone(&g, err_msg(&e));
		while (strcmp(g.opts.format, "v4l2"))
			listen_to_reader(&g, -1);
		/* A device comes back: it may have lost its signal, or its plug. */
		listen_to_reader(&g, AGAIN_MS);
	}
}
