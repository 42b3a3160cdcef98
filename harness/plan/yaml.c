// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/yaml.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <yaml.h>

#include "base/alloc.h"
#include "base/text.h"

#define MAX_DEPTH 32
#define MAX_BYTES (4 << 20)
/* Keys are compared with each other. No configuration of ours comes near. */
#define MAX_KEYS  4096

struct builder {
	yaml_parser_t parser;
	const char *file;
	struct diag *diag;
	unsigned int depth;
};

static struct yaml_node *build(struct builder *b, const yaml_event_t *event);

static void node_free(struct yaml_node *n)
{
	size_t i;

	if (!n)
		return;
	for (i = 0; i < n->n; i++) {
		node_free(n->items[i]);
		if (n->keys)
			node_free(n->keys[i]);
	}
	free(n->items);
	free(n->keys);
	free(n->text);
	free(n);
}

static void report_mark(struct builder *b, const yaml_mark_t *mark, const char *text)
{
	diag_add(b->diag, b->file, (unsigned int)mark->line + 1, (unsigned int)mark->column + 1,
		 "%s", text);
}

/* False at a syntax error, which is reported where libyaml saw it. */
static bool next_event(struct builder *b, yaml_event_t *event)
{
	char *text __free(str) = NULL;

	if (yaml_parser_parse(&b->parser, event))
		return true;
	text = xasprintf("not YAML: %s%s%s", b->parser.problem ? b->parser.problem : "bad input",
			 b->parser.context ? ", " : "", b->parser.context ? b->parser.context : "");
	report_mark(b, &b->parser.problem_mark, text);
	return false;
}

static struct yaml_node *node_new(struct builder *b, const yaml_event_t *event, enum yaml_kind kind)
{
	struct yaml_node *n;

	xnew(n);
	n->kind = kind;
	n->file = b->file;
	n->line = (unsigned int)event->start_mark.line + 1;
	n->col = (unsigned int)event->start_mark.column + 1;
	return n;
}

static struct yaml_node *build_scalar(struct builder *b, const yaml_event_t *event)
{
	struct yaml_node *n = node_new(b, event, YAML_SCALAR);
	const char *value = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;

	n->text = xstrndup(value, len);
	n->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	if (strlen(n->text) != len)
		yaml_error(b->diag, n, "NUL byte in a value");
	return n;
}

static struct yaml_node *build_list(struct builder *b, const yaml_event_t *start)
{
	struct yaml_node *n = node_new(b, start, YAML_LIST), *item;
	yaml_event_t event;

	while (next_event(b, &event)) {
		if (event.type == YAML_SEQUENCE_END_EVENT) {
			yaml_event_delete(&event);
			return n;
		}
		item = build(b, &event);
		yaml_event_delete(&event);
		if (!item)
			break;
		n->items = array_grow(n->items, n->n, sizeof(*n->items));
		n->items[n->n++] = item;
	}
	node_free(n);
	return NULL;
}

static void add_pair(struct builder *b, struct yaml_node *map, struct yaml_node *key,
		     struct yaml_node *value)
{
	size_t i;

	if (key->kind != YAML_SCALAR)
		yaml_error(b->diag, key, "a key must be a word");
	for (i = 0; i < map->n && key->kind == YAML_SCALAR; i++) {
		if (map->keys[i]->kind == YAML_SCALAR && !strcmp(map->keys[i]->text, key->text))
			yaml_error(b->diag, key, "duplicate key '%s', first on line %u", key->text,
				   map->keys[i]->line);
	}
	map->items = array_grow(map->items, map->n, sizeof(*map->items));
	map->keys = array_grow(map->keys, map->n, sizeof(*map->keys));
	map->items[map->n] = value;
	map->keys[map->n++] = key;
}

static bool too_many_keys(struct builder *b, const struct yaml_node *map,
			  const struct yaml_node *key)
{
	if (map->n < MAX_KEYS)
		return false;
	yaml_error(b->diag, key, "more than %d keys in one map", MAX_KEYS);
	return true;
}

static struct yaml_node *build_map(struct builder *b, const yaml_event_t *start)
{
	struct yaml_node *n = node_new(b, start, YAML_MAP), *key = NULL, *value;
	yaml_event_t event;

	while (next_event(b, &event)) {
		if (event.type == YAML_MAPPING_END_EVENT) {
			yaml_event_delete(&event);
			return n;
		}
		value = build(b, &event);
		yaml_event_delete(&event);
		if (!value)
			break;
		if (!key) {
			key = value;
			continue;
		}
		if (too_many_keys(b, n, key)) {
			node_free(value);
			break;
		}
		add_pair(b, n, key, value);
		key = NULL;
	}
	node_free(key);
	node_free(n);
	return NULL;
}

static void refuse_tag(struct builder *b, const yaml_event_t *event)
{
	if ((event->type == YAML_SCALAR_EVENT && event->data.scalar.tag) ||
	    (event->type == YAML_SEQUENCE_START_EVENT && event->data.sequence_start.tag) ||
	    (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.tag))
		report_mark(b, &event->start_mark, "tags (!name) are not supported");
}

static struct yaml_node *build(struct builder *b, const yaml_event_t *event)
{
	struct yaml_node *n = NULL;

	if (event->type == YAML_ALIAS_EVENT) {
		report_mark(b, &event->start_mark, "aliases (*name) are not supported");
		return NULL;
	}
	refuse_tag(b, event);
	if (event->type == YAML_SCALAR_EVENT)
		return build_scalar(b, event);
	if (++b->depth > MAX_DEPTH)
		report_mark(b, &event->start_mark, "nested too deeply");
	else if (event->type == YAML_SEQUENCE_START_EVENT)
		n = build_list(b, event);
	else if (event->type == YAML_MAPPING_START_EVENT)
		n = build_map(b, event);
	b->depth--;
	return n;
}

static struct yaml_node *build_document(struct builder *b)
{
	struct yaml_node *root = NULL;
	yaml_event_t event;
	bool more = true;

	while (more && next_event(b, &event)) {
		more = event.type != YAML_STREAM_END_EVENT;
		if (event.type == YAML_DOCUMENT_START_EVENT && root) {
			report_mark(b, &event.start_mark, "a second document; expected one a file");
			more = false;
		} else if (event.type == YAML_SCALAR_EVENT || event.type == YAML_ALIAS_EVENT ||
			   event.type == YAML_SEQUENCE_START_EVENT ||
			   event.type == YAML_MAPPING_START_EVENT) {
			root = build(b, &event);
			more = root;
		}
		yaml_event_delete(&event);
	}
	return root;
}

int yaml_doc_parse(const char *file, const char *text, size_t len, struct diag *diag,
		   struct yaml_doc **ret)
{
	size_t before = diag->n;
	struct yaml_doc *d;
	struct builder b = {.diag = diag};

	*ret = NULL;
	xnew(d);
	d->file = xstrdup(file);
	b.file = d->file;
	if (!yaml_parser_initialize(&b.parser)) {
		yaml_doc_free(d);
		diag_add(diag, file, 0, 0, "the YAML parser cannot start");
		return -ENOMEM;
	}
	yaml_parser_set_input_string(&b.parser, (const unsigned char *)text, len);
	d->root = build_document(&b);
	yaml_parser_delete(&b.parser);
	if (!d->root && diag->n == before)
		diag_add(diag, file, 1, 1, "the file is empty");
	if (diag->n != before) {
		yaml_doc_free(d);
		return -EINVAL;
	}
	*ret = d;
	return 0;
}

int yaml_doc_load(const char *path, struct diag *diag, struct yaml_doc **ret)
{
	struct buf text __free_buf = BUF_INIT;
	int rc = diag_read_file(diag, path, MAX_BYTES, &text);

	*ret = NULL;
	return rc ? rc : yaml_doc_parse(path, text.data, text.len, diag, ret);
}

void yaml_doc_free(struct yaml_doc *d)
{
	if (!d)
		return;
	node_free(d->root);
	free(d->file);
	free(d);
}

void yaml_error(struct diag *diag, const struct yaml_node *node, const char *fmt, ...)
{
	char *text __free(str) = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	diag_add(diag, node->file, node->line, node->col, "%s", text ? text : fmt);
}

bool yaml_want(struct diag *diag, const struct yaml_node *node, enum yaml_kind kind,
	       const char *what)
{
	static const char *const names[] = {"a single value", "a list [a, b]", "a map of keys"};

	if (node->kind == kind)
		return true;
	yaml_error(diag, node, "%s is %s, expected %s", what, names[node->kind], names[kind]);
	return false;
}

void yaml_check_keys(struct diag *diag, const struct yaml_node *map, const char *const *known,
		     size_t n_known)
{
	size_t i, k;

	for (i = 0; i < map->n; i++) {
		const char *key = map->keys[i]->text, *near;

		for (k = 0; k < n_known && strcmp(key, known[k]); k++)
			;
		if (k < n_known)
			continue;
		near = text_nearest(key, known, n_known);
		if (near) {
			yaml_error(diag, map->keys[i], "unknown key '%s', did you mean '%s'?", key,
				   near);
		} else {
			struct buf all __free_buf = BUF_INIT;

			for (k = 0; k < n_known; k++)
				buf_addf(&all, "%s%s", k ? ", " : "", known[k]);
			yaml_error(diag, map->keys[i], "unknown key '%s', expected one of: %s", key,
				   all.data);
		}
	}
}

const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key)
{
	size_t i;

	for (i = 0; map->kind == YAML_MAP && i < map->n; i++) {
		if (!strcmp(map->keys[i]->text, key))
			return map->items[i];
	}
	return NULL;
}

const struct yaml_node *yaml_need(struct diag *diag, const struct yaml_node *map, const char *key)
{
	const struct yaml_node *v = yaml_get(map, key);

	if (!v)
		yaml_error(diag, map, "key '%s' is missing", key);
	return v;
}

const char *yaml_text(struct diag *diag, const struct yaml_node *node, const char *what)
{
	if (!node || !yaml_want(diag, node, YAML_SCALAR, what))
		return NULL;
	if (!node->text[0]) {
		yaml_error(diag, node, "%s is empty", what);
		return NULL;
	}
	return node->text;
}

bool yaml_u64(struct diag *diag, const struct yaml_node *node, uint64_t min, uint64_t max,
	      uint64_t *ret)
{
	uint64_t v = 0;

	if (!node)
		return false;
	if (node->kind == YAML_SCALAR && !text_parse_u64(node->text, &v) && v >= min && v <= max) {
		*ret = v;
		return true;
	}
	yaml_error(diag, node, "'%s' is not a whole number, expected %llu to %llu",
		   node->kind == YAML_SCALAR ? node->text : "...", (unsigned long long)min,
		   (unsigned long long)max);
	return false;
}

bool yaml_size(struct diag *diag, const struct yaml_node *node, uint64_t *ret_bytes)
{
	if (!node)
		return false;
	if (node->kind == YAML_SCALAR && !text_parse_size(node->text, ret_bytes))
		return true;
	yaml_error(diag, node, "'%s' is not a size, expected e.g. 2G or 512M",
		   node->kind == YAML_SCALAR ? node->text : "...");
	return false;
}

bool yaml_bool(struct diag *diag, const struct yaml_node *node, bool *ret)
{
	static const char *const words[] = {"off", "on", "false", "true", "no", "yes"};
	int i;

	if (!node)
		return false;
	i = yaml_word(diag, node, words, ARRAY_SIZE(words));
	if (i >= 0)
		*ret = i & 1;
	return i >= 0;
}

int yaml_word(struct diag *diag, const struct yaml_node *node, const char *const *words, size_t n)
{
	struct buf all __free_buf = BUF_INIT;
	const char *near;
	size_t i;

	if (!yaml_want(diag, node, YAML_SCALAR, "this"))
		return -1;
	for (i = 0; i < n; i++) {
		if (!strcmp(node->text, words[i]))
			return (int)i;
		buf_addf(&all, "%s%s", i ? ", " : "", words[i]);
	}
	near = text_nearest(node->text, words, n);
	if (near)
		yaml_error(diag, node, "'%s' is not known, did you mean '%s'?", node->text, near);
	else
		yaml_error(diag, node, "'%s' is not known, expected one of: %s", node->text,
			   all.data);
	return -1;
}

size_t yaml_len(const struct yaml_node *node)
{
	return !node ? 0 : node->kind == YAML_LIST ? node->n : 1;
}

const struct yaml_node *yaml_item(const struct yaml_node *node, size_t i)
{
	return node->kind == YAML_LIST ? node->items[i] : node;
}
