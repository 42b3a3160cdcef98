/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boards.h - the real boards of a run: which place of the lab each is, its lease,
 * and how it is left.
 */
#ifndef KJUMP_CMD_BOARDS_H
#define KJUMP_CMD_BOARDS_H

#include <stdbool.h>

#include "cmd/paths.h"
#include "machine/lease.h"
#include "plan/case.h"
#include "plan/lab.h"

struct boards {
	struct lab *lab;
	const struct lab_place **places; /* leased, each once */
	struct lease *leases;
	size_t n;
};

/* *Returned*: @chosen, or board/lab/HOST.yaml. */
char *boards_lab_path(const struct paths *paths, const char *chosen);

/*
 * Reads the lab, if @plan has a machine that is a real board, and gives each of
 * them its place; mistakes go to @diag. False: there were some.
 */
bool boards_find(struct boards *b, struct plan *plan, const char *lab_path, struct diag *diag);

/* Takes their leases; what a dead owner left is put to rest first, and said so. */
int boards_take(struct boards *b, const struct plan *plan, const char *results, bool wait,
		struct err *e);

/* Puts them to rest and gives the leases back. Legal in any state. */
void boards_fini(struct boards *b);

#endif
