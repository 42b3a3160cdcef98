/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts.h - what a running system says about itself, in one command.
 *
 * Everything in it comes from the target and is taken as it is; only checks
 * against what was asked for give it a meaning.
 */
#ifndef KJUMP_RUN_FACTS_H
#define KJUMP_RUN_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct facts {
	char *release; /* all strings: NULL where the target did not say */
	char *cmdline;
	char *boot_id;
	char *profile;	       /* /etc/kjump/profile */
	char *root;	       /* /etc/kjump/root */
	char *root_type;       /* file system type that is mounted on / */
	uint64_t uptime_ms;    /* UINT64_MAX: not said */
	unsigned int cpus;     /* online; 0: not said */
	bool has_display;      /* a driver that can show something */
	struct buf devicetree; /* flattened; empty: not said */
};

/* The command to run; needs no program but gzip. */
extern const char facts_command[];

/* Starts as FACTS_INIT. -EBADMSG: that is no output of the command. */
#define FACTS_INIT                                                         \
	{                                                                  \
		.uptime_ms = UINT64_MAX, .devicetree = { buf_empty, 0, 0 } \
	}
int facts_parse(struct facts *f, const char *output, size_t len, struct err *e);
void facts_fini(struct facts *f);

/* How many CPUs a list as in /sys/devices/system/cpu/online has: "0-3,5" is 5; 0: bad. */
unsigned int facts_count_cpus(const char *list);

#endif
