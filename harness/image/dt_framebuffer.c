// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dt_framebuffer.c - where a device tree says that pixels are.
 */
#include <libfdt.h>
#include <string.h>

#include "base/cleanup.h"
#include "image/dt.h"
#include "image/image.h"

static const struct {
	const char *name;
	enum framebuffer_format format;
} formats[] = {
	{"x8r8g8b8", FRAMEBUFFER_XRGB8888}, {"a8r8g8b8", FRAMEBUFFER_XRGB8888},
	{"x8b8g8r8", FRAMEBUFFER_XBGR8888}, {"a8b8g8r8", FRAMEBUFFER_XBGR8888},
	{"r5g6b5", FRAMEBUFFER_RGB565},
};

static bool read_cell(const void *fdt, int node, const char *name, unsigned int *ret)
{
	int len;
	const void *value = fdt_getprop(fdt, node, name, &len);

	if (!value || len != 4)
		return false;
	*ret = fdt32_ld(value);
	return true;
}

/* Its reg as 64-bit address and size, which is how trees for arm64 have it. */
static bool read_address(const void *fdt, int node, uint64_t *ret)
{
	int len;
	const void *reg = fdt_getprop(fdt, node, "reg", &len);

	if (!reg || len != 16)
		return false;
	*ret = fdt64_ld(reg);
	return true;
}

static bool read_format(const void *fdt, int node, enum framebuffer_format *ret)
{
	int len;
	const char *text = fdt_getprop(fdt, node, "format", &len);
	size_t i;

	for (i = 0; text && i < ARRAY_SIZE(formats); i++) {
		if ((size_t)len == strlen(formats[i].name) + 1 &&
		    !memcmp(text, formats[i].name, (size_t)len)) {
			*ret = formats[i].format;
			return true;
		}
	}
	return false;
}

static bool is_disabled(const void *fdt, int node)
{
	const char *status = fdt_getprop(fdt, node, "status", NULL);

	return status && strcmp(status, "okay") && strcmp(status, "ok");
}

bool image_devicetree_framebuffer(const void *dtb, size_t len, struct framebuffer *ret)
{
	struct buf tree __free_buf = BUF_INIT;
	int node = -1;

	if (dt_copy(dtb, len, "the tree", &tree, NULL))
		return false;
	while ((node = fdt_node_offset_by_compatible(tree.data, node, "simple-framebuffer")) >= 0) {
		const void *fdt = tree.data;

		if (!is_disabled(fdt, node) && read_address(fdt, node, &ret->address) &&
		    read_cell(fdt, node, "width", &ret->width) &&
		    read_cell(fdt, node, "height", &ret->height) &&
		    read_cell(fdt, node, "stride", &ret->stride_bytes) &&
		    read_format(fdt, node, &ret->format))
			return true;
	}
	return false;
}
