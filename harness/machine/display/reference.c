// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/display/reference.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"

#define FILE_MAX	(64u << 20)
#define AREAS_MAX	64
#define GRID		16 /* cells in a row and in a column of an area */
#define DEFAULT_PERCENT 96

/* A slope counts when it is steeper than noise, in brightness of 0..255. */
#define SLOPE_LEAST	4

struct area {
	unsigned int x, y, width, height;
	unsigned int percent;
};

/* Brightness of each cell; -1 where nothing of it counts. */
struct grid {
	int cell[GRID][GRID];
};

struct reference {
	char *name;
	struct picture picture;
	struct area *match, *exclude;
	struct grid *grids; /* of the match areas */
	size_t n_match, n_exclude;
};

static bool is_excluded(const struct reference *r, unsigned int x, unsigned int y)
{
	size_t i;

	for (i = 0; i < r->n_exclude; i++) {
		const struct area *a = &r->exclude[i];

		if (x - a->x < a->width && y - a->y < a->height) /* wraps when it is before */
			return true;
	}
	return false;
}

/* Rec. 601 luma, in integers. */
static unsigned int brightness(const uint8_t *rgb)
{
	return (299u * rgb[0] + 587u * rgb[1] + 114u * rgb[2]) / 1000;
}

static int cell_of(const struct reference *r, const struct picture *p, const struct area *a,
		   unsigned int column, unsigned int row)
{
	unsigned int x0 = a->x + a->width * column / GRID, y0 = a->y + a->height * row / GRID;
	unsigned int x1 = a->x + a->width * (column + 1) / GRID;
	unsigned int y1 = a->y + a->height * (row + 1) / GRID, x, y;
	uint64_t sum = 0, n = 0;

	for (y = y0; y < y1; y++) {
		for (x = x0; x < x1; x++) {
			if (is_excluded(r, x, y))
				continue;
			sum += brightness(p->rgb + 3 * ((size_t)y * p->width + x));
			n++;
		}
	}
	return n ? (int)(sum / n) : -1;
}

static void make_grid(const struct reference *r, const struct picture *p, const struct area *a,
		      struct grid *g)
{
	unsigned int x, y;

	for (y = 0; y < GRID; y++) {
		for (x = 0; x < GRID; x++)
			g->cell[y][x] = cell_of(r, p, a, x, y);
	}
}

static int slope(const struct grid *g, unsigned int x, unsigned int y)
{
	int by = g->cell[y][x + 1] - g->cell[y][x];

	return by >= SLOPE_LEAST ? 1 : by <= -SLOPE_LEAST ? -1 : 0;
}

/* The worse of: slopes that agree, and brightness that agrees. */
static unsigned int likeness(const struct grid *a, const struct grid *b)
{
	unsigned int slopes = 0, agree = 0, cells = 0, off = 0, x, y, by_slope, by_light;

	for (y = 0; y < GRID; y++) {
		for (x = 0; x < GRID; x++) {
			if (a->cell[y][x] < 0)
				continue;
			cells++;
			off += (unsigned int)abs(a->cell[y][x] - b->cell[y][x]);
			if (x + 1 == GRID || a->cell[y][x + 1] < 0)
				continue;
			slopes++;
			agree += slope(a, x, y) == slope(b, x, y);
		}
	}
	if (!cells)
		return 100;
	by_slope = slopes ? 100 * agree / slopes : 100;
	by_light = 100 - 100 * off / (255 * cells);
	return by_slope < by_light ? by_slope : by_light;
}

bool reference_matches(const struct reference *r, const struct picture *p,
		       unsigned int *ret_percent)
{
	bool matches = true;
	struct grid g;
	size_t i;

	if (ret_percent)
		*ret_percent = 0;
	if (p->width != r->picture.width || p->height != r->picture.height)
		return false;
	if (ret_percent)
		*ret_percent = 100;
	for (i = 0; i < r->n_match; i++) {
		unsigned int percent;

		make_grid(r, p, &r->match[i], &g);
		percent = likeness(&r->grids[i], &g);
		if (ret_percent && percent < *ret_percent)
			*ret_percent = percent;
		if (percent < r->match[i].percent)
			matches = false;
	}
	return matches;
}

/* --- reading ------------------------------------------------------------------- */

static int read_area(const struct json *j, const struct picture *p, struct area *a, struct err *e)
{
	int64_t x = json_get_int(j, "xpos", -1), y = json_get_int(j, "ypos", -1);
	int64_t width = json_get_int(j, "width", 0), height = json_get_int(j, "height", 0);
	int64_t percent = json_get_int(j, "match", DEFAULT_PERCENT);

	if (x < 0 || y < 0 || width < 1 || height < 1 || width > p->width || height > p->height ||
	    x > p->width - width || y > p->height - height)
		return err_set(e, EINVAL,
			       "expected xpos, ypos, width and height inside its %ux%u picture",
			       p->width, p->height);
	if (percent < 0 || percent > 100)
		return err_set(e, EINVAL, "match is a percentage, not %lld", (long long)percent);
	*a = (struct area){(unsigned int)x, (unsigned int)y, (unsigned int)width,
			   (unsigned int)height, (unsigned int)percent};
	return 0;
}

static int add_area(struct reference *r, const struct json *j, struct err *e)
{
	const char *type = json_get_str(j, "type");
	struct area a;
	int rc = read_area(j, &r->picture, &a, e);

	if (rc)
		return rc;
	if (!type || !strcmp(type, "match"))
		*array_push(r->match, r->n_match) = a;
	else if (!strcmp(type, "exclude"))
		*array_push(r->exclude, r->n_exclude) = a;
	else
		return err_set(e, EINVAL, "type '%s', expected match or exclude", type);
	return 0;
}

static int read_areas(struct reference *r, const struct json *doc, struct err *e)
{
	const struct json *list = json_get(doc, "area");
	size_t i, n = list ? json_len(list) : 0;
	int rc;

	if (!n || n > AREAS_MAX)
		return err_set(e, EINVAL, "expected \"area\", a list of 1 to %d areas", AREAS_MAX);
	for (i = 0; i < n; i++) {
		rc = add_area(r, json_at(list, i), e);
		if (rc)
			return err_prefix(e, rc, "area %zu", i + 1);
	}
	if (!r->n_match)
		return err_set(e, EINVAL, "it has no area of type match");
	return 0;
}

static int read_reference(struct reference *r, const char *path, struct err *e)
{
	struct buf text __free_buf = BUF_INIT, png __free_buf = BUF_INIT;
	struct json *doc __free(json) = NULL;
	char *png_path __free(str) = NULL;
	size_t len = strlen(path), i;
	int rc = file_read(path, FILE_MAX, &text, e);

	if (!rc)
		rc = json_parse(text.data, text.len, &doc, e);
	if (rc)
		return err_prefix(e, rc, "%s", path);
	png_path = xasprintf("%.*s.png", (int)(len > 5 ? len - 5 : len), path);
	rc = file_read(png_path, FILE_MAX, &png, e);
	if (!rc)
		rc = picture_parse_png(&r->picture, png.data, png.len, e);
	if (rc)
		return err_prefix(e, rc, "%s", png_path);
	rc = read_areas(r, doc, e);
	if (rc)
		return err_prefix(e, rc, "%s", path);
	r->grids = xcalloc(r->n_match, sizeof(*r->grids));
	for (i = 0; i < r->n_match; i++)
		make_grid(r, &r->picture, &r->match[i], &r->grids[i]);
	return 0;
}

int reference_load(const char *path, struct reference **ret, struct err *e)
{
	const char *base = strrchr(path, '/');
	struct reference *r;
	int rc;

	xnew(r);
	base = base ? base + 1 : path;
	r->name = xstrndup(base, strcspn(base, "."));
	rc = read_reference(r, path, e);
	if (rc) {
		reference_free(r);
		return rc;
	}
	*ret = r;
	return 0;
}

void reference_free(struct reference *r)
{
	if (!r)
		return;
	picture_fini(&r->picture);
	free(r->match);
	free(r->exclude);
	free(r->grids);
	free(r->name);
	free(r);
}

const char *reference_name(const struct reference *r)
{
	return r->name;
}
