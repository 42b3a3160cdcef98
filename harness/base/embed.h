/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * embed.h - the text of a file of the source tree, taken into the program whole.
 *
 * The compiler does not see the dependency: it stands in the Makefile.
 */
#ifndef KJUMP_BASE_EMBED_H
#define KJUMP_BASE_EMBED_H

/* Defines @symbol, a NUL-terminated string; @path from the tree's root, where make runs. */
#define EMBED(symbol, path)                            \
	__asm__(".pushsection .rodata\n" #symbol ":\n" \
		"\t.incbin \"" path "\"\n"             \
		"\t.byte 0\n"                          \
		".popsection\n");                      \
	extern const char symbol[] __attribute__((visibility("hidden")))

#endif
