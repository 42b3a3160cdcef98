// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/exhibit.h"

void exhibit_fini(struct exhibit *x)
{
	size_t i;

	for (i = 0; i < x->n_checks; i++) {
		free(x->checks[i].name);
		free(x->checks[i].expected);
		free(x->checks[i].seen);
	}
	free(x->checks);
	for (i = 0; i < x->n_pictures; i++) {
		free(x->pictures[i].file);
		free(x->pictures[i].milestones);
		buf_fini(&x->pictures[i].png);
	}
	*x = (struct exhibit){0};
}
