/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox.h - a directory for one test, which is also its cache's home.
 */
#ifndef KJUMP_TEST_IMAGE_SANDBOX_H
#define KJUMP_TEST_IMAGE_SANDBOX_H

#include "test/test.h"

#include <sys/stat.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"

static inline int sandbox_setup(void **state)
{
	char *dir = xstrdup("/tmp/kjump-test.XXXXXX");

	if (!mkdtemp(dir) || setenv("XDG_CACHE_HOME", dir, 1))
		return -1;
	*state = dir;
	return 0;
}

static inline int sandbox_teardown(void **state)
{
	char *dir = *state;
	int rc = file_remove_tree(dir, NULL);

	free(dir);
	return rc;
}

/* DIR/NAME, with the directories above it made; *returned*. */
static inline char *sandbox_path(const char *dir, const char *name)
{
	char *path = file_join(dir, name);
	char *parent __free(str) = xstrdup(path);

	*strrchr(parent, '/') = '\0';
	assert_int_equal(file_mkdir(parent, 0755, NULL), 0);
	return path;
}

static inline void sandbox_put(const char *dir, const char *name, const void *data, size_t len)
{
	char *path __free(str) = sandbox_path(dir, name);

	assert_int_equal(file_write(path, data, len, NULL), 0);
}

static inline void sandbox_puts(const char *dir, const char *name, const char *text)
{
	sandbox_put(dir, name, text, strlen(text));
}

static inline void assert_file_is(const char *dir, const char *name, const char *text)
{
	char *path __free(str) = file_join(dir, name);
	struct buf got __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;

	if (file_read(path, 1 << 20, &got, &e))
		fail_msg("%s", err_msg(&e));
	assert_int_equal(got.len, strlen(text));
	assert_memory_equal(got.data, text, got.len);
}

static inline bool sandbox_has(const char *dir, const char *name)
{
	char *path __free(str) = file_join(dir, name);
	struct stat st;

	return !lstat(path, &st);
}

/* The call must succeed; if it does not, say why. */
#define assert_ok(call)                              \
	do {                                         \
		if (call)                            \
			fail_msg("%s", err_msg(&e)); \
	} while (0)

#define assert_contains(text, part)                                             \
	do {                                                                    \
		if (!strstr((text), (part)))                                    \
			fail_msg("'%s' does not contain '%s'", (text), (part)); \
	} while (0)

#endif
