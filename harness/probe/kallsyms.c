// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/kallsyms.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "probe/instruction.h"

#define N_TOKENS       256
#define TOKEN_INDEX    (N_TOKENS * 2)
#define PER_MARKER     256
#define MAX_SYMBOLS    (1u << 20)
#define MAX_NAME       1024 /* expanded, with its type; the kernel's own limit is 512 */
#define MAX_ENCODED    1024 /* bytes of one name with its length */
#define SEQUENCE_BYTES 3
#define MAX_ALIGN      8

/* Where the tables are in the image, as offsets. */
struct tables {
	const unsigned char *image;
	size_t len;
	size_t tokens;	/* kallsyms_token_table */
	size_t index;	/* kallsyms_token_index */
	size_t markers; /* kallsyms_markers */
	size_t n_markers;
	size_t names; /* kallsyms_names */
	size_t count; /* kallsyms_num_syms: the place of it, */
	size_t n;     /* and what it says */
};

static uint16_t get16(const struct tables *t, size_t at)
{
	uint16_t v;

	memcpy(&v, t->image + at, sizeof(v));
	return le16toh(v);
}

static uint32_t get32(const struct tables *t, size_t at)
{
	uint32_t v;

	memcpy(&v, t->image + at, sizeof(v));
	return le32toh(v);
}

/* --- tokens: 256 strings one after the other, and an array of where each begins --- */

/* 256 rising numbers from 0. */
static bool is_index(const struct tables *t, size_t at)
{
	unsigned int i, before = 0;

	if (get16(t, at))
		return false;
	for (i = 1; i < N_TOKENS; i++) {
		unsigned int v = get16(t, at + 2 * i);

		if (v <= before)
			return false;
		before = v;
	}
	return true;
}

/* Every token but the first comes right behind the NUL of its predecessor. */
static bool tokens_fit(const struct tables *t, size_t tokens, size_t index)
{
	unsigned int i;

	for (i = 1; i < N_TOKENS; i++) {
		size_t at = tokens + get16(t, index + 2 * i);
		size_t before = tokens + get16(t, index + 2 * (i - 1));

		if (t->image[at - 1] || memchr(t->image + before, 0, at - 1 - before))
			return false;
	}
	return true;
}

/* The strings end right before the index, but for what aligns that. */
static bool find_tokens(struct tables *t, size_t index)
{
	size_t last = get16(t, index + 2 * (N_TOKENS - 1)), pad;

	for (pad = 0; pad < MAX_ALIGN && pad + 1 < index && !t->image[index - 1 - pad]; pad++) {
		size_t end = index - 1 - pad, start = end;

		while (start > 0 && end - start < MAX_NAME && t->image[start - 1])
			start--;
		if (start >= last && tokens_fit(t, start - last, index)) {
			t->tokens = start - last;
			t->index = index;
			return true;
		}
	}
	return false;
}

/* --- markers: where every 256th name begins --------------------------------------- */

/* How many rising numbers there are from a 0 on; a step is what 256 names take. */
static size_t count_markers(const struct tables *t, size_t at)
{
	uint32_t before = 0;
	size_t n = 1;

	while (at + 4 * (n + 1) <= t->tokens) {
		uint32_t v = get32(t, at + 4 * n);

		if (v <= before || v - before > PER_MARKER * MAX_ENCODED ||
		    v - before < PER_MARKER * 2)
			break;
		before = v;
		n++;
	}
	return n;
}

/* Between markers and tokens there is nothing, or the numbers that sort the names. */
static bool gap_fits(const struct tables *t, size_t end, size_t n_markers)
{
	size_t gap = t->tokens - end;

	return gap < MAX_ALIGN || (gap > (n_markers - 1) * PER_MARKER * SEQUENCE_BYTES &&
				   gap <= n_markers * PER_MARKER * SEQUENCE_BYTES + 2 * MAX_ALIGN);
}

/* --- names: each a length and so many tokens --------------------------------------- */

/* The length of an encoded name at @at and where its tokens begin; 0: none fits there. */
static size_t name_length(const struct tables *t, size_t at, size_t end, size_t *ret_tokens)
{
	size_t len;

	if (at + 2 > end)
		return 0;
	len = t->image[at++];
	if (len & 0x80)
		len = (len & 0x7f) | (size_t)t->image[at++] << 7;
	*ret_tokens = at;
	return len && len < MAX_ENCODED && at + len <= end ? len : 0;
}

/* All @t->n names are there and every marker says where its own begins. */
static bool names_fit(const struct tables *t)
{
	size_t at = t->names, i, len, tokens;

	for (i = 0; i < t->n; i++) {
		if (i % PER_MARKER == 0 &&
		    get32(t, t->markers + i / PER_MARKER * 4) != at - t->names)
			return false;
		len = name_length(t, at, t->markers, &tokens);
		if (!len)
			return false;
		at = tokens + len;
	}
	return t->markers - at < MAX_ALIGN;
}

/* Their number stands before them, and the last marker says how far away that is. */
static bool find_names(struct tables *t)
{
	size_t last = get32(t, t->markers + 4 * (t->n_markers - 1)), back;
	size_t high = t->markers - last, low;

	if (last > t->markers)
		return false;
	low = high > PER_MARKER * MAX_ENCODED ? high - PER_MARKER * MAX_ENCODED : MAX_ALIGN;
	for (t->names = high & ~(size_t)3; t->names >= low && t->names >= MAX_ALIGN;
	     t->names -= 4) {
		for (back = 4; back <= MAX_ALIGN; back += 4) {
			t->count = t->names - back;
			t->n = get32(t, t->count);
			if (t->n > (t->n_markers - 1) * PER_MARKER &&
			    t->n <= t->n_markers * PER_MARKER && names_fit(t))
				return true;
		}
	}
	return false;
}

static bool find_markers(struct tables *t)
{
	size_t at = (t->tokens - 4) & ~(size_t)3;
	const size_t low = at > MAX_SYMBOLS * 4 ? at - MAX_SYMBOLS * 4 : MAX_ALIGN;

	for (; at > low; at -= 4) {
		if (get32(t, at))
			continue;
		t->n_markers = count_markers(t, at);
		if (t->n_markers < 2 || t->n_markers * PER_MARKER > MAX_SYMBOLS ||
		    !gap_fits(t, at + 4 * t->n_markers, t->n_markers))
			continue;
		t->markers = at;
		if (find_names(t))
			return true;
	}
	return false;
}

/* Each candidate is cheap to refuse, but a hostile image may be made of them. */
#define MAX_CANDIDATES 64

static int find_tables(struct tables *t, struct err *e)
{
	unsigned int candidates = 0;
	size_t at;

	for (at = 0; at + TOKEN_INDEX <= t->len; at += 4) {
		if (!is_index(t, at) || !find_tokens(t, at))
			continue;
		if (find_markers(t))
			return 0;
		if (++candidates == MAX_CANDIDATES)
			break;
	}
	return err_set(e, EBADMSG, "no symbol table is in this image (CONFIG_KALLSYMS)");
}

/* --- symbols ------------------------------------------------------------------------ */

/* The name of @len tokens at @at, expanded; 0: longer than one can be. */
static size_t expand(const struct tables *t, size_t at, size_t len, char *name)
{
	size_t n = 0, i;

	for (i = 0; i < len; i++) {
		const unsigned char *token =
			t->image + t->tokens + get16(t, t->index + 2 * t->image[at + i]);
		size_t size = strlen((const char *)token);

		if (n + size >= MAX_NAME)
			return 0;
		memcpy(name + n, token, size);
		n += size;
	}
	name[n] = '\0';
	return n;
}

static int read_names(const struct tables *t, struct kallsyms *k)
{
	size_t at = t->names, i, used = 0, size = 0, len, n;
	char name[MAX_NAME];

	k->symbols = xcalloc(t->n, sizeof(*k->symbols));
	k->n = t->n;
	for (i = 0; i < t->n; i++) {
		len = name_length(t, at, t->markers, &at);
		n = expand(t, at, len, name);
		if (n < 2)
			return -EBADMSG;
		at += len;
		if (used + n > size) {
			size = (used + n) * 2;
			k->pool = xreallocarray(k->pool, size, 1);
		}
		k->symbols[i].type = name[0];
		k->symbols[i].offset = (int64_t)used; /* for now: the pool may still move */
		memcpy(k->pool + used, name + 1, n);
		used += n;
	}
	for (i = 0; i < t->n; i++)
		k->symbols[i].name = k->pool + k->symbols[i].offset;
	return 0;
}

/* --- addresses ----------------------------------------------------------------------- */

/*
 * The Image's header branches to one symbol: what fits in all the rest must have
 * it at that very offset.
 */
#define ANCHOR "primary_entry"

static bool find_anchor(const struct tables *t, const struct kallsyms *k, size_t *ret_i,
			int64_t *ret_offset)
{
	uint64_t to;
	size_t i;

	if (!instruction_is_b(get32(t, 0), 0, &to) && !instruction_is_b(get32(t, 4), 4, &to))
		return false;
	*ret_offset = (int64_t)to;
	for (i = 0; i < k->n; i++) {
		if (!strcmp(k->symbols[i].name, ANCHOR)) {
			*ret_i = i;
			return true;
		}
	}
	return false;
}

/* Are those at @at offsets to some base? They rise, as symbols are sorted by address. */
static bool take_relative_to_base(const struct tables *t, size_t at, size_t anchor,
				  int64_t anchor_offset, struct kallsyms *k)
{
	int64_t base;
	size_t i;

	if (at + 4 * k->n > t->len)
		return false;
	for (i = 1; i < k->n; i++) {
		if (get32(t, at + 4 * i) < get32(t, at + 4 * (i - 1)))
			return false;
	}
	base = anchor_offset - get32(t, at + 4 * anchor);
	for (i = 0; i < k->n; i++)
		k->symbols[i].offset = base + get32(t, at + 4 * i);
	/* The base is _text, or not far behind it. */
	return base >= 0 && base < (int64_t)t->len;
}

/* Since 7.0 each is relative to where it stands itself. */
static bool take_relative_to_self(const struct tables *t, size_t at, size_t anchor,
				  int64_t anchor_offset, struct kallsyms *k)
{
	int64_t before = INT64_MIN;
	size_t i;

	if (at + 4 * k->n > t->len)
		return false;
	for (i = 0; i < k->n; i++) {
		int64_t offset = (int64_t)(at + 4 * i) + (int32_t)get32(t, at + 4 * i);

		if (offset < before)
			return false;
		k->symbols[i].offset = before = offset;
	}
	return k->symbols[anchor].offset == anchor_offset;
}

static int read_offsets(const struct tables *t, struct kallsyms *k, struct err *e)
{
	size_t anchor, after = t->index + TOKEN_INDEX, before, pad;
	int64_t offset;

	if (!find_anchor(t, k, &anchor, &offset))
		return err_set(e, EBADMSG, "the header does not branch to " ANCHOR);
	for (pad = 0; pad < MAX_ALIGN; pad += 4) {
		if (take_relative_to_self(t, after + pad, anchor, offset, k) ||
		    take_relative_to_base(t, after + pad, anchor, offset, k))
			return 0;
	}
	/* Up to 6.3 before the names: the offsets, what aligns, the base, the number. */
	for (pad = 0; pad <= 2 * MAX_ALIGN; pad += 4) {
		before = 4 * k->n + pad + 8;
		if (t->count >= before &&
		    take_relative_to_base(t, t->count - before, anchor, offset, k))
			return 0;
	}
	return err_set(e, EBADMSG, "the symbols' addresses are arranged in an unknown way");
}

static bool is_code(const struct kallsyms_symbol *s)
{
	return s->type == 't' || s->type == 'T' || s->type == 'w' || s->type == 'W';
}

static void find_text_end(struct kallsyms *k)
{
	const struct kallsyms_symbol *end = kallsyms_find(k, "_etext");
	size_t i;

	if (end)
		k->text_end = end->offset;
	for (i = k->n; !end && i-- > 0;) {
		if (is_code(&k->symbols[i])) {
			k->text_end = k->symbols[i].offset;
			break;
		}
	}
}

int kallsyms_read(const void *image, size_t len, struct kallsyms **ret, struct err *e)
{
	struct kallsyms *k __free(kallsyms) = NULL;
	struct tables t = {.image = image, .len = len};
	int rc;

	if (len < 64)
		return err_set(e, EBADMSG, "no symbol table is in an image of %zu bytes", len);
	rc = find_tables(&t, e);
	if (rc)
		return rc;
	xnew(k);
	if (read_names(&t, k))
		return err_set(e, EBADMSG, "a symbol's name is longer than the kernel allows");
	rc = read_offsets(&t, k, e);
	if (rc)
		return rc;
	find_text_end(k);
	*ret = steal_ptr(k);
	return 0;
}

void kallsyms_free(struct kallsyms *k)
{
	if (!k)
		return;
	free(k->symbols);
	free(k->pool);
	free(k);
}

const struct kallsyms_symbol *kallsyms_find(const struct kallsyms *k, const char *name)
{
	size_t i;

	for (i = 0; i < k->n; i++) {
		if (!strcmp(k->symbols[i].name, name))
			return &k->symbols[i];
	}
	return NULL;
}

/* A name that a person gave has no mark before it; of two that have, the shorter says as much. */
static bool better(const struct kallsyms_symbol *a, const struct kallsyms_symbol *b)
{
	bool mapping_a = a->name[0] == '$', mapping_b = b->name[0] == '$';
	size_t marks_a = strspn(a->name, "_"), marks_b = strspn(b->name, "_");

	if (is_code(a) != is_code(b))
		return is_code(a);
	if (mapping_a != mapping_b)
		return mapping_b;
	if (marks_a != marks_b)
		return marks_a < marks_b;
	return strlen(a->name) < strlen(b->name);
}

const struct kallsyms_symbol *kallsyms_at(const struct kallsyms *k, int64_t offset)
{
	const struct kallsyms_symbol *best;
	size_t low = 0, high = k->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (k->symbols[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	best = &k->symbols[--low];
	while (low-- > 0 && k->symbols[low].offset == best->offset) {
		if (better(&k->symbols[low], best))
			best = &k->symbols[low];
	}
	return best;
}
