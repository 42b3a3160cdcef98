// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/kexec_image.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#define IND_DONE	   4

#define PAGE_4K		   4096
#define KIMAGE_MAX_BYTES   4096 /* a structure of less than a page */
#define T0SZ_MIN	   12
#define T0SZ_MAX	   39
#define CONTROL_PAGE_ORDER 16 /* the largest block that is believed */

bool kexec_image_in_place(const struct kexec_image *i)
{
	return i->head & IND_DONE;
}

struct kimage_bytes {
	const uint8_t *data;
	size_t len;
};

/* 0 for what the layout lacks. */
static uint64_t field(struct kimage_bytes b, int offset)
{
	uint64_t value;

	if (offset < 0 || b.len < sizeof(value) || (size_t)offset > b.len - sizeof(value))
		return 0;
	memcpy(&value, b.data + offset, sizeof(value));
	return le64toh(value);
}

static bool page_in(const struct phys_memory *m, uint64_t address)
{
	return !(address % PAGE_4K) && phys_memory_holds(m, address, PAGE_4K);
}

static bool read_segments(struct kimage_bytes b, const struct kexec_layout *l,
			  struct kexec_image *i)
{
	uint64_t n = field(b, l->kimage.nr_segments);
	bool has_start = false;
	unsigned int s;

	if (!n || n > KEXEC_SEGMENTS_MAX)
		return false;
	i->n_segments = (unsigned int)n;
	for (s = 0; s < i->n_segments; s++) {
		struct kexec_segment *seg = &i->segments[s];
		int base = l->kimage.segment + (int)s * l->segment.size;

		seg->mem = field(b, base + l->segment.mem);
		seg->memsz = field(b, base + l->segment.memsz);
		if (l->segment.bufsz >= 0)
			seg->bufsz = field(b, base + l->segment.bufsz);
		if (!seg->memsz || seg->mem % PAGE_4K || seg->memsz % PAGE_4K ||
		    seg->mem + seg->memsz < seg->mem)
			return false;
		has_start |= i->start >= seg->mem && i->start - seg->mem < seg->memsz;
	}
	return has_start;
}

static bool makes_sense(const struct phys_memory *m, const struct kexec_image *i)
{
	if (kexec_image_in_place(i))
		return true;
	return i->t0sz >= T0SZ_MIN && i->t0sz <= T0SZ_MAX && !(i->phys_offset % PAGE_4K) &&
	       (i->address - i->phys_offset) >> 63 && page_in(m, i->kern_reloc) &&
	       page_in(m, i->ttbr0) && page_in(m, i->ttbr1);
}

static bool parse(const struct phys_memory *m, const struct kexec_layout *l, struct kimage_bytes b,
		  uint64_t address, struct kexec_image *i)
{
	*i = (struct kexec_image){
		.address = address,
		.head = field(b, l->kimage.head),
		.start = field(b, l->kimage.start),
		.kern_reloc = field(b, l->kimage.kern_reloc),
		.el2_vectors = field(b, l->kimage.el2_vectors),
		.ttbr0 = field(b, l->kimage.ttbr0),
		.ttbr1 = field(b, l->kimage.ttbr1),
		.zero_page = field(b, l->kimage.zero_page),
		.phys_offset = field(b, l->kimage.phys_offset),
		.t0sz = field(b, l->kimage.t0sz),
	};
	return read_segments(b, l, i) && makes_sense(m, i);
}

static int check_layout(const struct kexec_layout *l, struct err *e)
{
	if (!kexec_layout_has_tables(l))
		return err_set(e, EINVAL, "this kernel's kexec has no transitional tables");
	if (l->kimage.size > KIMAGE_MAX_BYTES || l->kimage.segment > KIMAGE_MAX_BYTES ||
	    l->segment.size > PAGE_4K || l->segment.mem > PAGE_4K || l->segment.memsz > PAGE_4K ||
	    l->segment.bufsz > PAGE_4K)
		return err_set(e, EINVAL, "struct kimage of %d bytes", l->kimage.size);
	return 0;
}

int kexec_image_read(const struct phys_memory *m, const struct kexec_layout *l, uint64_t address,
		     struct kexec_image *ret, struct err *e)
{
	uint8_t bytes[KIMAGE_MAX_BYTES];
	struct kimage_bytes b = {bytes, 0};
	int rc = check_layout(l, e);

	if (rc)
		return rc;
	b.len = (size_t)l->kimage.size;
	rc = phys_memory_read(m, address, bytes, b.len);
	if (rc)
		return err_set(e, -rc, "struct kimage at %#llx is not in memory",
			       (unsigned long long)address);
	if (!parse(m, l, b, address, ret))
		return err_set(e, EINVAL, "what lies at %#llx is no loaded struct kimage",
			       (unsigned long long)address);
	return 0;
}

/* A pointer at the kernel's address @va. */
static int read_pointer(const struct phys_memory *m, const struct arm64_tables *live, uint64_t va,
			uint64_t *ret)
{
	struct arm64_leaf leaf;

	arm64_walk(live, va, &leaf);
	return leaf.result == ARM64_MAPPED ? phys_memory_u64(m, leaf.pa, ret) : -EFAULT;
}

int kexec_image_from_symbol(const struct phys_memory *m, const struct kexec_layout *l,
			    const struct arm64_tables *live, uint64_t va, struct kexec_image *ret,
			    struct err *e)
{
	struct arm64_leaf leaf;
	uint64_t pointer;

	if (read_pointer(m, live, va, &pointer))
		return err_set(e, EFAULT, "kexec_image at %#llx is not mapped",
			       (unsigned long long)va);
	if (!pointer)
		return err_set(e, ENOENT, "no kexec is loaded");
	arm64_walk(live, pointer, &leaf);
	if (leaf.result != ARM64_MAPPED)
		return err_set(e, EFAULT, "kexec_image points to %#llx, which is not mapped",
			       (unsigned long long)pointer);
	return kexec_image_read(m, l, leaf.pa, ret, e);
}

struct scan {
	const struct phys_memory *m;
	const struct kexec_layout *l;
	struct kexec_image *found;
	unsigned int n;
};

static void try_at(struct scan *s, uint64_t address)
{
	struct kimage_bytes b = {s->m->bytes + (address - s->m->address),
				 (size_t)s->l->kimage.size};
	uint64_t t0sz = field(b, s->l->kimage.t0sz);
	struct kexec_image i;

	if (t0sz < T0SZ_MIN || t0sz > T0SZ_MAX || !parse(s->m, s->l, b, address, &i) ||
	    kexec_image_in_place(&i))
		return;
	if (!s->n++)
		*s->found = i;
}

static void scan(struct scan *s, uint64_t step)
{
	uint64_t size = (uint64_t)s->l->kimage.size, at = 0, end, address;

	while (phys_memory_next(s->m, &at, &end)) {
		for (address = (at + step - 1) & ~(step - 1); address + size <= end;
		     address += step)
			try_at(s, address);
		at = end;
	}
}

int kexec_image_scan(const struct phys_memory *m, const struct kexec_layout *l,
		     struct kexec_image *ret, struct err *e)
{
	struct scan s = {m, l, ret, 0};
	uint64_t slab = 64;
	int rc = check_layout(l, e);

	if (rc)
		return rc;
	if (!m->bytes)
		return err_set(e, EOPNOTSUPP, "only memory that is mapped here can be searched");
	/* Where the allocator puts an object of this size; elsewhere with its debugging. */
	while (slab < (uint64_t)l->kimage.size)
		slab *= 2;
	scan(&s, slab);
	if (!s.n)
		scan(&s, sizeof(uint64_t));
	if (!s.n)
		return err_set(e, ENOENT, "no kexec with transitional tables is loaded");
	if (s.n > 1)
		return err_set(e, EEXIST, "%u structures look like a loaded kexec", s.n);
	return 0;
}

int kexec_image_control_pages(const struct phys_memory *m, const struct kexec_layout *l,
			      const struct kexec_image *i, const struct arm64_tables *live,
			      uint64_t *ret, struct err *e)
{
	uint64_t head = i->address - i->phys_offset + (uint64_t)l->kimage.control_pages, at = head;
	uint64_t max = m->size_bytes / PAGE_4K, pages = 0, order, n;

	if (l->kimage.control_pages < 0 || l->page.lru < 0 || l->page.private < 0)
		return err_set(e, ENODATA, "the kernel's types do not tell");
	for (n = 0; n <= max; n++) {
		if (read_pointer(m, live, at, &at))
			return err_set(e, EFAULT, "the list of control pages is broken after %llu",
				       (unsigned long long)n);
		if (at == head) {
			*ret = pages;
			return 0;
		}
		if (read_pointer(m, live, at - (uint64_t)l->page.lru + (uint64_t)l->page.private,
				 &order) ||
		    order > CONTROL_PAGE_ORDER)
			return err_set(e, EFAULT, "a control page that is none");
		pages += 1ull << order;
	}
	return err_set(e, EFAULT, "the list of control pages does not end");
}
