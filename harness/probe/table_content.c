// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/table_content.h"

#include <endian.h>
#include <string.h>

#include "base/alloc.h"

/* arch/arm64/include/asm/image.h of Linux */
#define IMAGE_MAGIC	   "ARM\x64"
#define IMAGE_MAGIC_AT	   56

#define INSTRUCTION_SELF   0x14000000u /* B . */
#define INSTRUCTION_UDF(w) (!((w) >> 16))

uint64_t table_content_now(const struct kimage_list *l, uint64_t address)
{
	size_t copy = kimage_list_written(l, address);

	if (copy == KIMAGE_NEVER)
		return address;
	return l->copies[copy].source | (address & (l->page_bytes - 1));
}

const struct kexec_segment *table_content_kernel(const struct phys_memory *m,
						 const struct kexec_image *i,
						 const struct kimage_list *l)
{
	unsigned int s;
	char magic[4];

	for (s = 0; s < i->n_segments; s++) {
		uint64_t at = table_content_now(l, i->segments[s].mem + IMAGE_MAGIC_AT);

		if (!phys_memory_read(m, at, magic, sizeof(magic)) &&
		    !memcmp(magic, IMAGE_MAGIC, sizeof(magic)))
			return &i->segments[s];
	}
	return NULL;
}

struct content {
	const struct table_check_input *in;
	struct table_check *c;
	table_finding_fn add;
};

static void found(struct content *k, enum table_role role, enum table_fault fault, uint64_t page,
		  size_t copy)
{
	k->add(k->c,
	       (struct table_finding){.role = role, .fault = fault, .page = page, .copy = copy});
}

/* The first instruction at @address, as it will be then. */
static void check_entry(struct content *k, enum table_role role, uint64_t address)
{
	uint64_t at = table_content_now(&k->c->list, address);
	uint32_t word;

	/* A list that cannot be followed is a finding of its own. */
	if (address % 4 || phys_memory_read(k->in->memory, at, &word, sizeof(word)))
		return;
	word = le32toh(word);
	if (word == INSTRUCTION_SELF)
		found(k, role, TABLE_FAULT_SPINS, at, kimage_list_written(&k->c->list, address));
	else if (INSTRUCTION_UDF(word))
		found(k, role, TABLE_FAULT_UNDEFINED, at,
		      kimage_list_written(&k->c->list, address));
}

static void check_entries(struct content *k)
{
	const struct kexec_image *i = k->in->image;
	const struct kexec_segment *kernel = table_content_kernel(k->in->memory, i, &k->c->list);
	bool direct = kernel && i->start - kernel->mem < kernel->memsz;

	check_entry(k, direct ? TABLE_ROLE_ENTRY : TABLE_ROLE_PURGATORY, i->start);
	if (kernel && !direct)
		check_entry(k, TABLE_ROLE_ENTRY, kernel->mem);
}

static void check_relocation(struct content *k)
{
	const struct table_check_input *in = k->in;
	uint64_t page = in->image->kern_reloc;
	void *scratch __free(mem) = NULL;
	const void *p;

	if (!in->relocation || in->relocation_bytes > k->c->list.page_bytes) {
		check_entry(k, TABLE_ROLE_RELOCATION, page);
		return;
	}
	scratch = xmalloc(in->relocation_bytes);
	p = phys_memory_get(in->memory, page, in->relocation_bytes, scratch);
	if (!p)
		return;
	k->c->relocation_compared = true;
	if (memcmp(p, in->relocation, in->relocation_bytes))
		found(k, TABLE_ROLE_RELOCATION, TABLE_FAULT_CONTENT, page, KIMAGE_NEVER);
}

/* Is every page of it copied to? One that was loaded in place has no copies at all. */
static void check_segment(struct content *k, const struct kexec_segment *s)
{
	const struct kimage_list *l = &k->c->list;
	uint64_t at, missing = 0, pages = 0, first = 0;

	/* What no memory can hold is found as pages outside of it. */
	for (at = s->mem; at - s->mem < s->memsz && pages <= l->n_copies; at += l->page_bytes) {
		pages++;
		if (kimage_list_written(l, at) == KIMAGE_NEVER && !missing++)
			first = at;
	}
	if (missing && (missing < pages || k->in->layout->kimage.segment_cma < 0))
		found(k, TABLE_ROLE_SEGMENT, TABLE_FAULT_INCOMPLETE, first, KIMAGE_NEVER);
}

static bool all_zero(const uint8_t *p, size_t len)
{
	return !len || (!p[0] && !memcmp(p, p + 1, len - 1));
}

/* @offset: of the page in @content's segment. */
static bool same(const struct table_content *content, uint64_t offset, const uint8_t *page,
		 size_t page_bytes)
{
	size_t len = 0;

	if (offset < content->len)
		len = content->len - offset < page_bytes ? content->len - offset : page_bytes;
	return !memcmp(page, (const uint8_t *)content->bytes + (len ? offset : 0), len) &&
	       all_zero(page + len, page_bytes - len);
}

static void compare_segment(struct content *k, const struct kexec_segment *s,
			    const struct table_content *content)
{
	const struct kimage_list *l = &k->c->list;
	void *scratch __free(mem) = xmalloc(l->page_bytes);
	uint64_t at;

	for (at = s->mem; at - s->mem < s->memsz; at += l->page_bytes) {
		size_t copy = kimage_list_written(l, at);
		uint64_t now = table_content_now(l, at);
		const void *p;

		/* Missing pages are findings already, and end what a guest can make us read. */
		p = phys_memory_get(k->in->memory, now, l->page_bytes, scratch);
		if (!p)
			return;
		k->c->contents_compared++;
		if (!same(content, at - s->mem, p, l->page_bytes))
			found(k, TABLE_ROLE_SOURCE, TABLE_FAULT_CONTENT, now, copy);
	}
}

void table_content_check(const struct table_check_input *in, struct table_check *c,
			 table_finding_fn add)
{
	struct content k = {in, c, add};
	unsigned int s;
	size_t i;

	check_relocation(&k);
	check_entries(&k);
	for (s = 0; s < in->image->n_segments; s++) {
		check_segment(&k, &in->image->segments[s]);
		for (i = 0; i < in->n_contents; i++) {
			if (in->contents[i].destination == in->image->segments[s].mem)
				compare_segment(&k, &in->image->segments[s], &in->contents[i]);
		}
	}
}
