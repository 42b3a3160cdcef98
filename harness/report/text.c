// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text.h"

#include <errno.h>
#include <inttypes.h>

#include "base/alloc.h"
#include "report/blocks.h"

static void add_title(const struct run_rows *r, const struct style *s, struct buf *out)
{
	const char *name = json_get_str(r->facts, "case"), *host = json_get_str(r->facts, "host");
	struct buf text __free_buf = BUF_INIT;

	buf_addf(&text, "run %s", json_get_str(r->facts, "id"));
	style_add(out, s, TONE_TITLE, text.data);
	buf_reset(&text);
	buf_addf(&text, ", case %s, %s", name, json_get_str(r->facts, "started"));
	if (host)
		buf_addf(&text, ", on %s", host);
	style_add(out, s, TONE_PLAIN, text.data);
	buf_adds(out, "\n\n");
}

void text_totals(const struct run_rows *r, const struct style *s, struct buf *out)
{
	size_t count[N_OUTCOMES] = {0}, planned = 0, i;
	int64_t duration = json_get_int(r->facts, "duration_s", -1);

	for (i = 0; i < r->n; i++) {
		if (r->rows[i].done)
			count[r->rows[i].outcome]++;
		else
			planned++;
	}
	buf_addf(out, "%zu of %zu userspace-reached", count[OUTCOME_USERSPACE_REACHED], r->n);
	for (i = OUTCOME_USERSPACE_REACHED + 1; i < N_OUTCOMES; i++) {
		if (count[i])
			buf_addf(out, ", %zu %s", count[i], outcome_name((enum outcome)i));
	}
	if (planned)
		buf_addf(out, ", %zu not run", planned);
	if (duration >= 0)
		buf_addf(out, "; %" PRId64 " s", duration);
	buf_addch(out, '\n');
}

void text_run(const struct run_rows *r, const struct style *s, struct buf *out)
{
	size_t start;

	add_title(r, s, out);
	if (run_is_matrix(r)) {
		style_add(out, s, TONE_DIM,
			  "down: from, across: to; seconds from the jump to userspace");
		buf_addch(out, '\n');
		text_matrix(r, s, out);
	} else {
		text_jump_table(r, s, out);
	}
	buf_addch(out, '\n');
	start = out->len;
	text_failures(r, s, out);
	buf_adds(out, out->len > start ? "\n" : "");
	text_totals(r, s, out);
}

int text_write(FILE *out, const struct buf *text, struct err *e)
{
	if (fwrite(text->data, 1, text->len, out) != text->len || fflush(out))
		return err_errno(e, errno ? errno : EIO, "cannot write the report");
	return 0;
}

int report_text_run(struct store *s, const char *run, FILE *out, struct err *e)
{
	struct run_rows *r __free(run_rows) = NULL;
	struct style style = style_of(out);
	struct buf text __free_buf = BUF_INIT;
	int rc = run_rows_load(s, run, &r, e);

	if (rc)
		return rc;
	text_run(r, &style, &text);
	return text_write(out, &text, e);
}
