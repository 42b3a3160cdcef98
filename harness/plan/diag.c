// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/diag.h"

#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
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
	va_list ap;

	va_start(ap, fmt);
	m->text = text_vsafe(fmt, ap);
	va_end(ap);
	m->file = xstrdup(file);
	m->line = line;
	m->col = col;
}

int diag_read_file(struct diag *d, const char *path, size_t max_bytes, struct buf *ret)
{
	struct err e __free_err = ERR_INIT;
	int rc = file_read(path, max_bytes, ret, &e);

	if (rc)
		diag_add(d, path, 0, 0, "%s", err_msg(&e));
	return rc;
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
