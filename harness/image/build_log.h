/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_log.h - a command of a build: its output kept, its steps counted, its first
 * error found.
 */
#ifndef KJUMP_IMAGE_BUILD_LOG_H
#define KJUMP_IMAGE_BUILD_LOG_H

#include "base/buf.h"
#include "base/err.h"

struct build_log {
	int fd; /* where the output is appended; borrowed */
	/* After each line that is a step of kbuild's ("  CC      mm/mmu.o"); or NULL. */
	void (*step)(size_t n, const char *line, void *arg);
	void *arg;
	size_t n_steps;
	char *first_error; /* "mm/mmu.c:12:3: error: ...", escaped; NULL: none seen */
	char *last_line;
	struct buf pending;
};

#define BUILD_LOG_INIT(log_fd)                      \
	{                                           \
		.fd = (log_fd), .pending = BUF_INIT \
	}

void build_log_fini(struct build_log *l);

/* Takes output as it comes. */
void build_log_feed(struct build_log *l, const void *data, size_t len);

/* Runs @argv in @dir to its end. -EIO: it failed; @e says why by the first error. */
int build_log_run(struct build_log *l, const char *dir, const char *const *argv, struct err *e);

#endif
