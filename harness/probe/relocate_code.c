// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/relocate_code.h"

#include <endian.h>
#include <string.h>

#include "base/alloc.h"
#include "probe/instruction.h"

#define PROLOGUE_MAX 16 /* loads; it has seven */

static uint32_t word_at(const unsigned char *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return le32toh(v);
}

/* LDR Xt, [X0, #offset] */
static bool is_load_from_x0(uint32_t word, int *ret_offset)
{
	if ((word & 0xffc003e0) != 0xf9400000)
		return false;
	*ret_offset = (int)(word >> 10 & 0xfff) * 8;
	return true;
}

/* Loads in a row from @at on; all members that the code cannot do without are among them? */
static size_t prologue(const unsigned char *at, size_t left, const struct kexec_layout *l,
		       bool *ret_whole)
{
	const int needed[] = {l->kimage.head, l->kimage.ttbr1, l->kimage.zero_page,
			      l->kimage.phys_offset};
	unsigned int seen = 0;
	size_t n, i;
	int offset;

	for (n = 0; n < PROLOGUE_MAX && (n + 1) * 4 <= left; n++) {
		if (!is_load_from_x0(word_at(at + n * 4), &offset))
			break;
		for (i = 0; i < ARRAY_SIZE(needed); i++)
			seen |= (unsigned int)(offset == needed[i]) << i;
	}
	*ret_whole = seen == (1u << ARRAY_SIZE(needed)) - 1;
	return n;
}

/* Up to the padding behind its branch to the new kernel; 0: it does not end. */
static size_t code_bytes(const unsigned char *at, size_t left)
{
	bool branched = false;
	unsigned int n;
	size_t i;

	for (i = 0; i < RELOCATE_CODE_MAX && i + 4 <= left; i += 4) {
		uint32_t word = word_at(at + i);

		if (!word)
			return branched ? i : 0;
		branched = branched || instruction_is_br(word, &n);
	}
	return 0;
}

bool relocate_code_find(const void *image, size_t len, const struct kexec_layout *layout,
			uint64_t *ret_offset, size_t *ret_bytes)
{
	const unsigned char *data = image;
	size_t at, n, bytes = 0;
	bool whole;

	if (!kexec_layout_has_tables(layout) || layout->kimage.zero_page < 0)
		return false;
	for (at = 0; at + 4 <= len; at += n ? n * 4 : 4) {
		n = prologue(data + at, len - at, layout, &whole);
		if (!whole)
			continue;
		if (bytes)
			return false;
		bytes = code_bytes(data + at, len - at);
		if (!bytes)
			return false;
		*ret_offset = at;
		*ret_bytes = bytes;
	}
	return bytes != 0;
}
