// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-capture.c - any bytes as the stream of a grabber's program.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "machine/display/capture_stream.h"

static volatile unsigned int sum;

/* Touches all that a message says to have. */
static void read_body(const struct capture_message *m)
{
	size_t n = (size_t)3 * m->head.width * m->head.height, i;

	for (i = 0; i < n; i++)
		sum += m->rgb[i];
	for (i = 0; i < m->head.text_bytes; i++)
		sum += (unsigned char)m->text[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf in __free_buf = BUF_INIT;
	struct capture_message m;
	size_t bytes = 0;
	int rc;

	buf_add(&in, data, size);
	while ((rc = capture_stream_parse(&in, &m, &bytes, NULL)) > 0) {
		if (!bytes || bytes > in.len || m.head.kind >= N_CAPTURE_KINDS)
			abort();
		read_body(&m);
		buf_consume(&in, bytes);
	}
	if (rc && rc != -EBADMSG)
		abort();
	return 0;
}
