// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/kernel_map.h"

#include <endian.h>
#include <string.h>

#include "base/alloc.h"
#include "probe/instruction.h"
#include "probe/relocate_code.h"

#define HEADER_BYTES	  64
#define HEADER_IMAGE_SIZE 16 /* offset of image_size in the header */

#define SEARCH_MAX	  0x400 /* instructions of __primary_switch are within */
#define VECTORS_ALIGN	  2048
#define IMAGE_ALIGN	  4096

struct bytes {
	const unsigned char *data;
	size_t len;
};

static bool word_at(struct bytes image, uint64_t at, uint32_t *ret)
{
	uint32_t v;

	if (at % 4 || at > image.len || image.len - at < sizeof(v))
		return false;
	memcpy(&v, image.data + at, sizeof(v));
	*ret = le32toh(v);
	return true;
}

static uint64_t header_size(struct bytes image)
{
	uint64_t v;

	if (image.len < HEADER_BYTES)
		return 0;
	memcpy(&v, image.data + HEADER_IMAGE_SIZE, sizeof(v));
	return le64toh(v);
}

bool kernel_map_symbol(const struct kernel_map *m, const char *name, uint64_t *ret_offset)
{
	const struct kallsyms_symbol *s = m->symbols ? kallsyms_find(m->symbols, name) : NULL;

	if (!s || s->offset < 0)
		return false;
	*ret_offset = (uint64_t)s->offset;
	return true;
}

/* Its first page need not be mapped, and the vectors are everywhere: some code behind them. */
#define CODE_BEHIND_VECTORS 0x100000

bool kernel_map_is_mapped(const struct kernel_map *m, const struct arm64_tables *live,
			  uint64_t base)
{
	struct arm64_leaf leaf;

	if (!base)
		return false;
	arm64_walk(live, base + m->vectors + CODE_BEHIND_VECTORS, &leaf);
	return leaf.result == ARM64_MAPPED;
}

/*
 * __primary_switch calls __enable_mmu, maps the kernel and branches to
 * __primary_switched through a register.
 */
static void find_head(struct kernel_map *m, struct bytes image)
{
	uint64_t at, end, enable, to;
	uint32_t word;

	if (!kernel_map_symbol(m, "__primary_switch", &at) ||
	    !kernel_map_symbol(m, "__enable_mmu", &enable))
		return;
	for (end = at + SEARCH_MAX; at < end && word_at(image, at, &word); at += 4) {
		if (instruction_is_bl(word, at, &to) && to == enable) {
			m->mmu_on = at + 4;
		} else if (m->mmu_on && instruction_is_br(word, &m->branch_register)) {
			m->branch = at;
			return;
		}
	}
	m->mmu_on = 0;
}

static bool relocate_symbols(const struct kernel_map *m, struct bytes image, uint64_t *ret_offset,
			     size_t *ret_bytes)
{
	uint64_t end;

	if (!kernel_map_symbol(m, "__relocate_new_kernel_start", ret_offset) ||
	    !kernel_map_symbol(m, "__relocate_new_kernel_end", &end) || end <= *ret_offset ||
	    end > image.len || end - *ret_offset > RELOCATE_CODE_MAX)
		return false;
	*ret_bytes = end - *ret_offset;
	return true;
}

static void find_relocate(struct kernel_map *m, struct bytes image)
{
	uint64_t offset;
	size_t bytes;

	if (!relocate_symbols(m, image, &offset, &bytes) &&
	    !relocate_code_find(image.data, image.len, &m->kexec, &offset, &bytes))
		return;
	m->relocate = offset;
	m->relocate_bytes = bytes;
	m->relocate_code = xmalloc(bytes);
	memcpy(m->relocate_code, image.data + offset, bytes);
}

static void read_types(struct kernel_map *m, struct bytes image)
{
	struct kernel_btf *btf __free(kernel_btf) = NULL;
	struct err e __free_err = ERR_INIT;

	/* Every member is an int. */
	memset(&m->kexec, 0xff, sizeof(m->kexec));
	if (kernel_btf_read(image.data, image.len, &btf, &e)) {
		m->why_no_types = xstrdup(err_msg(&e));
		return;
	}
	m->btf_bytes = kernel_btf_bytes(btf);
	kexec_layout_from_btf(btf, &m->kexec);
}

struct kernel_map *kernel_map_read(const void *data, size_t len)
{
	struct bytes image = {data, len};
	struct err e __free_err = ERR_INIT;
	struct kernel_map *m;

	xnew(m);
	m->image_bytes = header_size(image);
	if (kallsyms_read(data, len, &m->symbols, &e))
		m->why_no_symbols = xstrdup(err_msg(&e));
	kernel_map_symbol(m, "vectors", &m->vectors);
	find_head(m, image);
	read_types(m, image);
	find_relocate(m, image);
	return m;
}

void kernel_map_free(struct kernel_map *m)
{
	if (!m)
		return;
	kallsyms_free(m->symbols);
	free(m->relocate_code);
	free(m->why_no_symbols);
	free(m->why_no_types);
	free(m);
}

uint64_t kernel_map_base(const struct kernel_map *m, uint64_t vbar)
{
	uint64_t base = vbar - m->vectors;

	if (!m->vectors || vbar < m->vectors || vbar % VECTORS_ALIGN || base % IMAGE_ALIGN)
		return 0;
	return base;
}

bool kernel_map_name(const struct kernel_map *m, uint64_t base, uint64_t address, char *buf,
		     size_t size)
{
	const struct kallsyms_symbol *s;
	uint64_t offset = address - base;

	if (!m->symbols || address < base || offset >= m->image_bytes)
		return false;
	s = kallsyms_at(m->symbols, (int64_t)offset);
	if (!s)
		return false;
	/* Behind all code, where a kernel without CONFIG_KALLSYMS_ALL has no names. */
	if ((int64_t)offset >= m->symbols->text_end &&
	    (s->offset < m->symbols->text_end || !strcmp(s->name, "_etext")))
		return false;
	snprintf(buf, size, "%s+0x%llx", s->name,
		 (unsigned long long)(offset - (uint64_t)s->offset));
	return true;
}
