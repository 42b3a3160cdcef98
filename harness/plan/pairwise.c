// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pairwise.c - a covering array of strength two, by greedy choice.
 */
#include <string.h>

#include "base/alloc.h"
#include "plan/axes.h"

struct cover {
	size_t base[N_AXES][N_AXES]; /* offset of each pair of axes in the map */
	size_t size[N_AXES];
	unsigned char *left; /* 1: a pair that is possible and not yet covered */
	size_t n_left;
};

static size_t pair_slot(const struct cover *c, const struct point *p, unsigned int i,
			unsigned int j)
{
	return c->base[i][j] + p->at[i] * c->size[j] + p->at[j];
}

static void cover_init(struct cover *c, const struct axes *a, const struct points *all)
{
	size_t total = 0, k;
	unsigned int i, j;

	for (i = 0; i < N_AXES; i++)
		c->size[i] = a->axis[i].n;
	for (i = 0; i < N_AXES; i++) {
		for (j = i + 1; j < N_AXES; j++) {
			c->base[i][j] = total;
			total += c->size[i] * c->size[j];
		}
	}
	c->left = xcalloc(total, 1);
	c->n_left = 0;
	for (k = 0; k < all->n; k++) {
		for (i = 0; i < N_AXES; i++) {
			for (j = i + 1; j < N_AXES; j++) {
				unsigned char *slot = &c->left[pair_slot(c, &all->p[k], i, j)];

				c->n_left += !*slot;
				*slot = 1;
			}
		}
	}
}

static size_t gain(const struct cover *c, const struct point *p)
{
	size_t n = 0;
	unsigned int i, j;

	for (i = 0; i < N_AXES; i++) {
		for (j = i + 1; j < N_AXES; j++)
			n += c->left[pair_slot(c, p, i, j)];
	}
	return n;
}

static void take(struct cover *c, const struct point *p)
{
	unsigned int i, j;

	for (i = 0; i < N_AXES; i++) {
		for (j = i + 1; j < N_AXES; j++) {
			unsigned char *slot = &c->left[pair_slot(c, p, i, j)];

			c->n_left -= *slot;
			*slot = 0;
		}
	}
}

void axes_pairwise(const struct axes *a, struct points *all)
{
	char *kept __free(str) = xcalloc(all->n, 1);
	struct cover c;
	size_t k, out = 0;

	cover_init(&c, a, all);
	while (c.n_left) {
		size_t best = 0, best_gain = 0;

		for (k = 0; k < all->n; k++) {
			size_t g = kept[k] ? 0 : gain(&c, &all->p[k]);

			if (g > best_gain) {
				best = k;
				best_gain = g;
			}
		}
		kept[best] = 1;
		take(&c, &all->p[best]);
	}
	for (k = 0; k < all->n; k++) {
		if (kept[k])
			all->p[out++] = all->p[k];
	}
	all->n = out;
	free(c.left);
}
