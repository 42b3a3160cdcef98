/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rule.h - what lines on a console mean, from cases/symptoms.yaml.
 *
 * Rules are data: a person adds one without touching C. See the head of the
 * YAML file for the form. The set owns all that it points to.
 */
#ifndef KJUMP_PLAN_RULE_H
#define KJUMP_PLAN_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/diag.h"

/* What a matching line means to the judge. */
enum rule_means {
	RULE_STAGE,	    /* a stage was reached: value is the stage's name */
	RULE_PANIC,	    /* the kernel said that it died */
	RULE_FAULT,	    /* an oops, a WARN, a report: fatal or not, it titles */
	RULE_LOAD_FAILED,   /* B could not be loaded */
	RULE_DEGRADED,	    /* less than healthy, but it goes on */
	RULE_RESET,	    /* only a reset prints this: banner of DDR, SPL, firmware */
	RULE_REQUESTED,	    /* a reset that was asked for announces itself */
	RULE_HUNG,	    /* lockup, stall, hung task: the kernel says it is stuck */
	RULE_INFRA,	    /* the harness's or the host's fault */
	RULE_NOT_USERSPACE, /* a shell that is not B's userspace: (initramfs), emergency */
	RULE_HARMLESS,	    /* looks bad, is not: stops the other rules on that line */
};

struct rule {
	char *id;
	enum rule_means means;
	char *match;   /* PCRE2 pattern over one cleaned line */
	char *value;   /* STAGE: stage name; others: NULL */
	char *title;   /* signature; \1..\9 are the pattern's groups */
	char *example; /* a line that it matches, checked when the file is read */
	char *file;
	unsigned int line, col;
};

struct rule_set {
	char *version; /* the file's own version and its digest: "1+3fa9c2" */
	struct rule *rules;
	size_t n;
};

int rule_set_load(const char *path, struct diag *diag, struct rule_set **ret);
void rule_set_free(struct rule_set *r);
DEFINE_FREE(rule_set, struct rule_set *, rule_set_free(_v));

#endif
