/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * framebuffer.h - pixels in a machine's RAM, as its device tree describes them.
 *
 * Source: the device tree binding "simple-framebuffer".
 */
#ifndef KJUMP_PLAN_FRAMEBUFFER_H
#define KJUMP_PLAN_FRAMEBUFFER_H

#include <stdint.h>

enum framebuffer_format {
	FRAMEBUFFER_XRGB8888, /* "x8r8g8b8", "a8r8g8b8": bytes blue, green, red, any */
	FRAMEBUFFER_XBGR8888, /* "x8b8g8r8", "a8b8g8r8": bytes red, green, blue, any */
	FRAMEBUFFER_RGB565,   /* "r5g6b5": 16 bits, little endian */
};

struct framebuffer {
	uint64_t address; /* physical */
	unsigned int width, height, stride_bytes;
	enum framebuffer_format format;
};

static inline unsigned int framebuffer_pixel_bytes(enum framebuffer_format f)
{
	return f == FRAMEBUFFER_RGB565 ? 2 : 4;
}

#endif
