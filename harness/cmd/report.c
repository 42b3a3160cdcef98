// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report.c - `kjump report`: a run in a form to pass on.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "cmd/exhibit.h"
#include "cmd/options.h"
#include "cmd/paths.h"
#include "cmd/results.h"
#include "cmd/show_job.h"
#include "report/html.h"
#include "report/text.h"

static const char usage_text[] =
	"usage: kjump report RUN --format FORMAT [-o PATH] [--results DIR]\n"
	"\n"
	"Writes a run down in a form to pass on. RUN is 'last' or the beginning of an\n"
	"id.\n"
	"\n"
	"  --format html   one file for a browser, with pictures; nothing else is needed\n"
	"  --format text   what kjump show prints\n"
	"  -o PATH         into this file, which is complete or absent; else to stdout\n"
	"  --results DIR   where kjump.db is (default: results)\n";

struct report_args {
	const char *run, *format, *path, *results;
};

static int open_exhibit(const struct attempt_row *row, size_t picture_bytes, struct exhibit *ret,
			void *arg, struct err *e)
{
	char *dir __free(str) = evidence_of(row, arg);

	return dir ? exhibit_read(dir, row, picture_bytes, ret, e) : 0;
}

static void make_html(const struct run_rows *r, const struct report_args *args, struct buf *out)
{
	const struct exhibit_source source = {open_exhibit, (void *)args->results};

	html_run(r, &source, out);
}

static void make_text(const struct run_rows *r, const struct report_args *args, struct buf *out)
{
	struct style style = args->path ? (struct style){.width = 80} : style_of(stdout);

	text_run(r, &style, out);
}

static const struct format {
	const char *name;
	void (*make)(const struct run_rows *r, const struct report_args *args, struct buf *out);
} formats[] = {
	{"html", make_html},
	{"text", make_text},
};

static const struct format *format_of(const char *name, struct err *e)
{
	struct buf known __free_buf = BUF_INIT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		if (name && !strcmp(name, formats[i].name))
			return &formats[i];
		buf_addf(&known, "%s%s", i ? ", " : "", formats[i].name);
	}
	if (name)
		err_set(e, EINVAL, "there is no format '%s'; there are: %s", name, known.data);
	else
		err_set(e, EINVAL, "--format is missing: %s", known.data);
	return NULL;
}

static int report(const struct report_args *args, struct err *e)
{
	const struct format *format = format_of(args->format, e);
	struct run_rows *rows __free(run_rows) = NULL;
	struct store *s __free(store) = NULL;
	struct buf text __free_buf = BUF_INIT;
	char *run __free(str) = NULL;
	int rc;

	if (!format)
		return -EINVAL;
	rc = results_open_run(args->results, args->run, &s, &run, e);
	if (!rc)
		rc = run_rows_load(s, run, &rows, e);
	if (rc)
		return rc;
	format->make(rows, args, &text);
	return args->path ? file_write(args->path, text.data, text.len, e)
			  : text_write(stdout, &text, e);
}

int cmd_report(int argc, char **argv)
{
	struct paths *paths __free(paths) = NULL;
	struct err e __free_err = ERR_INIT;
	struct report_args args = {0};
	const struct option_spec specs[] = {
		{"format", &args.format, NULL},
		{"o", &args.path, NULL},
		{"results", &args.results, NULL},
		{NULL, NULL, NULL},
	};
	enum exit_status status;
	int rc = 0;

	if (!options_read(argc, argv, specs, usage_text, &args.run, 1, &status))
		return status;
	if (!args.run) {
		fputs(usage_text, stderr);
		return EXIT_USAGE;
	}
	if (!args.results) {
		rc = paths_find(&paths, &e);
		args.results = rc ? NULL : paths->results;
	}
	if (!rc)
		rc = report(&args, &e);
	if (rc)
		log_error("%s", err_msg(&e));
	return results_status(rc);
}
