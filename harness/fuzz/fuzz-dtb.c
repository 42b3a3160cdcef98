// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-dtb.c - live device trees of a hostile guest: compared with themselves,
 * where no value may differ, and with half of the input.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "image/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf diff __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	size_t half = size / 2;

	image_devicetree_has_memory(data, size);
	/* A name that is there twice, or too deep, is all that can be found. */
	if (!image_devicetree_compare(data, size, data, size, &diff, &e) &&
	    (strstr(diff.data, "is absent") || strstr(diff.data, "is present\n")))
		abort();
	image_devicetree_compare(data, half, data + half, size - half, &diff, &e);
	return 0;
}
