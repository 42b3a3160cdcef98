// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dt.c - overlays on a device tree.
 */
#include "image/image.h"

#include <errno.h>
#include <libfdt.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "image/ctx.h"
#include "image/dt.h"

/*
 * Version 17 since 2007. Of those before 16 libfdt 1.6 expects node names with a
 * path and follows a null pointer where there is none.
 */
#define MIN_VERSION 16

/* "/dt/no-graphics.dtbo", "no-graphics.dtso", "no-graphics" -> its file; *returned*. */
static char *overlay_path(const struct image_ctx *c, const char *overlay)
{
	const char *slash = strrchr(overlay, '/');
	const char *name = slash ? slash + 1 : overlay;
	size_t len = strlen(name);

	if (len > 5 && (!strcmp(name + len - 5, ".dtbo") || !strcmp(name + len - 5, ".dtso")))
		len -= 5;
	return xasprintf("%s/%.*s.dtbo", c->dt_dir, (int)len, name);
}

static uint32_t length_of(const char *property)
{
	return fdt32_ld((const fdt32_t *)(property + offsetof(struct fdt_property, len)));
}

/*
 * libfdt 1.6 adds a property's length to its offset as it is: a negative one
 * passes its checks, or keeps it at the same place for ever.
 */
static int check_lengths(const void *fdt)
{
	int offset = 0, next, rc = fdt_check_header(fdt);
	uint32_t tag;

	while (!rc && (tag = fdt_next_tag(fdt, offset, &next)) != FDT_END) {
		const char *p = NULL; /* not a struct: the block may lie at an odd offset */

		if (tag == FDT_PROP)
			p = fdt_offset_ptr(fdt, offset, sizeof(struct fdt_property));
		if (next <= offset || (p && length_of(p) > DT_MAX_BYTES))
			rc = -FDT_ERR_BADSTRUCTURE;
		offset = next;
	}
	return rc;
}

int dt_copy(const void *data, size_t len, const char *what, struct buf *out, struct err *e)
{
	int rc;

	if (len > DT_MAX_BYTES)
		return err_set(e, EBADMSG, "%s: longer than %u bytes", what, DT_MAX_BYTES);
	if (len < sizeof(struct fdt_header))
		return err_set(e, EBADMSG, "%s: no device tree: only %zu bytes", what, len);
	buf_add(out, data, len);
	if (fdt_magic(out->data) == FDT_MAGIC && fdt_version(out->data) < MIN_VERSION)
		return err_set(e, EBADMSG, "%s: device tree of version %u", what,
			       fdt_version(out->data));
	rc = fdt_totalsize(out->data) > len ? -FDT_ERR_TRUNCATED : check_lengths(out->data);
	if (!rc)
		rc = fdt_check_full(out->data, out->len);
	if (rc)
		return err_set(e, EBADMSG, "%s: no device tree: %s", what, fdt_strerror(rc));
	return 0;
}

/* Replaces the content of @tree by itself with more room behind it. */
static int give_room(struct buf *tree, size_t room, struct err *e)
{
	struct buf bigger __free_buf = BUF_INIT;
	int rc;

	buf_reserve(&bigger, tree->len + room);
	memset(bigger.data, 0, tree->len + room);
	bigger.len = tree->len + room;
	rc = fdt_open_into(tree->data, bigger.data, (int)bigger.len);
	if (rc)
		return err_set(e, EBADMSG, "device tree: %s", fdt_strerror(rc));
	buf_fini(tree);
	*tree = bigger;
	buf_init(&bigger);
	return 0;
}

static int apply(struct image_ctx *c, struct buf *tree, const char *overlay, struct err *e)
{
	char *path __free(str) = overlay_path(c, overlay);
	struct buf text __free_buf = BUF_INIT, dtbo __free_buf = BUF_INIT;
	int rc = file_read(path, DT_MAX_BYTES, &text, e);

	if (!rc)
		rc = dt_copy(text.data, text.len, path, &dtbo, e);
	/* Twice its size also covers the names of its properties and __symbols__. */
	if (!rc)
		rc = give_room(tree, 2 * dtbo.len + 4096, e);
	if (!rc) {
		rc = fdt_overlay_apply(tree->data, dtbo.data);
		if (rc)
			rc = err_set(e, EINVAL, "does not apply: %s", fdt_strerror(rc));
	}
	return rc ? err_prefix(e, rc, "overlay '%s'", overlay) : 0;
}

int image_devicetree(struct image_ctx *c, const void *base, size_t base_len, char *const *overlays,
		     size_t n, struct buf *out, struct err *e)
{
	struct buf tree __free_buf = BUF_INIT;
	size_t i;
	int rc = dt_copy(base, base_len, "the base tree", &tree, e);

	for (i = 0; !rc && i < n; i++)
		rc = apply(c, &tree, overlays[i], e);
	if (rc)
		return rc;
	fdt_pack(tree.data);
	buf_add(out, tree.data, fdt_totalsize(tree.data));
	return 0;
}
