// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/kimage_list.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"

#define IND_DESTINATION 1
#define IND_INDIRECTION 2
#define IND_DONE	4
#define IND_SOURCE	8

const char *const kimage_end_names[N_KIMAGE_ENDS] = {
	[KIMAGE_UNREADABLE] = "has an entry outside of RAM",
	[KIMAGE_NO_FLAG] = "has an entry without a meaning",
	[KIMAGE_NOWHERE] = "has a source before any destination",
	[KIMAGE_PAST_PAGE] = "runs past the end of an indirection page",
	[KIMAGE_CYCLE] = "comes back to an indirection page",
	[KIMAGE_TOO_LONG] = "does not end",
};

struct walk {
	const struct phys_memory *m;
	struct kimage_list *l;
	uint64_t at, destination, page_end; /* 0: still in kimage.head */
	bool has_destination;
	size_t copies_room, copies_max;
	uint8_t *seen; /* a bit for each page: indirections */
};

static uint64_t page_of(const struct kimage_list *l, uint64_t address)
{
	return address & ~(l->page_bytes - 1);
}

static void add_copy(struct walk *w, uint64_t source)
{
	struct kimage_list *l = w->l;

	if (l->n_copies == w->copies_room) {
		w->copies_room = w->copies_room ? w->copies_room * 2 : 1024;
		l->copies = xreallocarray(l->copies, w->copies_room, sizeof(*l->copies));
	}
	l->copies[l->n_copies++] = (struct kimage_copy){source, w->destination};
	w->destination += l->page_bytes;
}

static void end_indirection(struct walk *w)
{
	if (w->l->n_indirections)
		w->l->indirections[w->l->n_indirections - 1].until = w->l->n_copies;
}

static bool enter_indirection(struct walk *w, uint64_t page)
{
	uint64_t index = (page - w->m->address) / w->l->page_bytes;

	end_indirection(w);
	w->l->end = KIMAGE_UNREADABLE;
	if (!phys_memory_holds(w->m, page, w->l->page_bytes))
		return false;
	w->l->end = KIMAGE_CYCLE;
	if (w->seen[index >> 3] & 1u << (index & 7))
		return false;
	w->seen[index >> 3] |= (uint8_t)(1u << (index & 7));
	array_push(w->l->indirections, w->l->n_indirections)->page = page;
	w->at = page;
	w->page_end = page + w->l->page_bytes;
	return true;
}

/* One entry, in the order in which the relocation code asks for flags; false: the end. */
static bool step(struct walk *w, uint64_t entry)
{
	struct kimage_list *l = w->l;
	uint64_t page = page_of(l, entry);

	if (entry & IND_SOURCE) {
		l->end = w->has_destination ? KIMAGE_TOO_LONG : KIMAGE_NOWHERE;
		if (!w->has_destination || l->n_copies == w->copies_max)
			return false;
		add_copy(w, page);
	} else if (entry & IND_INDIRECTION) {
		return enter_indirection(w, page);
	} else if (entry & IND_DESTINATION) {
		w->destination = page;
		w->has_destination = true;
	} else {
		l->end = entry & IND_DONE ? KIMAGE_DONE : KIMAGE_NO_FLAG;
		return false;
	}
	return true;
}

static void walk(struct walk *w)
{
	struct kimage_list *l = w->l;

	for (;;) {
		l->end_at = w->at;
		l->end = KIMAGE_PAST_PAGE;
		if (w->page_end && w->at == w->page_end)
			return;
		l->end = KIMAGE_UNREADABLE;
		if (phys_memory_u64(w->m, w->at, &l->end_entry))
			return;
		w->at += sizeof(uint64_t);
		/* Before the first indirection there is only kimage.head. */
		if (!w->page_end && !(l->end_entry & (IND_INDIRECTION | IND_DONE))) {
			l->end = KIMAGE_NO_FLAG;
			return;
		}
		if (!step(w, l->end_entry))
			return;
	}
}

static int by_source(const void *a, const void *b, void *copies)
{
	const struct kimage_copy *c = copies;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	if (c[x].source != c[y].source)
		return c[x].source < c[y].source ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int by_destination(const void *a, const void *b, void *copies)
{
	const struct kimage_copy *c = copies;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	if (c[x].destination != c[y].destination)
		return c[x].destination < c[y].destination ? -1 : 1;
	return x < y ? -1 : x > y;
}

static size_t *sorted(struct kimage_list *l, int (*cmp)(const void *, const void *, void *))
{
	size_t i, *order = xcalloc(l->n_copies + 1, sizeof(*order));

	for (i = 0; i < l->n_copies; i++)
		order[i] = i;
	if (l->n_copies)
		qsort_r(order, l->n_copies, sizeof(*order), cmp, l->copies);
	return order;
}

void kimage_list_read(const struct phys_memory *m, uint64_t at, unsigned int page_shift,
		      struct kimage_list *ret)
{
	struct walk w = {.m = m, .l = ret, .at = at};

	*ret = (struct kimage_list){.page_bytes = 1ull << page_shift};
	/* A page is the destination of one copy. */
	w.copies_max = (size_t)(m->size_bytes >> page_shift);
	w.seen = xcalloc(w.copies_max / 8 + 1, 1);
	walk(&w);
	end_indirection(&w);
	free(w.seen);
	ret->by_source = sorted(ret, by_source);
	ret->by_destination = sorted(ret, by_destination);
}

void kimage_list_fini(struct kimage_list *l)
{
	free(l->copies);
	free(l->indirections);
	free(l->by_source);
	free(l->by_destination);
	*l = (struct kimage_list)KIMAGE_LIST_INIT;
}

/* The first of the sorted copies whose page is @page. */
static size_t find(const struct kimage_list *l, const size_t *order, bool source, uint64_t page)
{
	size_t low = 0, high = l->n_copies;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct kimage_copy *c = &l->copies[order[mid]];

		if ((source ? c->source : c->destination) < page)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == l->n_copies)
		return KIMAGE_NEVER;
	if ((source ? l->copies[order[low]].source : l->copies[order[low]].destination) != page)
		return KIMAGE_NEVER;
	return order[low];
}

size_t kimage_list_written(const struct kimage_list *l, uint64_t address)
{
	return find(l, l->by_destination, false, page_of(l, address));
}

size_t kimage_list_read_by(const struct kimage_list *l, uint64_t address)
{
	return find(l, l->by_source, true, page_of(l, address));
}

size_t kimage_list_indirection(const struct kimage_list *l, uint64_t address)
{
	size_t i;

	for (i = 0; i < l->n_indirections; i++) {
		if (l->indirections[i].page == page_of(l, address))
			return i;
	}
	return KIMAGE_NEVER;
}
