/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * yaml.h - a YAML 1.1 document as a tree that knows where everything stands.
 *
 * Source: YAML 1.1 as libyaml reads it, without aliases and tags: a
 * configuration file has no use for either. The getters report what is wrong
 * to the struct diag with file:line:col and go on, so that one reading finds
 * all mistakes. Nodes are borrowed from the document.
 */
#ifndef KJUMP_PLAN_YAML_H
#define KJUMP_PLAN_YAML_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/diag.h"

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml_node {
	enum yaml_kind kind;
	const char *file; /* of the document */
	unsigned int line, col;
	char *text; /* SCALAR */
	bool quoted;
	struct yaml_node **items; /* LIST: items; MAP: values */
	struct yaml_node **keys;  /* MAP: scalars, as many as items */
	size_t n;
};

struct yaml_doc {
	char *file;
	struct yaml_node *root;
};

/* -EINVAL with the reasons in @diag: syntax, duplicate keys, aliases, depth. */
int yaml_doc_parse(const char *file, const char *text, size_t len, struct diag *diag,
		   struct yaml_doc **ret);
int yaml_doc_load(const char *path, struct diag *diag, struct yaml_doc **ret);
void yaml_doc_free(struct yaml_doc *d);
DEFINE_FREE(yaml, struct yaml_doc *, yaml_doc_free(_v));

/* A mistake at @node. */
void yaml_error(struct diag *diag, const struct yaml_node *node, const char *fmt, ...)
	__printf(3, 4);

/* True if @node is of @kind; else reports "@what must be a ...". */
bool yaml_want(struct diag *diag, const struct yaml_node *node, enum yaml_kind kind,
	       const char *what);

/* Reports every key of @map that is not in @known, with the nearest one. */
void yaml_check_keys(struct diag *diag, const struct yaml_node *map, const char *const *known,
		     size_t n_known);

/* The value of @key, or NULL. */
const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);
/* As yaml_get(), but a missing key is reported at the map. */
const struct yaml_node *yaml_need(struct diag *diag, const struct yaml_node *map, const char *key);

/* The scalar's text, or NULL (reported) if it is none or empty. Borrowed. */
const char *yaml_text(struct diag *diag, const struct yaml_node *node, const char *what);
/* Each false (reported) if it is not such a value; NULL @node is false silently. */
bool yaml_u64(struct diag *diag, const struct yaml_node *node, uint64_t min, uint64_t max,
	      uint64_t *ret);
bool yaml_size(struct diag *diag, const struct yaml_node *node, uint64_t *ret_bytes);
bool yaml_bool(struct diag *diag, const struct yaml_node *node, bool *ret);
/* Index of the scalar in @words; -1 (reported, with the nearest word). */
int yaml_word(struct diag *diag, const struct yaml_node *node, const char *const *words, size_t n);

/* A list's items, or a lone value as a list of one. */
size_t yaml_len(const struct yaml_node *node);
const struct yaml_node *yaml_item(const struct yaml_node *node, size_t i);

#endif
