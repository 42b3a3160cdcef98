// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/diag.h"

#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/text.h"

static int by_position(const void *a, const void *b)
{
	const struct diag_message *x = a, *y = b;
	int c = strcmp(x->file, y->file);

	if (c)
		return c;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->col != y->col)
		return x->col < y->col ? -1 : 1;
	return strcmp(x->text, y->text);
}

void diag_add(struct diag *d, const char *file, unsigned int line, unsigned int col,
	      const char *fmt, ...)
{
	struct diag_message *m = array_push(d->messages, d->n);
	struct buf safe __free_buf = BUF_INIT;
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = xstrdup(fmt);
	va_end(ap);
	/* It quotes a file that may hold anything, and ends on a terminal. */
	text_escape(&safe, text, strlen(text));
	free(text);
	m->file = xstrdup(file);
	m->line = line;
	m->col = col;
	m->text = buf_steal(&safe);
}

void diag_print(struct diag *d, FILE *out)
{
	size_t i;

	if (d->n)
		qsort(d->messages, d->n, sizeof(*d->messages), by_position);
	for (i = 0; i < d->n; i++) {
		const struct diag_message *m = &d->messages[i];

		if (i && !by_position(m, m - 1))
			continue;
		if (m->line)
			fprintf(out, "%s:%u:%u: %s\n", m->file, m->line, m->col, m->text);
		else
			fprintf(out, "%s: %s\n", m->file, m->text);
	}
}

void diag_fini(struct diag *d)
{
	size_t i;

	for (i = 0; i < d->n; i++) {
		free(d->messages[i].file);
		free(d->messages[i].text);
	}
	free(d->messages);
	*d = (struct diag)DIAG_INIT;
}
