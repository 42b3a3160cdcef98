// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * images_symbols.c - `kjump images symbols`: what a kernel's Image tells a
 * debugger, and names for its addresses.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "cmd/images.h"
#include "probe/kernel_map.h"

#define MAX_IMAGE_BYTES (512u << 20)
#define NAME_SIZE	640 /* of symbol+0x..., which a kernel keeps below 512 */

struct question {
	const struct kernel_map *map;
	uint64_t base; /* of the kernel that runs; 0: addresses count from _text */
	bool json;
	struct json *answers; /* with @json, or */
	struct buf *out;
};

/* "0x..." as a whole. */
static bool parse_address(const char *text, uint64_t *ret)
{
	char *end;

	if (strncmp(text, "0x", 2) || !text[2] ||
	    strspn(text + 2, "0123456789abcdefABCDEF") != strlen(text + 2))
		return false;
	errno = 0;
	*ret = strtoull(text, &end, 16);
	return !errno;
}

static void set_hex(struct json *j, const char *key, uint64_t v)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, v);
	json_set_str(j, key, text);
}

/* --- what was asked ------------------------------------------------------------ */

static void answer(struct question *q, uint64_t address, char type, const char *name)
{
	if (q->json) {
		struct json *j = json_new_object();
		const char text[] = {type, 0};

		set_hex(j, "address", address);
		json_set_str(j, "type", type ? text : NULL);
		json_set_str(j, "name", name);
		json_push(q->answers, j);
		return;
	}
	buf_addf(q->out, "0x%016" PRIx64 " %c ", address, type ? type : ' ');
	text_escape(q->out, name, strlen(name));
	buf_addch(q->out, '\n');
}

static bool answer_address(struct question *q, uint64_t address, const char *typed)
{
	char name[NAME_SIZE];

	if (!kernel_map_name(q->map, q->base, address, name, sizeof(name))) {
		log_error("nothing of this kernel is at %s", typed);
		return false;
	}
	answer(q, address, 0, name);
	return true;
}

static bool answer_symbols(struct question *q, const char *pattern)
{
	const struct kallsyms *k = q->map->symbols;
	const char **names, *near;
	bool found = false;
	size_t i;

	for (i = 0; i < k->n; i++) {
		if (!text_match(pattern, k->symbols[i].name))
			continue;
		answer(q, q->base + (uint64_t)k->symbols[i].offset, k->symbols[i].type,
		       k->symbols[i].name);
		found = true;
	}
	if (found)
		return true;
	names = xcalloc(k->n + 1, sizeof(*names));
	for (i = 0; i < k->n; i++)
		names[i] = k->symbols[i].name;
	near = text_nearest(pattern, names, k->n);
	log_error("no symbol '%s'%s%s%s", pattern, near ? "; did you mean '" : "", near ? near : "",
		  near ? "'?" : "");
	free(names);
	return false;
}

static bool answer_all(struct question *q, char *const *asked, size_t n)
{
	bool good = true;
	uint64_t address;
	size_t i;

	if (n && !q->map->symbols) {
		log_error("%s", q->map->why_no_symbols);
		return false;
	}
	for (i = 0; i < n; i++) {
		if (parse_address(asked[i], &address))
			good = answer_address(q, address, asked[i]) && good;
		else
			good = answer_symbols(q, asked[i]) && good;
	}
	return good;
}

/* --- the kernel as a whole ------------------------------------------------------- */

struct place {
	const char *key, *label;
	uint64_t offset; /* 0: not known */
};

#define N_PLACES 4

static void find_places(const struct kernel_map *m, struct place ret[N_PLACES])
{
	ret[0] = (struct place){"vectors", "exception vectors", m->vectors};
	ret[1] = (struct place){"relocate", "code that kexec copies", m->relocate};
	ret[2] = (struct place){"mmu_on", "head: MMU is on", m->mmu_on};
	ret[3] = (struct place){"branch", "head: to the kernel", m->branch};
}

static void print_places(const struct question *q)
{
	struct place places[N_PLACES];
	size_t i;

	find_places(q->map, places);
	for (i = 0; i < N_PLACES; i++) {
		char name[NAME_SIZE];

		buf_addf(q->out, "  %-24s", places[i].label);
		if (!places[i].offset) {
			buf_adds(q->out, "not known\n");
			continue;
		}
		buf_addf(q->out, "0x%" PRIx64, q->base + places[i].offset);
		if (kernel_map_name(q->map, 0, places[i].offset, name, sizeof(name))) {
			buf_adds(q->out, "  ");
			text_escape(q->out, name, strlen(name));
		}
		if (places[i].offset == q->map->relocate)
			buf_addf(q->out, ", %zu bytes", q->map->relocate_bytes);
		if (places[i].offset == q->map->branch)
			buf_addf(q->out, ", br x%u", q->map->branch_register);
		buf_addch(q->out, '\n');
	}
}

static void print_types(const struct question *q)
{
	const struct kexec_member *m;
	const char *last = NULL;
	size_t i;

	if (!q->map->btf_bytes) {
		buf_addf(q->out, "  types                   %s\n", q->map->why_no_types);
		return;
	}
	buf_addf(q->out, "  types                   %zu bytes of BTF", q->map->btf_bytes);
	for (i = 0; (m = kexec_member_at(i)); i++) {
		int v = kexec_member_value(&q->map->kexec, m);

		if (!last || strcmp(last, m->type))
			buf_addf(q->out, "\n  struct %s\n   ", m->type);
		last = m->type;
		if (v == KEXEC_ABSENT)
			buf_addf(q->out, " %s absent", *m->path ? m->path : "size");
		else
			buf_addf(q->out, " %s %d", *m->path ? m->path : "size", v);
	}
	buf_addch(q->out, '\n');
}

static void print_facts(const struct question *q, const struct kernel_files *f)
{
	text_escape(q->out, f->release, strlen(f->release));
	buf_addf(q->out, "\n  Image                   %s\n", f->digest);
	buf_addf(q->out, "  takes in memory         %" PRIu64 " bytes\n", q->map->image_bytes);
	if (q->map->symbols)
		buf_addf(q->out, "  symbols                 %zu, out of its kallsyms tables\n",
			 q->map->symbols->n);
	else
		buf_addf(q->out, "  symbols                 %s\n", q->map->why_no_symbols);
	print_places(q);
	print_types(q);
}

static struct json *types_json(const struct kernel_map *map)
{
	struct json *types = json_new_object();
	const struct kexec_member *m;
	size_t i;

	for (i = 0; (m = kexec_member_at(i)); i++) {
		int v = kexec_member_value(&map->kexec, m);

		if (!json_get(types, m->type))
			json_set(types, m->type, json_new_object());
		json_set(json_get(types, m->type), *m->path ? m->path : "size",
			 v == KEXEC_ABSENT ? NULL : json_new_int(v));
	}
	return types;
}

static void set_facts(struct json *root, const struct question *q, const struct kernel_files *f)
{
	const struct kernel_map *m = q->map;
	struct json *at = json_new_object();
	struct place places[N_PLACES];
	size_t i;

	json_set_str(root, "release", f->release);
	json_set_str(root, "digest", f->digest);
	json_set_int(root, "memory_bytes", (int64_t)m->image_bytes);
	json_set_int(root, "symbols", m->symbols ? (int64_t)m->symbols->n : 0);
	json_set_str(root, "why_no_symbols", m->why_no_symbols);
	json_set_int(root, "btf_bytes", (int64_t)m->btf_bytes);
	json_set_str(root, "why_no_types", m->why_no_types);
	find_places(m, places);
	for (i = 0; i < N_PLACES; i++) {
		if (places[i].offset)
			set_hex(at, places[i].key, q->base + places[i].offset);
		else
			json_set(at, places[i].key, NULL);
	}
	json_set(root, "at", at);
	json_set_int(root, "relocate_bytes", (int64_t)m->relocate_bytes);
	json_set(root, "branch_register", m->branch ? json_new_int(m->branch_register) : NULL);
	json_set(root, "types", types_json(m));
}

/* --- the command ------------------------------------------------------------------ */

static bool find_base(const struct images *im, const struct kernel_map *m, uint64_t *ret)
{
	const char *typed = im->base ? im->base : im->vbar;

	*ret = 0;
	if (!typed)
		return true;
	if (im->base && im->vbar) {
		log_error("--base and --vbar say the same thing: give one of them");
		return false;
	}
	if (!parse_address(typed, ret)) {
		log_error("'%s' is not an address (0x...)", typed);
		return false;
	}
	if (im->base)
		return true;
	*ret = kernel_map_base(m, *ret);
	if (!*ret)
		log_error("%s is not where this kernel's exception vectors can be", typed);
	return *ret != 0;
}

static enum exit_status read_kernel(struct images *im, struct kernel_files **ret_files,
				    struct kernel_map **ret_map)
{
	enum exit_status status = images_begin(im, false);
	struct buf image __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	const struct kernel_spec *k;

	if (status != EXIT_EXPECTED)
		return status;
	k = images_find(im, im->names[0]);
	if (!k)
		return EXIT_USAGE;
	if (image_kernel_cached(im->ctx, k, ret_files, &e)) {
		log_error("%s: %s (kjump images fetch %s)", k->name, err_msg(&e), k->name);
		return EXIT_INFRA;
	}
	if (file_read((*ret_files)->image, MAX_IMAGE_BYTES, &image, &e)) {
		log_error("%s", err_msg(&e));
		return EXIT_INFRA;
	}
	*ret_map = kernel_map_read(image.data, image.len);
	return EXIT_EXPECTED;
}

enum exit_status images_symbols(struct images *im)
{
	struct kernel_files *files __free(kernel_files) = NULL;
	struct kernel_map *map __free(kernel_map) = NULL;
	struct json *root __free(json) = json_new_object();
	struct buf out __free_buf = BUF_INIT;
	struct question q = {.json = im->json, .out = &out, .answers = json_new_array()};
	enum exit_status status;
	bool good;

	json_set(root, "found", q.answers);
	if (!im->n_names) {
		log_error("of which kernel? kjump images list names them");
		return EXIT_USAGE;
	}
	status = read_kernel(im, &files, &map);
	if (status != EXIT_EXPECTED)
		return status;
	q.map = map;
	if (!find_base(im, map, &q.base))
		return EXIT_USAGE;
	good = answer_all(&q, im->names + 1, im->n_names - 1);
	if (im->json) {
		set_facts(root, &q, files);
		json_print(root, true, &out);
		buf_addch(&out, '\n');
	} else if (im->n_names == 1) {
		print_facts(&q, files);
	}
	fwrite(out.data, 1, out.len, stdout);
	return good ? EXIT_EXPECTED : EXIT_USAGE;
}
