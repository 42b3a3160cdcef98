/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - a run as one JSON document, as doc/kjump.1 describes it.
 */
#ifndef KJUMP_REPORT_JSON_H
#define KJUMP_REPORT_JSON_H

#include <stdio.h>

#include "store/store.h"

/*
 * One attempt: job, attempt, from, to, kind, kernel, machine, outcome, expected,
 * stage, proof, signature, stages{name: ms}, first_pixel_ms, userspace_ms,
 * metrics{name: {value, unit, method}}, ... Of one that was not run only what
 * the plan knows. *returned*.
 */
struct json *json_attempt(const struct attempt_row *row);

/* {"run": facts, "attempts": [those done], "planned": [those not run]} to @out. */
int report_json_run(struct store *s, const char *run, FILE *out, struct err *e);

/* One document and a newline. */
int json_write(FILE *out, const struct json *doc, struct err *e);

#endif
