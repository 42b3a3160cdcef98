/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf.h - which shared libraries a program needs, to the end (libelf).
 *
 * Source: ELF gABI, "Dynamic Section" (DT_NEEDED) and "Program Interpreter".
 */
#ifndef KJUMP_IMAGE_ELF_H
#define KJUMP_IMAGE_ELF_H

#include <stddef.h>

#include "base/err.h"

struct elf_lib {
	char *name;	 /* as the loader looks it up: "libc.so.6" */
	char *path;	 /* of the file that was found; NULL if none was */
	char *needed_by; /* path of the first file that needs it */
};

struct elf_libs {
	struct elf_lib *libs; /* sorted by name */
	size_t n;
};

#define ELF_LIBS_INIT   \
	{               \
		NULL, 0 \
	}

void elf_libs_fini(struct elf_libs *l);
#define __free_elf_libs __cleanup(elf_libs_fini)

/*
 * Adds what @program needs, and what that needs, looked up in @dirs only; the
 * program interpreter (dynamic loader) counts as one of them, by its file name.
 * A library that is not there is listed with path NULL and is no error.
 * -EBADMSG: a file is no ELF file.
 */
int elf_closure(const char *program, char *const *dirs, size_t n_dirs, struct elf_libs *libs,
		struct err *e);

#endif
