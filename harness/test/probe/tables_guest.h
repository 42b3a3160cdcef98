/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables_guest.h - a small guest's memory with a loaded kexec in it, as a kernel
 * would have left it: any granule, any number of address bits.
 *
 * Pages by number: 0 holds struct kimage, structures of control pages follow;
 * from GUEST_DESTINATION on is where the new system goes; what lies between is
 * handed out one by one.
 */
#ifndef KJUMP_TEST_PROBE_TABLES_GUEST_H
#define KJUMP_TEST_PROBE_TABLES_GUEST_H

#include "base/alloc.h"
#include "probe/table_check.h"

#define GUEST_PAGES	  256
#define GUEST_RAM	  0x40000000ull
#define GUEST_KERNEL	  36 /* pages of the new kernel: text from 64K on, also at 4K */
#define GUEST_DESTINATION 200
#define GUEST_PURGATORY	  (GUEST_DESTINATION + GUEST_KERNEL)
#define GUEST_KIMAGE	  (GUEST_RAM + 1024)
#define GUEST_CONTROL	  4 /* blocks in the list of control pages */

#define GUEST_NORMAL	  (1ull << 10 | 0ull << 2 | 3) /* AF, attribute 0, a page */
#define GUEST_NO_EXEC	  (1ull << 53)
#define GUEST_READ_ONLY	  (1ull << 7)
#define GUEST_DIRTY_BIT	  (1ull << 51)
#define GUEST_TCR_HA_HD	  (3ull << 39)
#define GUEST_TCR_DS	  (1ull << 59)
#define GUEST_NOP	  0xd503201fu

/* What Linux of this granule can run with. */
struct guest_format {
	unsigned int page_shift, va_bits;
	bool ds;
	unsigned int ips;
};

static const struct guest_format guest_formats[] = {
	{12, 48, false, 5}, {12, 39, false, 5}, {12, 52, true, 6},  {12, 48, true, 6},
	{14, 48, false, 5}, {14, 47, false, 5}, {14, 52, true, 6},  {16, 48, false, 5},
	{16, 42, false, 5}, {16, 52, false, 6}, {16, 48, false, 6},
};

static const struct kexec_layout guest_layout = {
	.kimage = {.size = 896,
		   .head = 0,
		   .start = 24,
		   .control_code_page = 32,
		   .nr_segments = 56,
		   .segment = 64,
		   .segment_cma = 576,
		   .control_pages = 704,
		   .dtb_mem = 776,
		   .kern_reloc = 784,
		   .el2_vectors = 792,
		   .ttbr0 = 800,
		   .ttbr1 = 808,
		   .zero_page = 816,
		   .phys_offset = 824,
		   .t0sz = 832},
	.segment = {.size = 32, .bufsz = 8, .mem = 16, .memsz = 24},
	.page = {.size = 64, .lru = 8, .private = 40},
};

struct tables_guest {
	const struct guest_format *format;
	uint8_t *bytes;
	uint64_t page_bytes, next_page, phys_offset;
	struct phys_memory memory;
	struct arm64_regime regime;
	struct kexec_layout layout;
	struct kexec_image image;
	struct table_content content;
	uint8_t *kernel; /* what was loaded */
	uint8_t relocation[64];
	uint64_t list_page, list_entry; /* where the next entry of the list goes */
	uint64_t first_list_page, first_source;
	struct table_check_input in;
};

static inline void guest_set(struct tables_guest *g, uint64_t address, uint64_t value)
{
	memcpy(g->bytes + (address - GUEST_RAM), &value, sizeof(value));
}

static inline uint64_t guest_get(const struct tables_guest *g, uint64_t address)
{
	uint64_t value;

	memcpy(&value, g->bytes + (address - GUEST_RAM), sizeof(value));
	return value;
}

static inline uint64_t guest_page(const struct tables_guest *g, unsigned int number)
{
	return GUEST_RAM + number * g->page_bytes;
}

static inline uint64_t guest_new_page(struct tables_guest *g)
{
	assert_true(g->next_page < GUEST_DESTINATION);
	return guest_page(g, (unsigned int)g->next_page++);
}

static inline uint64_t guest_linear(const struct tables_guest *g, uint64_t pa)
{
	return pa - g->phys_offset;
}

/* Maps one page by a descriptor of level 3, with the tables that it takes. */
static inline void guest_map(struct tables_guest *g, uint64_t root, unsigned int va_bits,
			     uint64_t va, uint64_t descriptor)
{
	unsigned int shift = g->format->page_shift, stride = shift - 3;
	unsigned int levels = (va_bits - shift + stride - 1) / stride, bits;
	uint64_t at, table = root;

	for (; levels > 1; levels--) {
		bits = shift + (levels - 1) * stride;
		at = (va & (va_bits == 64 ? ~0ull : (1ull << va_bits) - 1)) >> bits;
		at = table + (at & ((1ull << stride) - 1)) * 8;
		if (!guest_get(g, at))
			guest_set(g, at, guest_new_page(g) | 3);
		table = guest_get(g, at) & ~0xfffull & ((1ull << 48) - 1);
	}
	guest_set(g, table + ((va >> shift) & ((1ull << stride) - 1)) * 8, descriptor);
}

static inline void guest_add_entry(struct tables_guest *g, uint64_t entry)
{
	if (g->list_entry == g->list_page + g->page_bytes - 8) {
		uint64_t page = guest_new_page(g);

		guest_set(g, g->list_entry, page | 2);
		g->list_page = g->list_entry = page;
	}
	guest_set(g, g->list_entry, entry);
	g->list_entry += 8;
}

static inline void guest_add_segment(struct tables_guest *g, unsigned int number, uint64_t mem,
				     unsigned int pages, const uint8_t *content)
{
	uint64_t at = GUEST_KIMAGE + 64 + number * 32ull;
	unsigned int i;

	guest_set(g, at + 8, pages * g->page_bytes);
	guest_set(g, at + 16, mem);
	guest_set(g, at + 24, pages * g->page_bytes);
	guest_add_entry(g, mem | 1);
	for (i = 0; i < pages; i++) {
		/* One page lies where it goes, as some do in a real load. */
		uint64_t source = i == 1 ? mem + i * g->page_bytes : guest_new_page(g);

		if (!g->first_source)
			g->first_source = source;
		memcpy(g->bytes + (source - GUEST_RAM), content + i * g->page_bytes, g->page_bytes);
		guest_add_entry(g, source | 8);
	}
}

static inline void guest_make_kernel(struct tables_guest *g)
{
	size_t len = GUEST_KERNEL * g->page_bytes, i;
	uint32_t nop = GUEST_NOP;

	g->kernel = xcalloc(len, 1);
	for (i = 0; i < len - g->page_bytes; i += 4)
		memcpy(g->kernel + i, &nop, 4);
	memcpy(g->kernel + 56, "ARM\x64", 4);
	/* The last page and a half is what follows the file: zeroes. */
	memset(g->kernel + len - g->page_bytes * 3 / 2, 0, g->page_bytes * 3 / 2);
	g->content = (struct table_content){guest_page(g, GUEST_DESTINATION), g->kernel,
					    len - g->page_bytes * 3 / 2};
}

/* The list of control pages, one page and three blocks of two. */
static inline void guest_make_control(struct tables_guest *g)
{
	uint64_t head = GUEST_KIMAGE + 704, pages = guest_new_page(g), at = head;
	unsigned int i;

	for (i = 0; i < GUEST_CONTROL; i++) {
		uint64_t page = pages + i * 64ull;

		guest_set(g, at, guest_linear(g, page + 8));
		guest_set(g, page + 40, i ? 1 : 0);
		at = page + 8;
	}
	guest_set(g, at, guest_linear(g, head));
}

static inline void guest_make_image(struct tables_guest *g)
{
	uint64_t vectors = guest_new_page(g), zero = guest_new_page(g), reloc = guest_new_page(g);
	unsigned int i;

	for (i = 0; i < sizeof(g->relocation); i++)
		g->relocation[i] = (uint8_t)(i * 7 + 1);
	memcpy(g->bytes + (reloc - GUEST_RAM), g->relocation, sizeof(g->relocation));
	guest_set(g, GUEST_KIMAGE + 24, guest_page(g, GUEST_PURGATORY));
	guest_set(g, GUEST_KIMAGE + 56, 2);
	guest_set(g, GUEST_KIMAGE + 784, reloc);
	guest_set(g, GUEST_KIMAGE + 792, vectors);
	guest_set(g, GUEST_KIMAGE + 816, zero);
	guest_set(g, GUEST_KIMAGE + 824, g->phys_offset);
	guest_set(g, GUEST_KIMAGE + 832, 64 - 48);
}

static inline void guest_make_tables(struct tables_guest *g)
{
	uint64_t upper = guest_new_page(g), lower = guest_new_page(g), live = guest_new_page(g);
	uint64_t reloc = guest_get(g, GUEST_KIMAGE + 784);
	unsigned int i;

	for (i = 0; i < GUEST_PAGES; i++) {
		uint64_t pa = guest_page(g, i);

		guest_map(g, upper, g->format->va_bits, guest_linear(g, pa),
			  pa | GUEST_NORMAL | GUEST_NO_EXEC);
		guest_map(g, live, g->format->va_bits, guest_linear(g, pa), pa | GUEST_NORMAL);
	}
	guest_map(g, lower, 48, reloc, reloc | GUEST_NORMAL | GUEST_READ_ONLY);
	guest_set(g, GUEST_KIMAGE + 800, lower);
	guest_set(g, GUEST_KIMAGE + 808, upper);
	g->regime.ttbr1 = live;
}

static inline void guest_make_regime(struct tables_guest *g)
{
	static const unsigned int tg0[] = {[12] = 0, [14] = 2, [16] = 1};
	static const unsigned int tg1[] = {[12] = 2, [14] = 1, [16] = 3};
	const struct guest_format *f = g->format;

	g->regime.tcr = (uint64_t)(64 - f->va_bits) << 16 | 16 | (uint64_t)f->ips << 32 |
			(uint64_t)tg0[f->page_shift] << 14 | (uint64_t)tg1[f->page_shift] << 30 |
			(f->ds ? GUEST_TCR_DS : 0);
	g->regime.mair = 0x04ff; /* attribute 1 is a device's */
}

/* Reads struct kimage again, after a test has changed it. */
static inline void guest_reread(struct tables_guest *g)
{
	struct err e __free_err = ERR_INIT;

	if (kexec_image_read(&g->memory, &g->layout, GUEST_KIMAGE, &g->image, &e))
		fail_msg("%s", err_msg(&e));
}

static inline void tables_guest_init(struct tables_guest *g, const struct guest_format *f)
{
	void *purgatory __free(mem) = NULL;

	*g = (struct tables_guest){
		.format = f, .page_bytes = 1ull << f->page_shift, .next_page = 1};
	g->bytes = xcalloc(GUEST_PAGES, g->page_bytes);
	g->memory = (struct phys_memory){.address = GUEST_RAM,
					 .size_bytes = GUEST_PAGES * g->page_bytes,
					 .bytes = g->bytes,
					 .fd = -1};
	g->layout = guest_layout;
	g->phys_offset = GUEST_RAM - (~0ull << f->va_bits);
	guest_make_regime(g);
	guest_make_image(g);
	guest_make_control(g);
	guest_make_kernel(g);
	purgatory = xcalloc(g->page_bytes, 1);
	memcpy(purgatory, &(uint32_t){GUEST_NOP}, 4);
	g->first_list_page = g->list_page = g->list_entry = guest_new_page(g);
	guest_set(g, GUEST_KIMAGE, g->list_page | 2);
	guest_add_segment(g, 0, guest_page(g, GUEST_DESTINATION), GUEST_KERNEL, g->kernel);
	guest_add_segment(g, 1, guest_page(g, GUEST_PURGATORY), 1, purgatory);
	guest_add_entry(g, 4);
	guest_make_tables(g);
	guest_reread(g);
	g->in = (struct table_check_input){.memory = &g->memory,
					   .layout = &g->layout,
					   .regime = &g->regime,
					   .image = &g->image,
					   .relocation = g->relocation,
					   .relocation_bytes = sizeof(g->relocation),
					   .contents = &g->content,
					   .n_contents = 1};
}

static inline void tables_guest_fini(struct tables_guest *g)
{
	free(g->bytes);
	free(g->kernel);
}

static inline void check(struct tables_guest *g, struct table_check *c)
{
	struct err e __free_err = ERR_INIT;

	if (table_check(&g->in, c, &e))
		fail_msg("%s", err_msg(&e));
}

static inline void print(const struct tables_guest *g, const struct table_check *c)
{
	struct buf out __free_buf = BUF_INIT;

	table_check_report(c, &g->image, &out);
	print_message("%uK, %u bits:\n%s", 1u << (g->format->page_shift - 10), g->format->va_bits,
		      out.data);
}

#endif
