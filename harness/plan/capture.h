/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture.h - where a display's picture comes from: an HDMI grabber, or a file
 * or generated pictures in its place.
 *
 * In a lab's file:
 *
 *	display:
 *	  source: /dev/video0	# a device, a file, or a filter graph (lavfi)
 *	  format: v4l2		# v4l2 (default), lavfi, or file
 *	  input: mjpeg		# what a v4l2 device is to send; its choice without
 *	  size: 1280x720	# and in which size
 *	  rate: 30		# pictures a second
 *	  delay-ms: 50		# how late this grabber is, if that was measured
 *	  no-signal: blue.png	# what it shows when there is no signal, beside the file
 */
#ifndef KJUMP_PLAN_CAPTURE_H
#define KJUMP_PLAN_CAPTURE_H

#include "plan/yaml.h"

enum capture_format {
	CAPTURE_V4L2,  /* a video device (Video4Linux2) */
	CAPTURE_LAVFI, /* libavfilter's sources; in their own time */
	CAPTURE_FILE,  /* any container that libavformat knows; in its own time */
};

struct capture_spec {
	char *source;
	enum capture_format format;
	char *input;		    /* NULL: the device's choice */
	unsigned int width, height; /* 0: the device's choice */
	unsigned int rate;	    /* 0: the device's choice */
	unsigned int delay_ms;
	char *no_signal; /* path of a PNG, or NULL */
};

/* Reads the map @node; what is wrong goes to @diag. Legal to free in any case. */
void capture_read(struct diag *diag, const struct yaml_node *node, struct capture_spec *ret);
void capture_fini(struct capture_spec *c);

#endif
