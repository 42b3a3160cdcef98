// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/probe_card.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/text.h"
#include "evidence/evidence.h"

#define LABEL_WIDTH 16
#define MAX_LINES   24 /* of one report; all of it is in its file */

struct found {
	char *hang, *tables;
	bool proven;
};

static void replace(char **text, const char *with)
{
	free(*text);
	*text = xstrdup_null(with);
}

static int on_event(const struct event *ev, void *arg)
{
	struct found *f = arg;

	if (ev->type != EVENT_PROBE)
		return 0;
	if (ev->probe.what == PROBE_PROVEN || (ev->probe.what == PROBE_SUSPECTED && !f->proven)) {
		f->proven = ev->probe.what == PROBE_PROVEN;
		replace(&f->hang, ev->probe.text);
	} else if (ev->probe.what == PROBE_TABLES_BAD) {
		replace(&f->tables, ev->probe.text);
	}
	return 0;
}

/* "label<TAB>value", or a sentence. */
static void add_line(struct buf *out, const char *line, size_t len)
{
	const char *tab = memchr(line, '\t', len);
	struct buf label __free_buf = BUF_INIT;
	size_t n = tab ? (size_t)(tab - line) : 0;

	if (tab) {
		text_escape(&label, line, n);
		buf_addf(out, "%-*s  ", LABEL_WIDTH, label.data);
		n++;
	}
	text_escape(out, line + n, len - n);
	buf_addch(out, '\n');
}

static void add_report(struct buf *out, const char *text)
{
	unsigned int lines = 0;

	while (text && *text && lines++ < MAX_LINES) {
		size_t len = strcspn(text, "\n");

		add_line(out, text, len);
		text += len + (text[len] == '\n');
	}
	if (text && *text)
		buf_adds(out, "...\n");
}

char *probe_card(const char *dir)
{
	struct found f = {0};
	struct buf out = BUF_INIT;
	size_t skipped;

	/* What is wrong with the evidence is said where all of it is printed. */
	evidence_replay(dir, on_event, &f, &skipped, NULL);
	add_report(&out, f.hang);
	add_report(&out, f.tables);
	free(f.hang);
	free(f.tables);
	if (out.len)
		return buf_steal(&out);
	buf_fini(&out);
	return NULL;
}
