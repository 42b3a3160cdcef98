// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/table_edit.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "probe/table_content.h"

#define INSTRUCTION_SELF 0x14000000u /* B . */
#define INSTRUCTION_UDF	 0u

#define IMAGE_TEXT_AT	 65536

struct target {
	const struct table_check_input *in;
	const struct table_check *c;
	uint64_t seed;
	struct table_edit *edit;
};

static int read_old(struct target *t, uint64_t address, size_t len)
{
	t->edit->address = address;
	t->edit->len = len;
	return phys_memory_read(t->in->memory, address, t->edit->old, len);
}

static int put(struct target *t, uint64_t address, const void *new, size_t len)
{
	memcpy(t->edit->new, new, len);
	return read_old(t, address, len);
}

static void names(struct target *t, enum table_role role, uint64_t page)
{
	t->edit->role = role;
	t->edit->page = page;
}

/* The copy that @seed picks; its page is somewhere in the middle of things. */
static const struct kimage_copy *pick(const struct target *t)
{
	const struct kimage_list *l = &t->c->list;

	return l->n_copies ? &l->copies[t->seed % l->n_copies] : NULL;
}

/* Clears the descriptor that maps @page where the relocation wants it, or @protect-s it. */
static int edit_mapping(struct target *t, enum table_role role, uint64_t page, bool protect)
{
	bool identity = role == TABLE_ROLE_RELOCATION;
	struct arm64_leaf leaf;
	uint64_t new = 0;

	arm64_walk(identity ? &t->c->lower : &t->c->upper,
		   identity ? page : page - t->in->image->phys_offset, &leaf);
	if (leaf.result != ARM64_MAPPED ||
	    (protect && !arm64_read_only(&t->c->upper, leaf.descriptor, &new)))
		return -ENOENT;
	new = htole64(new);
	names(t, role, page);
	return put(t, leaf.descriptor_address, &new, sizeof(new));
}

static int unmap_indirection(struct target *t)
{
	const struct kimage_list *l = &t->c->list;

	if (!l->n_indirections)
		return -ENOENT;
	return edit_mapping(t, TABLE_ROLE_INDIRECTION,
			    l->indirections[t->seed % l->n_indirections].page, false);
}

/* The level 2 descriptor above a page: a table, or a block itself. */
static int unmap_block(struct target *t)
{
	const struct kimage_copy *copy = pick(t);
	const uint64_t zero = 0;
	uint64_t at;

	if (!copy || !arm64_descriptor_at(&t->c->upper,
					  copy->destination - t->in->image->phys_offset, 2, &at))
		return -ENOENT;
	names(t, TABLE_ROLE_DESTINATION, copy->destination);
	return put(t, at, &zero, sizeof(zero));
}

static int edit_instruction(struct target *t, enum table_role role, uint64_t address,
			    uint32_t instruction)
{
	uint64_t at =
		role == TABLE_ROLE_RELOCATION ? address : table_content_now(&t->c->list, address);
	uint32_t word = htole32(instruction);

	names(t, role, at);
	return put(t, at, &word, sizeof(word));
}

static int edit_purgatory(struct target *t, uint32_t instruction)
{
	const struct kexec_image *i = t->in->image;
	const struct kexec_segment *k = table_content_kernel(t->in->memory, i, &t->c->list);

	if (k && i->start - k->mem < k->memsz)
		return -ENOENT; /* the kernel is entered without one */
	return edit_instruction(t, TABLE_ROLE_PURGATORY, i->start, instruction);
}

static int edit_entry(struct target *t, uint32_t instruction)
{
	const struct kexec_segment *k =
		table_content_kernel(t->in->memory, t->in->image, &t->c->list);

	return k ? edit_instruction(t, TABLE_ROLE_ENTRY, k->mem, instruction) : -ENOENT;
}

/* Part of the new kernel, from where its text begins: 64K into an Image. */
static int corrupt_source(struct target *t)
{
	const struct kexec_segment *k =
		table_content_kernel(t->in->memory, t->in->image, &t->c->list);
	uint64_t pages, i;

	if (!k || k->bufsz < 2 * IMAGE_TEXT_AT)
		return -ENOENT;
	pages = (k->bufsz - IMAGE_TEXT_AT) / t->c->list.page_bytes;
	for (i = 0; i < pages; i++) {
		uint64_t offset = (t->seed + i) % pages * t->c->list.page_bytes;
		uint64_t at = table_content_now(&t->c->list, k->mem + IMAGE_TEXT_AT + offset);

		names(t, TABLE_ROLE_SOURCE, at);
		if (read_old(t, at, TABLE_EDIT_MAX))
			return -ENOENT;
		/* Zeroes in the place of zeroes are no fault. */
		if (memcmp(t->edit->old, t->edit->new, TABLE_EDIT_MAX) != 0)
			return 0;
	}
	return -ENOENT;
}

static int compute(struct target *t, enum inject fault)
{
	const struct kimage_copy *copy = pick(t);

	switch (fault) {
	case INJECT_UNMAP_SOURCE:
		return copy ? edit_mapping(t, TABLE_ROLE_SOURCE, copy->source, false) : -ENOENT;
	case INJECT_UNMAP_DESTINATION:
		return copy ? edit_mapping(t, TABLE_ROLE_DESTINATION, copy->destination, false)
			    : -ENOENT;
	case INJECT_READONLY_DESTINATION:
		return copy ? edit_mapping(t, TABLE_ROLE_DESTINATION, copy->destination, true)
			    : -ENOENT;
	case INJECT_UNMAP_INDIRECTION:
		return unmap_indirection(t);
	case INJECT_UNMAP_BLOCK:
		return unmap_block(t);
	case INJECT_UNMAP_CONTROL:
		return edit_mapping(t, TABLE_ROLE_RELOCATION, t->in->image->kern_reloc, false);
	case INJECT_SPIN_RELOCATION:
		return edit_instruction(t, TABLE_ROLE_RELOCATION, t->in->image->kern_reloc,
					INSTRUCTION_SELF);
	case INJECT_UNDEF_RELOCATION:
		return edit_instruction(t, TABLE_ROLE_RELOCATION, t->in->image->kern_reloc,
					INSTRUCTION_UDF);
	case INJECT_SPIN_PURGATORY:
		return edit_purgatory(t, INSTRUCTION_SELF);
	case INJECT_UNDEF_PURGATORY:
		return edit_purgatory(t, INSTRUCTION_UDF);
	case INJECT_SPIN_ENTRY:
		return edit_entry(t, INSTRUCTION_SELF);
	case INJECT_UNDEF_ENTRY:
		return edit_entry(t, INSTRUCTION_UDF);
	case INJECT_CORRUPT_SOURCE:
		return corrupt_source(t);
	case INJECT_NONE:
	case INJECT_STOP_CPU:
		break;
	}
	return -ENOTSUP;
}

int table_edit(const struct table_check_input *in, const struct table_check *c, enum inject fault,
	       uint64_t seed, struct table_edit *ret, struct err *e)
{
	struct target t = {in, c, seed, ret};
	int rc;

	*ret = (struct table_edit){0};
	rc = compute(&t, fault);
	if (rc == -ENOTSUP)
		return err_set(e, ENOTSUP, "'%s' is no edit of memory", inject_names[fault]);
	if (rc)
		return err_set(e, ENOENT, "this kexec has no page for '%s'", inject_names[fault]);
	return 0;
}
