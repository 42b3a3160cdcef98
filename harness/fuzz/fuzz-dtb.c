// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-dtb.c - live device trees of a hostile guest: compared with themselves
 * (where only a name that is there twice can differ) and with half of the input.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "image/image.h"

#define MAX_LINES 20 /* as image.h promises */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_lines(const struct buf *diff)
{
	size_t i, n = 0;

	for (i = 0; i < diff->len; i++)
		n += diff->data[i] == '\n';
	if (n > MAX_LINES || (diff->len && diff->data[diff->len - 1] != '\n'))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf diff __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	size_t half = size / 2;

	image_devicetree_has_memory(data, size);
	image_devicetree_compare(data, size, data, size, &diff, &e);
	check_lines(&diff);
	buf_reset(&diff);
	image_devicetree_compare(data, half, data + half, size - half, &diff, &e);
	check_lines(&diff);
	return 0;
}
