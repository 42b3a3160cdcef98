// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/show_job.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "cmd/exhibit.h"
#include "cmd/probe_card.h"
#include "evidence/event_json.h"
#include "evidence/evidence.h"
#include "report/json.h"
#include "report/table.h"

#define OUTPUT_LINES 12 /* of a command's output */

int job_choose(const struct run_rows *r, const char *text, struct job_choice *ret, struct err *e)
{
	const char *dot = strchr(text, '.');
	size_t len = dot ? (size_t)(dot - text) : strlen(text), n = 0, i;
	struct buf found __free_buf = BUF_INIT;
	uint64_t attempt = 0;

	*ret = (struct job_choice){0};
	if (dot && (text_parse_u64(dot + 1, &attempt) || attempt < 1 || attempt > UINT32_MAX))
		return err_set(e, EINVAL, "'%s' is not JOB or JOB.ATTEMPT", text);
	for (i = 0; i < r->n_jobs; i++) {
		const struct attempt_row *row = r->jobs[i].first;

		if (strncmp(row->job, text, len))
			continue;
		n++;
		buf_addf(&found, "\n  %s  ", row->job);
		text_escape(&found, row->title, strlen(row->title));
		free(ret->job);
		ret->job = xstrdup(row->job);
	}
	if (!n)
		return err_set(e, ENOENT, "no job's id starts with '%.*s'", (int)len, text);
	if (n > 1)
		return err_set(e, ENOTUNIQ, "'%.*s' may be any of:%s", (int)len, text, found.data);
	ret->attempt = (unsigned int)attempt;
	return 0;
}

void job_choice_fini(struct job_choice *c)
{
	free(c->job);
}

bool job_is_chosen(const struct job_choice *c, const struct attempt_row *row)
{
	return !strcmp(c->job, row->job) && (!c->attempt || c->attempt == row->attempt);
}

char *evidence_of(const struct attempt_row *row, const char *results)
{
	char *beside __free(str) = NULL;

	if (!row->evidence_dir)
		return NULL;
	if (file_exists(row->evidence_dir))
		return xstrdup(row->evidence_dir);
	beside = xasprintf("%s/runs/%s/%s.%u", results, row->run, row->job, row->attempt);
	return file_exists(beside) ? steal_ptr(beside) : NULL;
}

/* Text that is printed with the same style all along. */
struct page {
	const struct style *style;
	struct buf *out;
};

static void add_time(struct page *p, uint64_t t_ns)
{
	buf_addf(p->out, "  %8.3fs  ", (double)t_ns / NS_PER_S);
}

static void add_text(struct page *p, enum tone tone, const char *before, const char *text)
{
	buf_adds(p->out, before);
	style_add(p->out, p->style, tone, text);
	buf_addch(p->out, '\n');
}

/* The first lines of what may be binary. */
static void add_output(struct page *p, const void *data, size_t len)
{
	const char *text = data, *end;
	unsigned int lines = 0;

	for (; len; lines++) {
		struct buf safe __free_buf = BUF_INIT;
		size_t n;

		end = memchr(text, '\n', len);
		n = end ? (size_t)(end - text) : len;
		if (lines == OUTPUT_LINES) {
			buf_addf(p->out, "             | (%zu more bytes)\n", len);
			return;
		}
		text_escape(&safe, text, n);
		buf_adds(p->out, "             | ");
		style_add_cut(p->out, p->style, TONE_DIM, safe.data, p->style->width - 15);
		buf_addch(p->out, '\n');
		n += end != NULL;
		text += n;
		len -= n;
	}
}

static void add_command(struct page *p, const struct event *ev)
{
	buf_addf(p->out, "exit %d after %.3fs: ", ev->command.status,
		 (double)ev->command.duration_ns / NS_PER_S);
	add_text(p, TONE_PLAIN, "$ ", ev->command.line);
	add_output(p, ev->command.output, ev->command.output_len);
}

static void add_check(struct page *p, const struct event *ev)
{
	const char *seen = ev->check.seen ? ev->check.seen : "nothing";

	style_add(p->out, p->style, ev->check.ok ? TONE_GOOD : TONE_BAD,
		  ev->check.ok ? "proof " : "DISPROOF ");
	if (ev->check.ok) {
		style_add(p->out, p->style, TONE_PLAIN, ev->check.name);
		add_text(p, TONE_PLAIN, ": ", seen);
		return;
	}
	add_text(p, TONE_PLAIN, "", ev->check.name);
	add_text(p, TONE_PLAIN, "             expected ",
		 ev->check.expected ? ev->check.expected : "nothing");
	add_text(p, TONE_PLAIN, "             seen     ", seen);
}

static void add_named(struct page *p, enum tone tone, const char *what, const char *name,
		      const char *text)
{
	char *line __free(str) =
		xasprintf("%s %s%s%s", what, name, text && *text ? ": " : "", text ? text : "");

	add_text(p, tone, "", line);
}

static void add_frame(struct page *p, const struct event *ev)
{
	char *text __free(str) =
		xasprintf("%ux%u %s%.2f%% lit, %.2f%% new%s%s%s%s", ev->frame.width,
			  ev->frame.height, ev->frame.placeholder ? "(no guest drew it) " : "",
			  ev->frame.lit_ppm / 1e4, ev->frame.changed_ppm / 1e4,
			  ev->frame.match ? ", shows " : "", ev->frame.match ? ev->frame.match : "",
			  ev->frame.file ? ", " : "", ev->frame.file ? ev->frame.file : "");

	add_named(p, TONE_DIM, "display", ev->frame.steady ? "steady" : "frame", text);
}

static enum tone probe_tone(enum probe_what what)
{
	switch (what) {
	case PROBE_TABLES_BAD:
	case PROBE_EXCEPTION:
	case PROBE_SUSPECTED:
	case PROBE_PROVEN:
		return TONE_BAD;
	case PROBE_INJECTED:
	case PROBE_TABLES_UNKNOWN:
	case PROBE_LOST:
		return TONE_WARN;
	case PROBE_TABLES_GOOD:
		return TONE_GOOD;
	case PROBE_COUNT:
		break;
	}
	return TONE_DIM;
}

/* The card stands above; here only that it came. */
static void add_probe(struct page *p, const struct event *ev)
{
	char *file __free(str) = ev->probe.file
					 ? xasprintf("%s, %s", ev->probe.title, ev->probe.file)
					 : xstrdup(ev->probe.title);

	add_named(p, probe_tone(ev->probe.what), "machine state", probe_what_name(ev->probe.what),
		  file);
}

static int add_event(const struct event *ev, void *arg)
{
	struct page *p = arg;
	char *text __free(str) = NULL;

	if (ev->type == EVENT_CONSOLE || ev->type == EVENT_INPUT)
		return 0;
	add_time(p, ev->t_ns);
	switch (ev->type) {
	case EVENT_CONSOLE:
	case EVENT_INPUT:
		break;
	case EVENT_GAP:
		text = xasprintf("%" PRIu64 " bytes", ev->gap.bytes);
		add_named(p, TONE_WARN, "console gap,", text, ev->gap.why);
		break;
	case EVENT_MARK:
		add_named(p, TONE_TITLE, "--", mark_name(ev->mark.mark), ev->mark.text);
		break;
	case EVENT_COMMAND:
		add_command(p, ev);
		break;
	case EVENT_CHECK:
		add_check(p, ev);
		break;
	case EVENT_MACHINE:
		add_named(p, TONE_DIM, "machine", machine_what_name(ev->machine.what),
			  ev->machine.text);
		break;
	case EVENT_FRAME:
		add_frame(p, ev);
		break;
	case EVENT_SIGNAL:
		add_named(p, TONE_WARN, "display", ev->signal.present ? "signal" : "no signal",
			  ev->signal.text);
		break;
	case EVENT_PROBE:
		add_probe(p, ev);
		break;
	case EVENT_LIMIT:
		text = xasprintf("of %.1fs", (double)ev->limit.limit_ms / 1000);
		add_named(p, TONE_BAD, "limit passed,", ev->limit.what, text);
		break;
	case EVENT_INFRA:
		add_named(p, TONE_WARN, "infra", "error", ev->infra.text);
		break;
	}
	return 0;
}

/* Where to look; what each of them shows stands in the timeline. */
static void add_pictures(struct page *p, const struct attempt_row *row, const char *dir)
{
	struct exhibit x __cleanup(exhibit_fini) = {0};
	size_t i;

	/* What is wrong with the evidence is said where it is printed. */
	exhibit_read(dir, row, 0, &x, NULL);
	if (x.n_pictures)
		add_text(p, TONE_TITLE, "\n", "pictures");
	for (i = 0; i < x.n_pictures; i++) {
		char *path __free(str) = file_join(dir, x.pictures[i].file);

		add_time(p, (uint64_t)x.pictures[i].ms * NS_PER_MS);
		if (x.pictures[i].milestones)
			add_text(p, TONE_GOOD, "", x.pictures[i].milestones);
		add_text(p, TONE_PLAIN, x.pictures[i].milestones ? "             " : "", path);
	}
	if (x.n_kept > x.n_pictures)
		buf_addf(p->out, "  and %zu more beside them\n", x.n_kept - x.n_pictures);
}

static void add_evidence(struct page *p, const struct attempt_row *row, const char *dir)
{
	struct err e __free_err = ERR_INIT;
	size_t skipped = 0;

	add_text(p, TONE_TITLE, "\n", "timeline");
	if (evidence_replay(dir, add_event, p, &skipped, &e))
		add_text(p, TONE_WARN, "  ", err_msg(&e));
	if (skipped)
		buf_addf(p->out, "  %zu damaged lines of events were left out\n", skipped);
	add_pictures(p, row, dir);
	buf_addch(p->out, '\n');
	add_text(p, TONE_PLAIN, "evidence: ", dir);
}

static void add_lines(struct page *p, const char *title, const char *text, const char *before)
{
	const char *s = text, *end;

	if (!text || !*text)
		return;
	add_text(p, TONE_TITLE, "\n", title);
	for (; *s; s = *end ? end + 1 : end) {
		char *line __free(str) = NULL;

		end = strchrnul(s, '\n');
		line = xstrndup(s, (size_t)(end - s));
		add_text(p, TONE_PLAIN, before, line);
	}
}

static void cell_ms(struct table *t, int64_t ms)
{
	char *text __free(str) = ms < 0 ? xstrdup("") : xasprintf("%8.3fs", (double)ms / 1000);

	table_cell(t, TONE_PLAIN, text);
}

static void add_stages(struct page *p, const struct attempt_row *row)
{
	struct table *t __free(table) = table_new(3);
	int i;

	table_cell(t, TONE_TITLE, "stage");
	table_cell(t, TONE_TITLE, "since start");
	table_cell(t, TONE_TITLE, "since jump");
	for (i = 0; i < N_STAGES; i++) {
		if (row->stage_ms[i] < 0)
			continue;
		table_cell(t, TONE_PLAIN, stage_name((enum stage)i));
		cell_ms(t, row->stage_ms[i]);
		cell_ms(t, row->jump_ms < 0 || row->stage_ms[i] < row->jump_ms
				   ? -1
				   : row->stage_ms[i] - row->jump_ms);
	}
	buf_addch(p->out, '\n');
	table_add(t, p->style, 2, p->out);
}

static void add_verdict(struct page *p, const struct attempt_row *row)
{
	char *text __free(str) =
		xasprintf("%s, last stage %s%s%s%s", outcome_name(row->outcome),
			  stage_name(row->stage), row->proof == PROOF_NONE ? "" : ", ",
			  row->proof == PROOF_NONE ? "" : proof_name(row->proof),
			  row->truncated ? ", its report is cut off" : "");

	add_text(p, style_outcome_tone(row->outcome), "  ", text);
	if (row->signature)
		add_text(p, TONE_PLAIN, "  ", row->signature);
	if (row->detail)
		add_text(p, TONE_PLAIN, "  ", row->detail);
}

void show_attempt_text(const struct attempt_row *row, const char *results,
		       const struct style *style, struct buf *out)
{
	char *dir __free(str) = evidence_of(row, results);
	char *title __free(str) = xasprintf("%s.%u  %s", row->job, row->attempt, row->title);
	char *card __free(str) = dir ? probe_card(dir) : NULL;
	struct page p = {style, out};

	add_text(&p, TONE_TITLE, "", title);
	if (!row->done) {
		buf_adds(out, "  not run\n");
		return;
	}
	add_verdict(&p, row);
	add_stages(&p, row);
	add_lines(&p, "machine state", card, "  ");
	add_lines(&p, "degraded by", row->degradations, "  ");
	add_lines(&p, "what followed", row->consequences, "  ");
	add_lines(&p, "last lines", row->last_lines, "  | ");
	if (dir)
		add_evidence(&p, row, dir);
	else
		buf_adds(out, "\nno evidence was kept\n");
}

static int push_event(const struct event *ev, void *arg)
{
	if (ev->type != EVENT_CONSOLE && ev->type != EVENT_INPUT)
		json_push(arg, event_to_json(ev));
	return 0;
}

struct json *show_attempt_json(const struct attempt_row *row, const char *results)
{
	char *dir __free(str) = evidence_of(row, results);
	struct json *o = json_attempt(row), *events = json_new_array();
	struct err e __free_err = ERR_INIT;
	size_t skipped = 0;

	if (dir && evidence_replay(dir, push_event, events, &skipped, &e))
		json_set_str(o, "evidence_error", err_msg(&e));
	json_set(o, "events", events);
	return o;
}
