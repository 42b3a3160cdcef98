// SPDX-License-Identifier: GPL-2.0-or-later
#include "run/shell_typist.h"

#include <string.h>

#define ECHO_HINT 4 /* so many bytes in a row were no accident */

void typist_init(struct typist *t, int (*write)(const void *data, size_t len, void *arg), void *arg)
{
	*t = (struct typist){.write = write, .arg = arg, .line = BUF_INIT, .seen = BUF_INIT};
}

void typist_fini(struct typist *t)
{
	buf_fini(&t->line);
	buf_fini(&t->seen);
}

static int type_burst(struct typist *t)
{
	size_t n = t->line.len - t->typed;

	if (n > t->burst)
		n = t->burst;
	t->typed += n;
	return t->write(t->line.data + t->typed - n, n, t->arg);
}

int typist_start(struct typist *t, size_t burst)
{
	t->burst = burst ? burst : 1;
	t->typed = 0;
	t->entered = false;
	t->echoed = false;
	buf_reset(&t->seen);
	return type_burst(t);
}

/* Keeps of what was seen only what the echo may have begun in. */
static void forget(struct typist *t)
{
	size_t keep = t->line.len;

	if (t->seen.len > keep)
		buf_consume(&t->seen, t->seen.len - keep);
}

int typist_feed(struct typist *t, const char *text, size_t len, bool *ret_progress)
{
	size_t hint = t->line.len < ECHO_HINT ? t->line.len : ECHO_HINT;
	const char *at;
	size_t i;
	int rc = 0;

	if (t->entered)
		return 0;
	for (i = 0; i < len; i++) {
		/* An editor that wraps the line puts newlines into the echo. */
		if (text[i] != '\n')
			buf_addch(&t->seen, text[i]);
	}
	if (memmem(t->seen.data, t->seen.len, t->line.data, hint))
		t->echoed = true;
	while (!rc && !t->entered) {
		at = memmem(t->seen.data, t->seen.len, t->line.data, t->typed);
		if (!at)
			break;
		*ret_progress = true;
		buf_consume(&t->seen, (size_t)(at - t->seen.data));
		if (t->typed < t->line.len) {
			rc = type_burst(t);
			continue;
		}
		t->entered = true;
		rc = t->write("\n", 1, t->arg);
	}
	forget(t);
	return rc;
}
