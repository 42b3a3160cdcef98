/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms_image.h - an Image with a symbol table, in each arrangement that
 * kernels have had. The names are made up; how they are packed is as
 * scripts/kallsyms.c of Linux does it, but for its choice of tokens.
 */
#ifndef KJUMP_TEST_PROBE_KALLSYMS_IMAGE_H
#define KJUMP_TEST_PROBE_KALLSYMS_IMAGE_H

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"

#define MADE_SYMBOLS 700
#define MADE_ANCHOR  300 /* primary_entry */
#define MADE_LONG    400 /* its name takes two bytes of length */
#define MADE_BASE    0x1000

enum arrangement {
	OFFSETS_FIRST,	/* 6.1: before the names, with a base; sequence numbers before the tokens */
	OFFSETS_BEHIND, /* 6.4: behind the tokens, with a base */
	OFFSETS_TO_SELF, /* 7.0: behind the tokens, relative to themselves; no padding to 8 */
	N_ARRANGEMENTS,
};

static inline uint32_t made_offset(unsigned int i)
{
	return MADE_BASE + 16 * i;
}

static inline void made_name(unsigned int i, char *name, size_t size)
{
	if (i == MADE_ANCHOR)
		snprintf(name, size, "Tprimary_entry");
	else if (i == MADE_LONG)
		snprintf(name, size, "t%0200u", i);
	else
		snprintf(name, size, "%csym_%u", i % 3 ? 't' : 'D', i);
}

static inline void made_align(struct buf *b, size_t to)
{
	while (b->len % to)
		buf_addch(b, 0);
}

static inline void made_word(struct buf *b, uint32_t v)
{
	v = htole32(v);
	buf_add(b, &v, sizeof(v));
}

/* Token 1 is "sym_", those of letters and digits are themselves. */
static inline void made_token(unsigned int i, char *token, size_t size)
{
	if (i == 1)
		snprintf(token, size, "sym_");
	else if (i > ' ' && i < 127)
		snprintf(token, size, "%c", i);
	else
		snprintf(token, size, "~%02x", i);
}

static inline void made_names(struct buf *b, uint32_t *markers)
{
	size_t start = b->len;
	unsigned int i;
	char name[256];

	for (i = 0; i < MADE_SYMBOLS; i++) {
		const char *rest = name;
		struct buf packed = BUF_INIT;

		if (i % 256 == 0)
			markers[i / 256] = (uint32_t)(b->len - start);
		made_name(i, name, sizeof(name));
		buf_addch(&packed, *rest++);
		if (!strncmp(rest, "sym_", 4)) {
			buf_addch(&packed, 1);
			rest += 4;
		}
		buf_adds(&packed, rest);
		if (packed.len > 0x7f) {
			buf_addch(b, (char)(packed.len & 0x7f) | (char)0x80);
			buf_addch(b, (char)(packed.len >> 7));
		} else {
			buf_addch(b, (char)packed.len);
		}
		buf_add(b, packed.data, packed.len);
		buf_fini(&packed);
	}
}

static inline void made_tokens(struct buf *b, size_t align)
{
	uint16_t index[256];
	size_t start = b->len;
	unsigned int i;
	char token[8];

	for (i = 0; i < 256; i++) {
		index[i] = htole16((uint16_t)(b->len - start));
		made_token(i, token, sizeof(token));
		buf_add(b, token, strlen(token) + 1);
	}
	made_align(b, align);
	buf_add(b, index, sizeof(index));
}

static inline void made_offsets(struct buf *b, bool to_self)
{
	unsigned int i;

	for (i = 0; i < MADE_SYMBOLS; i++)
		made_word(b,
			  to_self ? made_offset(i) - (uint32_t)b->len : made_offset(i) - MADE_BASE);
}

static inline void made_image(struct buf *b, enum arrangement a)
{
	const size_t align = a == OFFSETS_TO_SELF ? 4 : 8;
	uint32_t markers[(MADE_SYMBOLS + 255) / 256], base[2] = {htole32(MADE_BASE), 0xffff8000};
	unsigned int i;

	made_word(b, 0xd503201f);
	made_word(b, 0x14000000 | (made_offset(MADE_ANCHOR) - 4) / 4);
	for (i = 0; i < 30; i++)
		made_word(b, 0x41414141);
	if (a == OFFSETS_FIRST) {
		made_offsets(b, false);
		made_align(b, align);
		buf_add(b, base, sizeof(base));
	}
	made_word(b, MADE_SYMBOLS);
	made_align(b, align);
	made_names(b, markers);
	made_align(b, align);
	for (i = 0; i < sizeof(markers) / sizeof(*markers); i++)
		made_word(b, markers[i]);
	made_align(b, align);
	if (a == OFFSETS_FIRST) {
		for (i = 0; i < MADE_SYMBOLS; i++)
			buf_add(b, (unsigned char[]){0, (unsigned char)(i >> 8), (unsigned char)i},
				3);
		made_align(b, align);
	}
	made_tokens(b, align);
	if (a != OFFSETS_FIRST)
		made_offsets(b, a == OFFSETS_TO_SELF);
	if (a == OFFSETS_BEHIND)
		buf_add(b, base, sizeof(base));
	for (i = 0; i < 40; i++)
		made_word(b, 0x42424242);
}

#endif
