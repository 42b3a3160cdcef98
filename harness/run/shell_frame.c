// SPDX-License-Identifier: GPL-2.0-or-later
#include "run/shell_frame.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "base/base64.h"

void shell_frame_reset(struct shell_frame *f)
{
	free(f->bytes);
	free(f->have);
	*f = (struct shell_frame){0};
}

int shell_frame_begin(struct shell_frame *f, const struct shell_message *m)
{
	uint64_t status, len;

	if (shell_message_number(m, 1, &status) || status > 255 ||
	    shell_message_number(m, 2, &len) || m->n_fields < 4 ||
	    strlen(m->field[3]) != SHELL_DIGEST_LEN)
		return -EINVAL;
	if (len > SHELL_OUTPUT_MAX)
		return -EMSGSIZE;
	if (f->begun && f->len == len && !strcmp(f->digest, m->field[3]))
		return 0;
	shell_frame_reset(f);
	f->begun = true;
	f->status = (int)status;
	f->len = len;
	strcpy(f->digest, m->field[3]);
	f->n_lines = (len + SHELL_LINE_BYTES - 1) / SHELL_LINE_BYTES;
	f->bytes = xmalloc(len + 1);
	f->have = xcalloc(f->n_lines + 1, sizeof(*f->have));
	return 0;
}

void shell_frame_line(struct shell_frame *f, const struct shell_message *m)
{
	struct buf line __free_buf = BUF_INIT;
	uint64_t n;
	size_t at, want;

	if (!f->begun || m->n_fields < 3 || shell_message_number(m, 1, &n) || n < 1 ||
	    n > f->n_lines || f->have[n - 1])
		return;
	at = (n - 1) * SHELL_LINE_BYTES;
	want = n < f->n_lines ? SHELL_LINE_BYTES : f->len - at;
	if (base64_decode(&line, m->field[2], strlen(m->field[2])) || line.len != want)
		return;
	memcpy(f->bytes + at, line.data, want);
	f->have[n - 1] = true;
	f->n_have++;
}

bool shell_frame_missing(const struct shell_frame *f, size_t *ret_first, size_t *ret_last)
{
	size_t first = 0, last = f->n_lines;

	if (f->n_have == f->n_lines)
		return false;
	while (f->have[first])
		first++;
	while (f->have[last - 1])
		last--;
	*ret_first = first + 1;
	*ret_last = last;
	return true;
}

int shell_frame_check(struct shell_frame *f)
{
	char hex[DIGEST_HEX_SIZE];

	digest_of(f->bytes, f->len, hex);
	if (!strncmp(hex, f->digest, SHELL_DIGEST_LEN))
		return 0;
	/* Which line is wrong is not known, nor whether the digest itself is. */
	shell_frame_reset(f);
	return -EBADMSG;
}
