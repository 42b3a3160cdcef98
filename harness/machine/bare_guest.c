// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/bare_guest.h"

#include <endian.h>
#include <string.h>

/* booting.rst, "Call the kernel image"; little endian throughout. */
struct image_header {
	uint32_t code0, code1;
	uint64_t text_offset;
	uint64_t image_size;
	uint64_t flags;
	uint64_t res2, res3, res4;
	uint32_t magic;
	uint32_t res5;
};

#define IMAGE_MAGIC 0x644d5241u	      /* "ARM\x64" */
#define IMAGE_FLAGS (1 << 1 | 1 << 3) /* 4K pages; may lie anywhere in RAM */
#define IMAGE_SIZE  0x10000	      /* room that the loader keeps free */

void bare_guest_image(struct buf *out, const uint32_t *code, size_t n)
{
	struct image_header h = {0};
	size_t i;

	h.code0 = htole32(A64_B(sizeof(h) / 4));
	h.image_size = htole64(IMAGE_SIZE);
	h.flags = htole64(IMAGE_FLAGS);
	h.magic = htole32(IMAGE_MAGIC);
	buf_add(out, &h, sizeof(h));
	for (i = 0; i < n; i++) {
		uint32_t word = htole32(code[i]);

		buf_add(out, &word, sizeof(word));
	}
}
