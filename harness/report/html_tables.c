// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * html_tables.c - what was run, the matrix or the list of jumps, and what failed.
 */
#include "report/html.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "report/blocks.h"
#include "report/markup.h"

#define JOBS_SHOWN 40 /* of attempts that failed alike */

static void add_fact(const char *name, const char *value, struct buf *out)
{
	if (!value || !*value)
		return;
	buf_addf(out, "<dt>%s</dt>", name);
	markup_element(out, "dd", NULL, value);
	buf_addch(out, '\n');
}

static void add_cell(const char *text, struct buf *out)
{
	markup_element(out, "td", NULL, text ? text : "");
}

/* The versions by which attempts were judged: one, unless a run was resumed under others. */
static void add_rules(const struct run_rows *r, struct buf *out)
{
	struct names versions __free_names = NAMES_INIT;
	size_t i;

	for (i = 0; i < r->n; i++) {
		if (r->rows[i].rules_version)
			names_add(&versions, r->rows[i].rules_version);
	}
	for (i = 0; i < versions.n; i++)
		add_fact("rules", versions.names[i], out);
}

static void add_kernels(const struct run_rows *r, struct buf *out)
{
	const struct json *kernels = json_get(r->facts, "kernels");
	size_t i;

	buf_adds(out, "<table>\n<tr><th>kernel</th><th>release</th><th>from</th><th>digest</th>"
		      "</tr>\n");
	for (i = 0; i < json_len(kernels); i++) {
		const struct json *k = json_at(kernels, i);

		buf_adds(out, "<tr>");
		add_cell(json_get_str(k, "name"), out);
		add_cell(json_get_str(k, "release"), out);
		add_cell(json_get_str(k, "provenance"), out);
		buf_adds(out, "<td><code>");
		markup_text(out, json_get_str(k, "digest") ? json_get_str(k, "digest") : "");
		buf_adds(out, "</code></td></tr>\n");
	}
	buf_adds(out, "</table>\n");
}

static void add_machine(const struct attempt_row *row, struct buf *out)
{
	char ram[24];

	text_format_size(row->ram_bytes, ram, sizeof(ram));
	buf_adds(out, "<tr>");
	add_cell(row->machine, out);
	add_cell(row->board, out);
	add_cell(row->cpu, out);
	add_cell(ram, out);
	add_cell(row->lpa2, out);
	add_cell(row->el2 ? "on" : "off", out);
	buf_adds(out, "</tr>\n");
}

static void add_machines(const struct run_rows *r, struct buf *out)
{
	struct names seen __free_names = NAMES_INIT;
	size_t i;

	buf_adds(out, "<table>\n<tr><th>machine</th><th>board</th><th>CPU</th><th>RAM</th>"
		      "<th>LPA2</th><th>EL2</th></tr>\n");
	for (i = 0; i < r->n_jobs; i++) {
		size_t n = seen.n;

		names_add(&seen, r->jobs[i].first->machine);
		if (seen.n > n)
			add_machine(r->jobs[i].first, out);
	}
	buf_adds(out, "</table>\n");
}

static void add_host(const struct run_rows *r, struct buf *out)
{
	char *factor __free(str) =
		xasprintf("%.2f (time limits are so many times as long as written)",
			  json_get_double(r->facts, "time_factor", 1));
	char *at_once __free(str) =
		xasprintf("%" PRId64, json_get_int(r->facts, "jobs_at_once", 0));

	add_fact("host", json_get_str(r->facts, "host"), out);
	add_fact("host calibration", factor, out);
	add_fact("jobs at once", at_once, out);
	add_fact("kjump", json_get_str(r->facts, "kjump_version"), out);
	add_fact("QEMU", json_get_str(r->facts, "qemu_version"), out);
}

void html_facts(const struct run_rows *r, struct buf *out)
{
	buf_adds(out, "<dl>\n");
	add_fact("run", json_get_str(r->facts, "id"), out);
	add_fact("started", json_get_str(r->facts, "started"), out);
	add_fact("finished", json_get_str(r->facts, "finished"), out);
	add_fact("case", json_get_str(r->facts, "case_path"), out);
	add_fact("digest of the case", json_get_str(r->facts, "case_digest"), out);
	add_rules(r, out);
	add_host(r, out);
	buf_adds(out, "</dl>\n<details>\n<summary>Kernels and machines</summary>\n");
	add_kernels(r, out);
	add_machines(r, out);
	buf_adds(out, "</details>\n");
}

/* The attempt that a person wants to see: the first one that went as badly as any. */
static const struct attempt_row *worst_of(const struct job_sum *j)
{
	const struct attempt_row *row;

	for (row = j->first; row < j->first + j->planned; row++) {
		if (row->done && row->outcome == j->worst)
			return row;
	}
	return j->first;
}

static void add_link(const struct attempt_row *row, const char *text, struct buf *out)
{
	buf_adds(out, "<a href=\"#");
	markup_text(out, row->job);
	buf_addf(out, ".%u\">", row->attempt);
	markup_text(out, text);
	buf_adds(out, "</a>");
}

/* A time means that it got there; a word says what else happened. */
static void add_sum(const struct job_sum *j, struct buf *out)
{
	struct buf text __free_buf = BUF_INIT;

	job_sum_text(j, &text);
	buf_addf(out, "<td class=\"%s\">", markup_class(job_sum_tone(j)));
	add_link(worst_of(j), text.data, out);
	buf_adds(out, "</td>");
}

static void add_block(const struct block *b, struct buf *out)
{
	struct buf kind __free_buf = BUF_INIT;
	const struct job_sum *job;
	size_t from, to;

	job_sum_kind(b->jobs[0], &kind);
	buf_adds(out, "<table class=\"matrix\">\n<tr>");
	markup_element(out, "th", NULL, kind.data);
	for (to = 0; to < b->to.n; to++)
		markup_element(out, "th", NULL, b->to.names[to]);
	buf_adds(out, "</tr>\n");
	for (from = 0; from < b->from.n; from++) {
		buf_adds(out, "<tr>");
		markup_element(out, "th", NULL, b->from.names[from]);
		for (to = 0; to < b->to.n; to++) {
			if (block_cell(b, b->from.names[from], b->to.names[to], &job))
				add_sum(job, out);
			else
				buf_adds(out, "<td></td>");
		}
		buf_adds(out, "</tr>\n");
	}
	buf_adds(out, "</table>\n");
}

void html_matrix(const struct run_rows *r, struct buf *out)
{
	struct blocks b __cleanup(blocks_fini);
	size_t i;

	blocks_init(&b, r);
	buf_adds(out,
		 "<section>\n<h2>Matrix</h2>\n<p>Down: from; across: to. Seconds from the jump "
		 "to userspace, or what happened instead.</p>\n");
	for (i = 0; i < b.n; i++) {
		if (blocks_begins_place(&b, i)) {
			struct buf kernels __free_buf = BUF_INIT;

			job_sum_kernels(b.blocks[i].jobs[0], &kernels);
			buf_adds(out, i ? "</div>\n<h3>" : "<h3>");
			markup_text(out, b.blocks[i].jobs[0]->first->machine);
			buf_adds(out, ", ");
			markup_text(out, kernels.data);
			buf_adds(out, "</h3>\n<div class=\"blocks\">\n");
		}
		add_block(&b.blocks[i], out);
	}
	buf_adds(out, b.n ? "</div>\n</section>\n" : "</section>\n");
}

void html_jump_table(const struct run_rows *r, struct buf *out)
{
	size_t i;

	buf_adds(out, "<section>\n<h2>Jumps</h2>\n<p>Seconds from the jump to userspace, or what "
		      "happened instead.</p>\n<table>\n<tr><th>jump</th><th></th><th>machine</th>"
		      "<th>kernel</th><th>device tree</th><th>result</th></tr>\n");
	for (i = 0; i < r->n_jobs; i++) {
		const struct job_sum *j = &r->jobs[i];
		char *jump __free(str) =
			xasprintf("%s \xe2\x86\x92 %s", j->first->from, j->first->to);
		struct buf kernels __free_buf = BUF_INIT, kind __free_buf = BUF_INIT;

		job_sum_kernels(j, &kernels);
		job_sum_kind(j, &kind);
		buf_adds(out, "<tr>");
		add_cell(jump, out);
		add_cell(kind.data, out);
		add_cell(j->first->machine, out);
		add_cell(kernels.data, out);
		add_cell(j->first->dt, out);
		add_sum(j, out);
		buf_adds(out, "</tr>\n");
	}
	buf_adds(out, "</table>\n</section>\n");
}

static void add_group(const struct run_rows *r, size_t first, bool *shown, struct buf *out)
{
	struct buf heading __free_buf = BUF_INIT, jobs __free_buf = BUF_INIT;
	size_t i, n = 0;

	for (i = first; i < r->n; i++) {
		if (!row_failed(&r->rows[i]) || !rows_alike(&r->rows[i], &r->rows[first]))
			continue;
		shown[i] = true;
		if (n++ >= JOBS_SHOWN)
			continue;
		buf_adds(&jobs, "<li>");
		add_link(&r->rows[i], r->rows[i].title, &jobs);
		buf_adds(&jobs, "</li>\n");
	}
	row_heading(&r->rows[first], &heading);
	buf_addf(out, "<li><strong class=\"%s\">",
		 markup_class(style_outcome_tone(r->rows[first].outcome)));
	markup_text(out, heading.data);
	buf_addf(out, "</strong> %zu attempt%s\n<ul>\n", n, n == 1 ? "" : "s");
	buf_add(out, jobs.data, jobs.len);
	if (n > JOBS_SHOWN)
		buf_addf(out, "<li>and %zu more</li>\n", n - JOBS_SHOWN);
	buf_adds(out, "</ul></li>\n");
}

void html_failures(const struct run_rows *r, struct buf *out)
{
	bool *shown = xcalloc(r->n + 1, sizeof(*shown)), any = false;
	size_t i;

	for (i = 0; i < r->n; i++) {
		if (shown[i] || !row_failed(&r->rows[i]))
			continue;
		buf_adds(out,
			 any ? ""
			     : "<section>\n<h2>What failed alike</h2>\n<ul class=\"alike\">\n");
		add_group(r, i, shown, out);
		any = true;
	}
	buf_adds(out, any ? "</ul>\n</section>\n" : "");
	free(shown);
}
