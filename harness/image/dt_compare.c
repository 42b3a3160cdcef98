// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dt_compare.c - is the live device tree the one that was asked for?
 */
#include "image/image.h"

#include <errno.h>
#include <libfdt.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "image/dt.h"

#define MAX_DEPTH	64
#define MAX_DIFFERENCES 20
#define MAX_CELLS	8
#define MAX_TEXT	64

struct comparison {
	const void *expected, *seen;
	struct buf *out;
	unsigned int n;
	struct buf path;
};

static bool full(const struct comparison *c)
{
	return c->n >= MAX_DIFFERENCES;
}

static bool same_name(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static bool starts(const char *name, const char *word)
{
	size_t len = strlen(word);

	return !strncmp(name, word, len) && (!name[len] || name[len] == '@');
}

/* Nodes below the root that are the loader's to fill. */
static bool is_loaders_node(const char *name)
{
	return starts(name, "chosen") || starts(name, "memory") || starts(name, "reserved-memory");
}

/* Properties that firmware writes from what it knows of the one board. */
static bool is_loaders_property(const char *name)
{
	static const char *const names[] = {"serial-number", "mac-address", "local-mac-address"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	return false;
}

/* One or more NUL-terminated printable strings? */
static bool is_text(const char *value, int len)
{
	int i;

	if (len < 2 || value[len - 1] || !value[0])
		return false;
	for (i = 0; i < len; i++) {
		if (!value[i] ? i && !value[i - 1] : value[i] < 0x20 || value[i] > 0x7e)
			return false;
	}
	return true;
}

static void add_text(struct buf *out, const char *value, int len)
{
	int shown = len - 1 < MAX_TEXT ? len - 1 : MAX_TEXT, i;

	buf_addch(out, '"');
	for (i = 0; i < shown; i++) {
		if (value[i])
			text_escape(out, value + i, 1);
		else
			buf_adds(out, "\", \"");
	}
	buf_adds(out, shown < len - 1 ? "...\"" : "\"");
}

static void add_cells(struct buf *out, const unsigned char *value, int len)
{
	int i, size = len % 4 ? 1 : 4;

	buf_adds(out, size == 4 ? "<" : "[");
	for (i = 0; i < len && i < MAX_CELLS * size; i += size) {
		buf_adds(out, i ? " " : "");
		if (size == 4)
			buf_addf(out, "0x%x", fdt32_ld((const fdt32_t *)(value + i)));
		else
			buf_addf(out, "%02x", value[i]);
	}
	buf_addf(out, "%s%s", i < len ? " ..." : "", size == 4 ? ">" : "]");
}

static void add_value(struct buf *out, const void *value, int len)
{
	if (!value)
		buf_adds(out, "absent");
	else if (!len)
		buf_adds(out, "empty");
	else if (is_text(value, len))
		add_text(out, value, len);
	else
		add_cells(out, value, len);
}

static void begin_line(struct comparison *c)
{
	c->n++;
	text_escape(c->out, c->path.len ? c->path.data : "/", c->path.len ? c->path.len : 1);
	buf_adds(c->out, ": ");
}

static void report_property(struct comparison *c, const char *name, const void *expected,
			    int expected_len, const void *seen, int seen_len)
{
	begin_line(c);
	text_escape(c->out, name, strlen(name));
	buf_adds(c->out, ": expected ");
	add_value(c->out, expected, expected_len);
	buf_adds(c->out, ", is ");
	add_value(c->out, seen, seen_len);
	buf_addch(c->out, '\n');
}

static void report_node(struct comparison *c, const char *name, const char *what)
{
	size_t len = c->path.len;

	buf_addf(&c->path, "/%s", name);
	begin_line(c);
	buf_addf(c->out, "node: %s\n", what);
	buf_truncate(&c->path, len);
}

/* Exactly this name: libfdt's own look-up also takes "a@1" for "a". */
static int find_child(const void *fdt, int parent, const char *name)
{
	int node;

	fdt_for_each_subnode(node, fdt, parent)
	{
		if (same_name(fdt_get_name(fdt, node, NULL), name))
			return node;
	}
	return -FDT_ERR_NOTFOUND;
}

static void compare_properties(struct comparison *c, int expected, int seen)
{
	int at, len, other_len;
	const char *name;

	fdt_for_each_property_offset(at, c->expected, expected)
	{
		const void *value = fdt_getprop_by_offset(c->expected, at, &name, &len);
		const void *other;

		if (full(c))
			return;
		if (!value || is_loaders_property(name))
			continue;
		other = fdt_getprop(c->seen, seen, name, &other_len);
		if (!other || other_len != len || memcmp(value, other, (size_t)len))
			report_property(c, name, value, len, other, other_len);
	}
	fdt_for_each_property_offset(at, c->seen, seen)
	{
		const void *value = fdt_getprop_by_offset(c->seen, at, &name, &len);

		if (full(c))
			return;
		/* Of a name that is there twice the look-up above has seen only one. */
		if (value && !is_loaders_property(name) &&
		    (!fdt_getprop(c->expected, expected, name, &other_len) ||
		     fdt_getprop(c->seen, seen, name, &other_len) != value))
			report_property(c, name, NULL, 0, value, len);
	}
}

static void compare_nodes(struct comparison *c, int expected, int seen, unsigned int depth)
{
	size_t path_len = c->path.len;
	int node, other;

	compare_properties(c, expected, seen);
	fdt_for_each_subnode(node, c->expected, expected)
	{
		const char *name = fdt_get_name(c->expected, node, NULL);

		if (full(c))
			return;
		if (!name || (!depth && is_loaders_node(name)))
			continue;
		if (depth >= MAX_DEPTH) {
			report_node(c, name, "too deep to be compared");
			return;
		}
		other = find_child(c->seen, seen, name);
		if (other < 0) {
			report_node(c, name, "expected present, is absent");
			continue;
		}
		buf_addf(&c->path, "/%s", name);
		compare_nodes(c, node, other, depth + 1);
		buf_truncate(&c->path, path_len);
	}
	fdt_for_each_subnode(node, c->seen, seen)
	{
		const char *name = fdt_get_name(c->seen, node, NULL);

		if (full(c))
			return;
		if (!name || (!depth && is_loaders_node(name)))
			continue;
		if (find_child(c->expected, expected, name) < 0)
			report_node(c, name, "expected absent, is present");
		else if (find_child(c->seen, seen, name) != node)
			report_node(c, name, "expected once, is present twice");
	}
}

int image_devicetree_compare(const void *expected, size_t expected_len, const void *seen,
			     size_t seen_len, struct buf *diff, struct err *e)
{
	struct buf a __free_buf = BUF_INIT, b __free_buf = BUF_INIT;
	struct comparison c = {.out = diff, .path = BUF_INIT};
	int rc = dt_copy(expected, expected_len, "the expected tree", &a, e);

	if (!rc)
		rc = dt_copy(seen, seen_len, "the live tree", &b, e);
	if (rc)
		return rc;
	c.expected = a.data;
	c.seen = b.data;
	compare_nodes(&c, 0, 0, 0);
	buf_fini(&c.path);
	return 0;
}

bool image_devicetree_has_memory(const void *dtb, size_t len)
{
	struct buf tree __free_buf = BUF_INIT;
	int node, n;

	if (dt_copy(dtb, len, "", &tree, NULL))
		return false;
	fdt_for_each_subnode(node, tree.data, 0)
	{
		const char *type = fdt_getprop(tree.data, node, "device_type", &n);

		/* What early_init_dt_scan_memory() of the kernel looks for. */
		if (type && n == sizeof("memory") && !memcmp(type, "memory", sizeof("memory")) &&
		    fdt_getprop(tree.data, node, "reg", &n) && n > 0)
			return true;
	}
	return false;
}
