// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/display/picture.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"

void picture_fini(struct picture *p)
{
	free(p->rgb);
	*p = (struct picture)PICTURE_INIT;
}

int picture_resize(struct picture *p, unsigned int width, unsigned int height, struct err *e)
{
	if (!width || !height || (uint64_t)width * height > PICTURE_PIXELS_MAX)
		return err_set(e, EMSGSIZE, "a picture of %ux%u pixels", width, height);
	if (p->rgb && p->width == width && p->height == height)
		return 0;
	free(p->rgb);
	p->width = width;
	p->height = height;
	p->rgb = xmalloc(picture_bytes(p));
	return 0;
}

void picture_copy(struct picture *to, const struct picture *from)
{
	if (!from->rgb) {
		picture_fini(to);
		return;
	}
	picture_resize(to, from->width, from->height, NULL);
	memcpy(to->rgb, from->rgb, picture_bytes(from));
}

void picture_swap(struct picture *a, struct picture *b)
{
	struct picture was = *a;

	*a = *b;
	*b = was;
}

bool picture_equal(const struct picture *a, const struct picture *b)
{
	if (!a->rgb || !b->rgb || a->width != b->width || a->height != b->height)
		return false;
	return !memcmp(a->rgb, b->rgb, picture_bytes(a));
}

void picture_digest(const struct picture *p, char ret_hex[DIGEST_HEX_SIZE])
{
	struct digest *d __free(digest) = digest_new();
	const unsigned int size[2] = {p->width, p->height};

	digest_update(d, size, sizeof(size));
	if (p->rgb)
		digest_update(d, p->rgb, picture_bytes(p));
	digest_hex(d, ret_hex);
}

/* @n of @all; a single pixel of a large picture is still something. */
static unsigned int ppm_of(size_t n, size_t all)
{
	return n ? (unsigned int)(((uint64_t)n * 1000000 + all - 1) / all) : 0;
}

unsigned int picture_lit_ppm(const struct picture *p)
{
	size_t all = picture_bytes(p), lit = 0, i;

	for (i = 0; i < all; i += 3) {
		if (p->rgb[i] > PICTURE_DARK || p->rgb[i + 1] > PICTURE_DARK ||
		    p->rgb[i + 2] > PICTURE_DARK)
			lit++;
	}
	return ppm_of(3 * lit, all);
}

unsigned int picture_changed_ppm(const struct picture *a, const struct picture *b)
{
	size_t all = picture_bytes(a), changed = 0, i;

	if (!a->rgb || !b->rgb || a->width != b->width || a->height != b->height)
		return 1000000;
	for (i = 0; i < all; i += 3) {
		if (memcmp(a->rgb + i, b->rgb + i, 3))
			changed++;
	}
	return ppm_of(3 * changed, all);
}

/* --- portable pixmaps --------------------------------------------------------- */

struct text {
	const uint8_t *p, *end;
};

static void skip_blanks(struct text *t)
{
	bool comment = false;

	for (; t->p < t->end; t->p++) {
		if (*t->p == '#')
			comment = true;
		else if (*t->p == '\n')
			comment = false;
		else if (!comment && !memchr(" \t\r\v\f", *t->p, 5))
			break;
	}
}

static int read_number(struct text *t, unsigned int *ret)
{
	unsigned int n = 0;
	const uint8_t *start;

	skip_blanks(t);
	for (start = t->p; t->p < t->end && *t->p >= '0' && *t->p <= '9'; t->p++) {
		if (t->p - start >= 7)
			return -EBADMSG;
		n = n * 10 + (*t->p - '0');
	}
	*ret = n;
	return t->p == start ? -EBADMSG : 0;
}

int picture_parse_ppm(struct picture *p, const void *data, size_t len, struct err *e)
{
	struct text t = {data, (const uint8_t *)data + len};
	unsigned int width, height, depth;
	int rc;

	if (len < 2 || memcmp(data, "P6", 2))
		return err_set(e, EBADMSG, "not a raw portable pixmap");
	t.p += 2;
	if (read_number(&t, &width) || read_number(&t, &height) || read_number(&t, &depth) ||
	    t.p == t.end)
		return err_set(e, EBADMSG, "a portable pixmap with a damaged head");
	t.p++; /* exactly one blank */
	if (depth != 255)
		return err_set(e, EBADMSG, "a portable pixmap of depth %u, expected 255", depth);
	rc = picture_resize(p, width, height, e);
	if (rc)
		return rc;
	if ((size_t)(t.end - t.p) != picture_bytes(p))
		return err_set(e, EBADMSG, "a portable pixmap of %ux%u with %zu bytes of pixels",
			       width, height, (size_t)(t.end - t.p));
	memcpy(p->rgb, t.p, picture_bytes(p));
	return 0;
}
