/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_opts.h - the command line of `kjump run`.
 */
#ifndef KJUMP_CMD_RUN_OPTS_H
#define KJUMP_CMD_RUN_OPTS_H

#include <stdbool.h>

#include "cmd/cmd.h"

struct run_opts {
	const char *case_path;
	const char *results; /* NULL: the project's */
	const char *kernels; /* NULL: the project's */
	const char *mirror;
	const char *only;
	const char *resume;	    /* run id, a prefix of it, or "last" */
	unsigned int jobs;	    /* at once; 0: one a core */
	unsigned int repeat;	    /* 0: as the case says */
	unsigned int shard, shards; /* 1..shards; 0: all */
	const char *lab;	    /* NULL: this host's */
	bool wait;		    /* for a board in use */
	bool json;
};

/* EXIT_EXPECTED to go on, else the status to exit with (usage was printed). */
enum exit_status run_opts_parse(struct run_opts *o, int argc, char **argv, bool *ret_go_on);

#endif
