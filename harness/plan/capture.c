// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/capture.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

#define SIZE_MAX_PIXELS 16384
#define RATE_MAX	1000
#define DELAY_MAX_MS	10000

static void read_size(struct diag *diag, const struct yaml_node *node, struct capture_spec *c)
{
	const char *text = node ? yaml_text(diag, node, "a size") : NULL;
	int end = 0;

	if (!text)
		return;
	if (strspn(text, "0123456789x") != strlen(text) || strlen(text) > 11 ||
	    sscanf(text, "%5ux%5u%n", &c->width, &c->height, &end) != 2 || text[end] || !c->width ||
	    !c->height || c->width > SIZE_MAX_PIXELS || c->height > SIZE_MAX_PIXELS)
		yaml_error(diag, node, "size '%s', expected one like 1280x720", text);
}

static unsigned int read_number(struct diag *diag, const struct yaml_node *map, const char *key,
				uint64_t max)
{
	uint64_t n = 0;

	yaml_u64(diag, yaml_get(map, key), 0, max, &n);
	return (unsigned int)n;
}

/* @name beside the file that names it; *returned*. */
static char *beside(const struct yaml_node *node, const char *name)
{
	const char *slash = strrchr(node->file, '/');

	if (*name == '/')
		return xstrdup(name);
	return xasprintf("%.*s%s", slash ? (int)(slash + 1 - node->file) : 0, node->file, name);
}

static char *read_text(struct diag *diag, const struct yaml_node *node, const char *what)
{
	return node ? xstrdup_null(yaml_text(diag, node, what)) : NULL;
}

void capture_read(struct diag *diag, const struct yaml_node *node, struct capture_spec *ret)
{
	static const char *const keys[] = {"source", "format",	 "input",    "size",
					   "rate",   "delay-ms", "no-signal"};
	static const char *const formats[] = {
		[CAPTURE_V4L2] = "v4l2", [CAPTURE_LAVFI] = "lavfi", [CAPTURE_FILE] = "file"};
	const struct yaml_node *format, *no_signal;
	int i;

	*ret = (struct capture_spec){.format = CAPTURE_V4L2};
	if (!yaml_want(diag, node, YAML_MAP, "a display"))
		return;
	yaml_check_keys(diag, node, keys, ARRAY_SIZE(keys));
	ret->source = read_text(diag, yaml_need(diag, node, "source"), "a device or a file");
	format = yaml_get(node, "format");
	i = format ? yaml_word(diag, format, formats, ARRAY_SIZE(formats)) : CAPTURE_V4L2;
	if (i >= 0)
		ret->format = (enum capture_format)i;
	ret->input = read_text(diag, yaml_get(node, "input"), "a video format");
	read_size(diag, yaml_get(node, "size"), ret);
	ret->rate = read_number(diag, node, "rate", RATE_MAX);
	ret->delay_ms = read_number(diag, node, "delay-ms", DELAY_MAX_MS);
	no_signal = yaml_get(node, "no-signal");
	if (no_signal && yaml_text(diag, no_signal, "a PNG"))
		ret->no_signal = beside(no_signal, no_signal->text);
	if (ret->no_signal && !file_exists(ret->no_signal))
		yaml_error(diag, no_signal, "there is no '%s'", ret->no_signal);
}

void capture_fini(struct capture_spec *c)
{
	free(c->source);
	free(c->input);
	free(c->no_signal);
	*c = (struct capture_spec){0};
}
