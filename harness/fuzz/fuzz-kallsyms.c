// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-kallsyms.c - symbol tables of a damaged Image.
 *
 * The input is a list of places and bytes that go into a whole image: no fuzzer
 * finds four tables that agree by itself.
 */
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "probe/kallsyms.h"
#include "test/probe/kallsyms_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms *k __free(kallsyms) = NULL;
	struct buf image __free_buf = BUF_INIT;
	size_t i;

	if (!size)
		return 0;
	made_image(&image, data[0] % N_ARRANGEMENTS);
	for (i = 1; i + 3 <= size; i += 3)
		image.data[(data[i] << 8 | data[i + 1]) % image.len] = (char)data[i + 2];
	if (data[0] & 0x80)
		buf_truncate(&image, image.len - image.len * data[0] / 512);
	if (kallsyms_read(image.data, image.len, &k, NULL))
		return 0;
	for (i = 0; i < k->n; i++) {
		if (!kallsyms_at(k, k->symbols[i].offset))
			abort();
	}
	return 0;
}
