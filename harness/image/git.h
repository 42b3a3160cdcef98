/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * git.h - git as a tool: no hook, no configuration of the user's or the host's.
 */
#ifndef KJUMP_IMAGE_GIT_H
#define KJUMP_IMAGE_GIT_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

#define GIT_MAX_WORDS 32

/*
 * Runs git with @args (NULL at the end, at most 12) in @dir, appends its stdout to
 * @out and its stderr to @errors (NULL: not wanted). -EIO with git's last line.
 */
int git_run(const char *dir, const char *const *args, struct buf *out, struct buf *errors,
	    struct err *e);

/* The words before git's own arguments; returns how many. @dir is borrowed. */
size_t git_words(const char *dir, const char *ret_words[GIT_MAX_WORDS]);

#endif
