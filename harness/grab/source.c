// SPDX-License-Identifier: GPL-2.0-or-later
#include "grab/source.h"

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavdevice/avdevice.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libswscale/swscale.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"

/* A driver's stamp that is older, or younger, than this is none. */
#define STAMP_OLD_NS (5 * NS_PER_S)
/* A file whose times jump is not waited for longer. */
#define WAIT_MAX_NS  (2 * NS_PER_S)

struct source {
	AVFormatContext *format;
	AVCodecContext *codec;
	AVPacket *packet;
	AVFrame *frame;
	struct SwsContext *scaler;
	int stream;
	bool live; /* a device, whose pictures come when they come */
	bool all;  /* each picture needs those before it */
	bool drained;
	bool has_base;
	int64_t base_pts_ns; /* of a file: this time of its own */
	uint64_t base_ns;    /* is this one of ours */
	uint64_t decoded_ns; /* when the last picture was there */
	unsigned int dropped;
	struct picture picture;
};

static int set_av(struct err *e, int rc, const char *what)
{
	char text[AV_ERROR_MAX_STRING_SIZE] = "";

	av_strerror(rc, text, sizeof(text));
	/* Its own codes are no errno. */
	return err_set(e, rc > -4096 ? -rc : EIO, "%s: %s", what, text);
}

static int open_input(struct source *s, const struct source_opts *o, struct err *e)
{
	const AVInputFormat *format = NULL;
	AVDictionary *dict = NULL;
	int rc;

	if (strcmp(o->format, "file")) {
		format = av_find_input_format(o->format);
		if (!format)
			return err_set(e, ENOTSUP, "libavdevice knows no '%s'", o->format);
	}
	if (s->live) {
		av_dict_set(&dict, "timestamps", "default", 0);
		av_dict_set(&dict, "input_format", o->input, 0);
		av_dict_set(&dict, "video_size", o->size, 0);
		av_dict_set(&dict, "framerate", o->rate, 0);
	} else {
		/* A playlist must not fetch anything. */
		av_dict_set(&dict, "protocol_whitelist", "file", 0);
	}
	rc = avformat_open_input(&s->format, o->source, format, &dict);
	av_dict_free(&dict);
	return rc < 0 ? set_av(e, rc, o->source) : 0;
}

static int open_codec(struct source *s, const struct source_opts *o, struct err *e)
{
	const AVCodecDescriptor *what;
	const AVCodec *codec = NULL;
	int rc = avformat_find_stream_info(s->format, NULL);

	if (rc >= 0)
		rc = av_find_best_stream(s->format, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
	if (rc < 0)
		return set_av(e, rc, o->source);
	s->stream = rc;
	s->codec = avcodec_alloc_context3(codec);
	rc = s->codec ? avcodec_parameters_to_context(s->codec,
						      s->format->streams[s->stream]->codecpar)
		      : AVERROR(ENOMEM);
	if (rc >= 0) {
		s->codec->max_pixels = PICTURE_PIXELS_MAX;
		s->codec->thread_count = 1; /* more of them are late by as many pictures */
		rc = avcodec_open2(s->codec, codec, NULL);
	}
	if (rc < 0)
		return set_av(e, rc, o->source);
	what = avcodec_descriptor_get(s->codec->codec_id);
	s->all = !what || !(what->props & AV_CODEC_PROP_INTRA_ONLY);
	return 0;
}

int source_open(const struct source_opts *opts, struct source **ret, struct err *e)
{
	struct source *s;
	int rc;

	avdevice_register_all();
	xnew(s);
	s->live = !strcmp(opts->format, "v4l2");
	s->packet = av_packet_alloc();
	s->frame = av_frame_alloc();
	rc = s->packet && s->frame ? open_input(s, opts, e) : err_errno(e, ENOMEM, "libavcodec");
	if (!rc)
		rc = open_codec(s, opts, e);
	if (rc) {
		source_close(s);
		return rc;
	}
	*ret = s;
	return 0;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	avcodec_free_context(&s->codec);
	avformat_close_input(&s->format);
	av_packet_free(&s->packet);
	av_frame_free(&s->frame);
	sws_freeContext(s->scaler);
	picture_fini(&s->picture);
	free(s);
}

/* --- time ------------------------------------------------------------------- */

static void wait_until(uint64_t t_ns)
{
	const struct timespec t = {.tv_sec = (time_t)(t_ns / NS_PER_S),
				   .tv_nsec = (long)(t_ns % NS_PER_S)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

static int64_t pts_ns(const struct source *s, int64_t pts)
{
	const AVRational ns = {1, 1000000000};

	return pts == AV_NOPTS_VALUE
		       ? AV_NOPTS_VALUE
		       : av_rescale_q(pts, s->format->streams[s->stream]->time_base, ns);
}

/* A V4L2 driver stamps with CLOCK_MONOTONIC; a strange stamp is not used. */
static void stamp_live(struct source *s, int64_t t_ns, struct source_picture *ret)
{
	uint64_t now_ns = clock_ns();

	ret->t_ns = now_ns;
	ret->late_ns = s->decoded_ns ? now_ns - s->decoded_ns : 0;
	if (t_ns != AV_NOPTS_VALUE && t_ns > 0 && (uint64_t)t_ns <= now_ns &&
	    now_ns - (uint64_t)t_ns < STAMP_OLD_NS) {
		ret->t_ns = (uint64_t)t_ns;
		ret->late_ns = 0;
	}
}

static void stamp_paced(struct source *s, int64_t t_ns, struct source_picture *ret)
{
	uint64_t now_ns = clock_ns();

	ret->late_ns = 0;
	ret->t_ns = now_ns;
	if (t_ns == AV_NOPTS_VALUE)
		return;
	if (!s->has_base || t_ns < s->base_pts_ns) {
		s->has_base = true;
		s->base_pts_ns = t_ns;
		s->base_ns = now_ns;
	}
	ret->t_ns = s->base_ns + (uint64_t)t_ns - (uint64_t)s->base_pts_ns;
	if (ret->t_ns > now_ns + WAIT_MAX_NS) {
		s->base_pts_ns = t_ns;
		s->base_ns = ret->t_ns = now_ns + WAIT_MAX_NS;
	}
	wait_until(ret->t_ns);
}

/* --- pictures ------------------------------------------------------------------ */

static int convert(struct source *s, struct err *e)
{
	const AVFrame *f = s->frame;
	uint8_t *to[4] = {NULL};
	int stride[4] = {0}, rc;

	if (f->width <= 0 || f->height <= 0)
		return err_set(e, EBADMSG, "a picture without a size");
	rc = picture_resize(&s->picture, (unsigned int)f->width, (unsigned int)f->height, e);
	if (rc)
		return rc;
	s->scaler = sws_getCachedContext(s->scaler, f->width, f->height, f->format, f->width,
					 f->height, AV_PIX_FMT_RGB24, SWS_POINT, NULL, NULL, NULL);
	if (!s->scaler)
		return err_set(e, EBADMSG, "a picture of an unknown kind");
	to[0] = s->picture.rgb;
	stride[0] = 3 * f->width;
	sws_scale(s->scaler, (const uint8_t *const *)f->data, f->linesize, 0, f->height, to,
		  stride);
	return 0;
}

/* Is this one of those that are to be left out? */
static bool is_too_soon(const struct source *s, uint64_t least_ns)
{
	return !s->all && s->live && s->decoded_ns && clock_ns() - s->decoded_ns < least_ns;
}

/* One packet to the decoder. 1: it took one; 0: it is to be asked first. */
static int feed(struct source *s, uint64_t least_ns, struct err *e)
{
	int rc = av_read_frame(s->format, s->packet);

	if (rc == AVERROR_EOF) {
		if (s->drained)
			return err_set(e, ENODATA, "the source has ended");
		s->drained = true;
		avcodec_send_packet(s->codec, NULL);
		return 0;
	}
	if (rc < 0)
		return set_av(e, rc, "reading");
	if (s->packet->flags & AV_PKT_FLAG_CORRUPT)
		s->dropped++;
	else if (s->packet->stream_index == s->stream && !is_too_soon(s, least_ns) &&
		 avcodec_send_packet(s->codec, s->packet) < 0)
		s->dropped++;
	av_packet_unref(s->packet);
	return 0;
}

int source_read(struct source *s, uint64_t least_ns, struct source_picture *ret, struct err *e)
{
	int64_t t_ns;
	int rc;

	for (;;) {
		rc = avcodec_receive_frame(s->codec, s->frame);
		if (rc == AVERROR(EAGAIN) || rc == AVERROR_EOF) {
			rc = feed(s, least_ns, e);
			if (rc)
				return rc;
			continue;
		}
		if (rc < 0 || (s->frame->flags & AV_FRAME_FLAG_CORRUPT) || convert(s, e)) {
			s->dropped++;
			continue;
		}
		break;
	}
	t_ns = pts_ns(s, s->frame->best_effort_timestamp);
	if (s->live)
		stamp_live(s, t_ns, ret);
	else
		stamp_paced(s, t_ns, ret);
	s->decoded_ns = clock_ns();
	ret->dropped = s->dropped;
	s->dropped = 0;
	ret->pixels = &s->picture;
	return 0;
}
