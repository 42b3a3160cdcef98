// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/btf.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

#define MAX_DEPTH    16		/* of members in members */
#define MAX_MEMBERS  (1u << 18) /* looked at for one name; a kernel's structures have hundreds */
#define MAX_BYTES    (64u << 20)
#define HEADER_BYTES 24

/* Magic, version, flags, and the length of the header, which never changed. */
static const unsigned char magic[] = {0x9f, 0xeb, 1, 0, HEADER_BYTES, 0, 0, 0};

struct kernel_btf {
	struct btf *btf;
	size_t len;
};

static int silent(enum libbpf_print_level level, const char *fmt, va_list args)
{
	return 0;
}

static uint64_t get32(const unsigned char *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return le32toh(v);
}

/* The whole length as the header has it; 0: no header, or one that promises too much. */
static size_t blob_size(const unsigned char *at, size_t left)
{
	uint64_t type_end, string_end, size;

	if (left < HEADER_BYTES)
		return 0;
	type_end = get32(at + 8) + get32(at + 12);
	string_end = get32(at + 16) + get32(at + 20);
	size = HEADER_BYTES + (type_end > string_end ? type_end : string_end);
	return size <= left && size <= MAX_BYTES && size > HEADER_BYTES ? size : 0;
}

int kernel_btf_read(const void *image, size_t len, struct kernel_btf **ret, struct err *e)
{
	const unsigned char *at = image, *end = at + len;
	int rc = -ENOENT;

	libbpf_set_print(silent);
	while ((at = memmem(at, (size_t)(end - at), magic, sizeof(magic)))) {
		size_t size = blob_size(at, (size_t)(end - at));
		struct btf *btf = size ? btf__new(at, (uint32_t)size) : NULL;

		if (btf) {
			/* A program that a kernel carries may have some of its own. */
			if (btf__find_by_name_kind(btf, "kimage", BTF_KIND_STRUCT) > 0 ||
			    btf__find_by_name_kind(btf, "task_struct", BTF_KIND_STRUCT) > 0) {
				xnew(*ret);
				(*ret)->btf = btf;
				(*ret)->len = size;
				return 0;
			}
			btf__free(btf);
		} else if (size) {
			rc = -EBADMSG;
		}
		at += sizeof(magic);
	}
	if (rc == -ENOENT)
		return err_set(e, ENOENT, "no BTF is in this image (CONFIG_DEBUG_INFO_BTF)");
	return err_set(e, EBADMSG, "what looks like BTF in this image cannot be read");
}

void kernel_btf_free(struct kernel_btf *b)
{
	if (!b)
		return;
	btf__free(b->btf);
	free(b);
}

size_t kernel_btf_bytes(const struct kernel_btf *b)
{
	return b->len;
}

/* --- members ------------------------------------------------------------------ */

static const struct btf_type *resolved(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	unsigned int i;

	for (i = 0; t && i < MAX_DEPTH; i++) {
		if (!btf_is_mod(t) && !btf_is_typedef(t))
			return t;
		t = btf__type_by_id(btf, t->type);
	}
	return NULL;
}

struct search {
	const struct btf *btf;
	const char *name;
	size_t len;
	unsigned int left; /* members to look at: structures may contain themselves */
	uint32_t type;	   /* of what was found */
};

/* Bits from the start of @t to the member. */
static bool find_member(struct search *s, const struct btf_type *t, unsigned int depth,
			uint32_t *ret_bits)
{
	const struct btf_member *m = btf_members(t);
	uint32_t i;

	for (i = 0; i < btf_vlen(t) && s->left; i++) {
		const char *its = btf__name_by_offset(s->btf, m[i].name_off);
		const struct btf_type *inner = resolved(s->btf, m[i].type);
		uint32_t bits = btf_member_bit_offset(t, i);

		s->left--;
		if (its && strlen(its) == s->len && !strncmp(its, s->name, s->len)) {
			*ret_bits = bits;
			s->type = m[i].type;
			return true;
		}
		if ((!its || !*its) && inner && btf_is_composite(inner) && depth < MAX_DEPTH &&
		    find_member(s, inner, depth + 1, ret_bits)) {
			*ret_bits += bits;
			return true;
		}
	}
	return false;
}

int kernel_btf_offset(const struct kernel_btf *b, const char *type, const char *path)
{
	int id = btf__find_by_name_kind(b->btf, type, BTF_KIND_STRUCT);
	const struct btf_type *t = id > 0 ? resolved(b->btf, (uint32_t)id) : NULL;
	uint64_t bits = 0;

	if (!t)
		return KEXEC_ABSENT;
	if (!*path)
		return (int)t->size;
	while (*path) {
		struct search s = {b->btf, path, strcspn(path, "."), .left = MAX_MEMBERS};
		uint32_t more;

		if (!t || !btf_is_composite(t) || !s.len || !find_member(&s, t, 0, &more))
			return KEXEC_ABSENT;
		bits += more;
		t = resolved(b->btf, s.type);
		path += s.len + (path[s.len] == '.');
	}
	return bits % 8 || bits / 8 > INT32_MAX ? KEXEC_ABSENT : (int)(bits / 8);
}

/* clang-format off */
#define KIMAGE(member, path)  {offsetof(struct kexec_layout, kimage.member), "kimage", path}
#define SEGMENT(member, path) {offsetof(struct kexec_layout, segment.member), "kexec_segment", path}
#define PAGE(member, path)    {offsetof(struct kexec_layout, page.member), "page", path}

static const struct kexec_member members[] = {
	KIMAGE(size, ""),
	KIMAGE(head, "head"),
	KIMAGE(start, "start"),
	KIMAGE(control_code_page, "control_code_page"),
	KIMAGE(nr_segments, "nr_segments"),
	KIMAGE(segment, "segment"),
	KIMAGE(segment_cma, "segment_cma"),
	KIMAGE(control_pages, "control_pages"),
	KIMAGE(dtb_mem, "arch.dtb_mem"),
	KIMAGE(kern_reloc, "arch.kern_reloc"),
	KIMAGE(el2_vectors, "arch.el2_vectors"),
	KIMAGE(ttbr0, "arch.ttbr0"),
	KIMAGE(ttbr1, "arch.ttbr1"),
	KIMAGE(zero_page, "arch.zero_page"),
	KIMAGE(phys_offset, "arch.phys_offset"),
	KIMAGE(t0sz, "arch.t0sz"),
	SEGMENT(size, ""),
	SEGMENT(bufsz, "bufsz"),
	SEGMENT(mem, "mem"),
	SEGMENT(memsz, "memsz"),
	PAGE(size, ""),
	PAGE(lru, "lru"),
	PAGE(private, "private"),
};
/* clang-format on */

const struct kexec_member *kexec_member_at(size_t i)
{
	return i < ARRAY_SIZE(members) ? &members[i] : NULL;
}

int kexec_member_value(const struct kexec_layout *l, const struct kexec_member *m)
{
	int v;

	memcpy(&v, (const char *)l + m->at, sizeof(v));
	return v;
}

void kexec_layout_from_btf(const struct kernel_btf *b, struct kexec_layout *ret)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(members); i++) {
		int v = kernel_btf_offset(b, members[i].type, members[i].path);

		memcpy((char *)ret + members[i].at, &v, sizeof(v));
	}
}
