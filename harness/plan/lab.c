// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/lab.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "plan/name.h"

const char *lab_role_name(enum lab_role r)
{
	switch (r) {
	case LAB_POWER:
		return "power";
	case LAB_RESET:
		return "reset";
	case LAB_MASKROM:
		return "maskrom";
	case LAB_N_ROLES:
		break;
	}
	return "?";
}

/* A path in the file, from where the file is; *returned*, or NULL. */
static char *read_path(struct diag *diag, const struct yaml_node *node, const char *what)
{
	const char *text = node ? yaml_text(diag, node, what) : NULL;
	const char *slash;

	if (!text)
		return NULL;
	slash = strrchr(node->file, '/');
	if (*text == '/' || !slash)
		return xstrdup(text);
	return xasprintf("%.*s/%s", (int)(slash - node->file), node->file, text);
}

static char *read_word(struct diag *diag, const struct yaml_node *node, const char *what)
{
	return node ? xstrdup_null(yaml_text(diag, node, what)) : NULL;
}

static void read_tftp(struct lab_place *p, const struct yaml_node *map, struct diag *diag)
{
	static const char *const keys[] = {"server", "directory"};

	if (!map || !yaml_want(diag, map, YAML_MAP, "tftp"))
		return;
	yaml_check_keys(diag, map, keys, ARRAY_SIZE(keys));
	p->tftp_server = read_word(diag, yaml_need(diag, map, "server"), "server");
	p->tftp_directory = read_path(diag, yaml_need(diag, map, "directory"), "directory");
	if (p->tftp_server && p->tftp_server[strspn(p->tftp_server, "0123456789.")])
		yaml_error(diag, yaml_get(map, "server"), "expected an IPv4 address");
}

static void read_recovery(struct lab_place *p, const struct yaml_node *list, struct diag *diag)
{
	size_t n = 0, i;

	for (i = 0; i < yaml_len(list); i++) {
		const char *text = yaml_text(diag, yaml_item(list, i), "a command's word");

		if (text)
			*array_push(p->recovery, n) = xstrdup(text);
	}
	if (n)
		*array_push(p->recovery, n) = NULL;
	if (n && !p->roles[LAB_MASKROM])
		yaml_error(diag, list, "recovery needs the role maskrom");
}

static void read_place(struct lab_place *p, const struct yaml_node *map, struct diag *diag)
{
	static const char *const keys[] = {"description", "board",   "console", "power",
					   "reset",	  "maskrom", "rests",	"devicetree",
					   "tftp",	  "recovery"};
	static const char *const rests[] = {"off", "on"};
	const struct yaml_node *rest;
	int r;

	if (!yaml_want(diag, map, YAML_MAP, "a place"))
		return;
	yaml_check_keys(diag, map, keys, ARRAY_SIZE(keys));
	p->board = read_word(diag, yaml_need(diag, map, "board"), "board");
	if (p->board && !name_is_plain(p->board))
		yaml_error(diag, yaml_get(map, "board"), "'%s' is not a board's name", p->board);
	p->console = yaml_need(diag, map, "console");
	yaml_need(diag, map, "power");
	for (r = 0; r < LAB_N_ROLES; r++)
		p->roles[r] = yaml_get(map, lab_role_name(r));
	rest = yaml_get(map, "rests");
	p->rests_on = rest && yaml_word(diag, rest, rests, ARRAY_SIZE(rests)) == 1;
	p->devicetree = read_path(diag, yaml_need(diag, map, "devicetree"), "devicetree");
	read_tftp(p, yaml_need(diag, map, "tftp"), diag);
	read_recovery(p, yaml_get(map, "recovery"), diag);
}

int lab_load(const char *path, struct diag *diag, struct lab **ret)
{
	static const char *const keys[] = {"description", "places"};
	struct lab *l __free(lab) = NULL;
	size_t before = diag->n, i;
	const struct yaml_node *places;
	int rc;

	xnew(l);
	rc = yaml_doc_load(path, diag, &l->doc);
	if (rc)
		return rc;
	if (!yaml_want(diag, l->doc->root, YAML_MAP, "the file"))
		return -EINVAL;
	yaml_check_keys(diag, l->doc->root, keys, ARRAY_SIZE(keys));
	places = yaml_need(diag, l->doc->root, "places");
	if (places && yaml_want(diag, places, YAML_MAP, "places")) {
		for (i = 0; i < places->n; i++) {
			struct lab_place *p = array_push(l->places, l->n);

			p->name = xstrdup(places->keys[i]->text);
			if (!name_is_plain(p->name))
				yaml_error(diag, places->keys[i], "'%s' is not a plain name",
					   p->name);
			read_place(p, places->items[i], diag);
		}
	}
	if (diag->n != before)
		return -EINVAL;
	*ret = steal_ptr(l);
	return 0;
}

void lab_free(struct lab *l)
{
	size_t i, k;

	if (!l)
		return;
	for (i = 0; i < l->n; i++) {
		struct lab_place *p = &l->places[i];

		for (k = 0; p->recovery && p->recovery[k]; k++)
			free(p->recovery[k]);
		free(p->recovery);
		free(p->name);
		free(p->board);
		free(p->devicetree);
		free(p->tftp_server);
		free(p->tftp_directory);
	}
	free(l->places);
	yaml_doc_free(l->doc);
	free(l);
}

const struct lab_place *lab_find_board(const struct lab *l, const char *board)
{
	size_t i;

	for (i = 0; l && i < l->n; i++) {
		if (!strcmp(l->places[i].board, board))
			return &l->places[i];
	}
	return NULL;
}
