// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/git.h"

#include <errno.h>
#include <string.h>

#include "base/process.h"

#define MAX_OUTPUT_BYTES (64 << 20)

size_t git_words(const char *dir, const char *ret_words[GIT_MAX_WORDS])
{
	/* Whoever committed what is in a patch stays its author; the committer is us. */
	static const char *const before[] = {
		"env",
		"-u",
		"GIT_DIR",
		"-u",
		"GIT_INDEX_FILE",
		"-u",
		"GIT_WORK_TREE",
		"LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_COMMITTER_NAME=kjump",
		"GIT_COMMITTER_EMAIL=kjump@localhost",
		"GIT_COMMITTER_DATE=2000-01-01T00:00:00Z",
		"GIT_OPTIONAL_LOCKS=0",
		"git",
		"-c",
		"core.hooksPath=/dev/null",
		"-C",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(before); i++)
		ret_words[i] = before[i];
	ret_words[i++] = dir;
	return i;
}

int git_run(const char *dir, const char *const *args, struct buf *out, struct buf *errors,
	    struct err *e)
{
	const char *argv[GIT_MAX_WORDS];
	size_t n = git_words(dir, argv);

	while (*args) {
		if (n + 1 == GIT_MAX_WORDS)
			return err_set(e, E2BIG, "too many arguments for git");
		argv[n++] = *args++;
	}
	argv[n] = NULL;
	return process_run(argv, MAX_OUTPUT_BYTES, out, errors, e);
}
