// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-tables.c - a guest's memory that is anything at all: registers, struct
 * kimage, its list and its tables come from the input, of which the rest is
 * memory. Twice: mapped, and through a function.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probe/table_edit.h"

#define RAM_ADDRESS 0x40000000ull
#define RAM_MAX	    (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct kexec_layout layout = {
	.kimage = {.size = 256,
		   .head = 0,
		   .start = 8,
		   .nr_segments = 16,
		   .segment = 24,
		   .segment_cma = KEXEC_ABSENT,
		   .control_pages = 120,
		   .kern_reloc = 136,
		   .el2_vectors = 144,
		   .ttbr0 = 152,
		   .ttbr1 = 160,
		   .zero_page = 168,
		   .phys_offset = 176,
		   .t0sz = 184},
	.segment = {.size = 32, .bufsz = 8, .mem = 16, .memsz = 24},
	.page = {.size = 64, .lru = 8, .private = 40},
};

static int read_ram(uint64_t address, void *ret, size_t len, void *arg)
{
	const struct phys_memory *m = arg;

	memcpy(ret, m->bytes + (address - m->address), len);
	return 0;
}

static void look(const struct phys_memory *m, const struct arm64_regime *r, struct kexec_image *i)
{
	static const uint8_t loaded[64] = "loaded";
	const struct table_content content = {i->segments[0].mem, loaded, sizeof(loaded)};
	const struct table_check_input in = {.memory = m,
					     .layout = &layout,
					     .regime = r,
					     .image = i,
					     .relocation = loaded,
					     .relocation_bytes = sizeof(loaded),
					     .contents = &content,
					     .n_contents = 1};
	struct buf out __free_buf = BUF_INIT;
	struct table_check c;
	struct table_edit edit;
	char *title __free(str) = NULL;
	int fault;

	if (table_check(&in, &c, NULL))
		return;
	title = table_check_title(&c);
	table_check_report(&c, i, &out);
	for (fault = INJECT_NONE; fault <= INJECT_STOP_CPU && c.verdict != TABLES_NONE; fault++) {
		if (!table_edit(&in, &c, (enum inject)fault, r->ttbr0, &edit, NULL) &&
		    !phys_memory_holds(m, edit.address, edit.len))
			abort();
	}
	if ((c.verdict == TABLES_BAD) != (c.n_findings != 0))
		abort();
	table_check_fini(&c);
}

/* @at: a word of struct kimage, made to be a page of memory. */
static void make_page(uint8_t *kimage, int at, uint64_t size_bytes)
{
	uint64_t value;

	memcpy(&value, kimage + at, sizeof(value));
	value = RAM_ADDRESS + value % (size_bytes / 4096) * 4096;
	memcpy(kimage + at, &value, sizeof(value));
}

/* Enough sense that it is believed; list, tables and contents stay what they are. */
static void make_sense(uint8_t *kimage, uint64_t size_bytes)
{
	const uint64_t one = 1, page = 4096, t0sz = 12 + kimage[184] % 14, offset = RAM_ADDRESS;
	uint64_t start;

	make_page(kimage, 24 + 16, size_bytes);
	memcpy(&start, kimage + 24 + 16, sizeof(start));
	memcpy(kimage + 8, &start, sizeof(start));
	memcpy(kimage + 16, &one, sizeof(one));
	memcpy(kimage + 24 + 24, &page, sizeof(page));
	make_page(kimage, 136, size_bytes);
	make_page(kimage, 152, size_bytes);
	make_page(kimage, 160, size_bytes);
	/* A linear map from 2^63 up: more than any table has, like a hostile kernel's. */
	start = offset - (kimage[176] & 1 ? ~0ull << 48 : 1ull << 63);
	memcpy(kimage + 176, &start, sizeof(start));
	memcpy(kimage + 184, &t0sz, sizeof(t0sz));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arm64_regime r;
	struct phys_memory m = {.address = RAM_ADDRESS, .fd = -1}, asked;
	struct kexec_image i;
	void *ram __free(mem) = NULL;

	if (size < sizeof(r) || size > RAM_MAX)
		return 0;
	memcpy(&r, data, sizeof(r));
	/* As a mapping is: aligned, whole pages, zeroes behind the end. */
	m.size_bytes = (size - sizeof(r) + 4095) & ~4095ull;
	ram = xcalloc(m.size_bytes + 1, 1);
	memcpy(ram, data + sizeof(r), size - sizeof(r));
	m.bytes = ram;
	if (size >= sizeof(r) + 256 && data[0] & 1)
		make_sense(ram, m.size_bytes);
	asked = (struct phys_memory){.address = m.address,
				     .size_bytes = m.size_bytes,
				     .fd = -1,
				     .read = read_ram,
				     .arg = &m};
	if (!kexec_image_read(&m, &layout, RAM_ADDRESS, &i, NULL)) {
		look(&m, &r, &i);
		look(&asked, &r, &i);
	}
	kexec_image_scan(&m, &layout, &i, NULL);
	return 0;
}
