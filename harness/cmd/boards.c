// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/boards.h"

#include <errno.h>
#include <sys/utsname.h>

#include "base/alloc.h"
#include "base/log.h"
#include "machine/board_power.h"

char *boards_lab_path(const struct paths *paths, const char *chosen)
{
	struct utsname host;

	if (chosen)
		return xstrdup(chosen);
	uname(&host);
	return xasprintf("%s/lab/%s.yaml", paths->boards, host.nodename);
}

bool boards_find(struct boards *b, struct plan *plan, const char *lab_path, struct diag *diag)
{
	size_t i;

	for (i = 0; i < plan->n_machines; i++) {
		struct machine_spec *spec = &plan->machines[i];

		if (!spec->hardware)
			continue;
		if (!b->lab && lab_load(lab_path, diag, &b->lab))
			return false;
		spec->place = lab_find_board(b->lab, spec->board);
		if (!spec->place) {
			diag_add(diag, lab_path, 0, 0, "no place has a board '%s'", spec->board);
			return false;
		}
	}
	return true;
}

static bool is_taken(const struct boards *b, const struct lab_place *place)
{
	size_t i;

	for (i = 0; i < b->n; i++) {
		if (b->places[i] == place)
			return true;
	}
	return false;
}

static int take(struct boards *b, const struct lab_place *place, const char *results, bool wait,
		struct err *e)
{
	struct lease lease = LEASE_INIT;
	char *dead __free(str) = NULL;
	size_t n = b->n;
	int rc = lease_take(&lease, results, place->name, wait, &dead, e);

	if (rc)
		return rc;
	*array_push(b->leases, n) = lease;
	*array_push(b->places, b->n) = place;
	if (!dead)
		return 0;
	log_warn("board '%s': the lease of a dead owner is broken (%s); putting the board to rest",
		 place->name, dead);
	rc = board_power_rest(place, e);
	return rc ? err_prefix(e, rc, "board '%s'", place->name) : 0;
}

int boards_take(struct boards *b, const struct plan *plan, const char *results, bool wait,
		struct err *e)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < plan->n_machines; i++) {
		const struct lab_place *place = plan->machines[i].place;

		if (place && !is_taken(b, place))
			rc = take(b, place, results, wait, e);
	}
	return rc;
}

void boards_fini(struct boards *b)
{
	struct err e __free_err = ERR_INIT;
	size_t i;

	for (i = 0; i < b->n; i++) {
		/* The lease keeps our name then: the next one tries again. */
		if (board_power_rest(b->places[i], &e))
			log_warn("board '%s' is not at rest: %s", b->places[i]->name, err_msg(&e));
		else
			lease_give(&b->leases[i]);
	}
	free(b->leases);
	free(b->places);
	lab_free(b->lab);
}
