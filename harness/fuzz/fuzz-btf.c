// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-btf.c - types of a damaged Image: the input is a list of places and
 * bytes that go into whole ones, or from 0xff on types of its own making.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "probe/btf.h"
#include "test/probe/btf_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kernel_btf *b __free(kernel_btf) = NULL;
	struct buf image __free_buf = BUF_INIT;
	struct kexec_layout l;
	size_t i;

	if (!size)
		return 0;
	if (data[0] == 0xff) {
		buf_add(&image, data + 1, size - 1);
	} else {
		made_btf_image(&image);
		for (i = 1; i + 3 <= size; i += 3)
			image.data[(data[i] << 8 | data[i + 1]) % image.len] = (char)data[i + 2];
	}
	if (kernel_btf_read(image.data, image.len, &b, NULL))
		return 0;
	if (kernel_btf_bytes(b) > image.len)
		abort();
	kexec_layout_from_btf(b, &l);
	return 0;
}
