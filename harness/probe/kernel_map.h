/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_map.h - what an arm64 kernel's Image tells about the kernel that runs
 * from it: symbols, the shape of a loaded kexec, its first instructions.
 *
 * Offsets are from the Image's first byte (_text). Where a running one lies is
 * learned from its registers: the exception vectors have a symbol, and while
 * the MMU is off PC is a physical address.
 */
#ifndef KJUMP_PROBE_KERNEL_MAP_H
#define KJUMP_PROBE_KERNEL_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/arm64_tables.h"
#include "probe/btf.h"
#include "probe/kallsyms.h"

struct kernel_map {
	struct kallsyms *symbols;  /* NULL: why_no_symbols */
	struct kexec_layout kexec; /* all KEXEC_ABSENT without BTF: why_no_types */
	size_t btf_bytes;	   /* 0: none */
	uint64_t image_bytes;	   /* that it takes in memory, as its header has it */
	uint64_t vectors;	   /* offset of the exception vectors; 0: not known */
	uint64_t mmu_on;	   /* of the first instruction after the MMU was turned on */
	uint64_t branch; /* and of its jump to where the kernel is linked to; 0: not known */
	unsigned int branch_register; /* Xn of that */
	uint64_t relocate;	      /* offset of the code that kexec copies, 0: not known, */
	size_t relocate_bytes;
	unsigned char *relocate_code; /* and a copy of it */
	char *why_no_symbols, *why_no_types;
};

/* Never fails: what an Image does not tell stays unknown. *returned* */
struct kernel_map *kernel_map_read(const void *image, size_t len);
void kernel_map_free(struct kernel_map *m);
DEFINE_FREE(kernel_map, struct kernel_map *, kernel_map_free(_v));

/*
 * Where its first byte lies when @vbar (VBAR_EL1 of a CPU that runs it) is the
 * address of its vectors; 0: not known, or no address that a kernel can have.
 */
uint64_t kernel_map_base(const struct kernel_map *m, uint64_t vbar);

/*
 * Are @live the tables of the kernel whose first byte lies at @base, and not those
 * that it leaves to programs? On its way out of one and into one (KPTI) a CPU is at
 * the kernel's level with tables that map next to nothing.
 */
bool kernel_map_is_mapped(const struct kernel_map *m, const struct arm64_tables *live,
			  uint64_t base);

/*
 * "symbol+0x1c" for an address of a kernel whose first byte lies at @base, in the
 * address space that @address is in. False: it is outside, or nothing is known.
 */
bool kernel_map_name(const struct kernel_map *m, uint64_t base, uint64_t address, char *buf,
		     size_t size);

/* Offset of a symbol; false: there is none of that name. */
bool kernel_map_symbol(const struct kernel_map *m, const char *name, uint64_t *ret_offset);

#endif
