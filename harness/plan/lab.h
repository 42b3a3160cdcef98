/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lab.h - what is plugged in where on one bench: board/lab/NAME.yaml.
 *
 * A place is one board with its wires. How a wire's device is addressed is its
 * driver's to read: the place keeps the file's nodes.
 */
#ifndef KJUMP_PLAN_LAB_H
#define KJUMP_PLAN_LAB_H

#include <stdbool.h>

#include "plan/yaml.h"

enum lab_role { LAB_POWER, LAB_RESET, LAB_MASKROM, LAB_N_ROLES };

const char *lab_role_name(enum lab_role r);

struct lab_place {
	char *name, *board;
	const struct yaml_node *console;
	const struct yaml_node *roles[LAB_N_ROLES]; /* NULL: not wired */
	bool rests_on;				    /* power, when nobody uses it */
	char *devicetree;			    /* its own tree: a file of this host */
	char *tftp_server, *tftp_directory;
	char **recovery; /* flashes a board in MaskROM; NULL at the end, or NULL */
};

struct lab {
	struct yaml_doc *doc;
	struct lab_place *places;
	size_t n;
};

/* -EINVAL with the reasons in @diag. Paths in it are relative to the file. */
int lab_load(const char *path, struct diag *diag, struct lab **ret);
void lab_free(struct lab *l);
DEFINE_FREE(lab, struct lab *, lab_free(_v));

/* The first place with @board, or NULL. */
const struct lab_place *lab_find_board(const struct lab *l, const char *board);

#endif
