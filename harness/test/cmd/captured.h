/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * captured.h - runs a command in this process and keeps what it prints.
 */
#ifndef KJUMP_TEST_CMD_CAPTURED_H
#define KJUMP_TEST_CMD_CAPTURED_H

#include "test/test.h"

#include <fcntl.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/text.h"

/* @argv ends with NULL; @fd is what is kept: stdout or stderr. Returns the exit status. */
static inline int captured(int (*command)(int argc, char **argv), const char *const *argv, int fd,
			   struct buf *out)
{
	char path[] = "/tmp/kjump-test.XXXXXX", chunk[4096];
	int file = mkstemp(path), saved = dup(fd), argc = 0, status;
	ssize_t n;

	assert_true(file >= 0 && saved >= 0);
	unlink(path);
	while (argv[argc])
		argc++;
	fflush(stdout);
	fflush(stderr);
	dup2(file, fd);
	status = command(argc, (char **)argv);
	fflush(stdout);
	fflush(stderr);
	dup2(saved, fd);
	close(saved);
	assert_int_equal(lseek(file, 0, SEEK_SET), 0);
	while ((n = read(file, chunk, sizeof(chunk))) > 0)
		buf_add(out, chunk, (size_t)n);
	close(file);
	return status;
}

/* One document, in which nothing is left that a terminal obeys, or that is no UTF-8. */
static inline void assert_json_is_safe(const struct buf *text)
{
	struct json *doc __free(json) = NULL;
	size_t i, n;

	assert_int_equal(json_parse(text->data, text->len, &doc, NULL), 0);
	for (i = 0; i < text->len; i += n) {
		uint32_t code;

		n = text_utf8(text->data + i, text->len - i, &code);
		if (!n || (code != '\n' && text_is_format(code)))
			fail_msg("byte 0x%02x at %zu: '%.60s'", (unsigned char)text->data[i], i,
				 text->data + i);
	}
}

#endif
