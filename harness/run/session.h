/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - one attempt of one job: a script of steps over a machine.
 *
 * It knows the machine only by its port, has no opinion about kernels, and
 * writes down what it sees; the judge it carries along tells it when nothing
 * more can be learned.
 */
#ifndef KJUMP_RUN_SESSION_H
#define KJUMP_RUN_SESSION_H

#include <systemd/sd-event.h>

#include "base/err.h"
#include "evidence/event.h"
#include "image/image.h"
#include "machine/display/reference.h"
#include "machine/machine.h"
#include "plan/job.h"
#include "probe/kernel_map.h"

/* Files of one end of a jump, made by image/ before anything runs. */
struct boot_files {
	struct kernel_files *kernel;
	const struct kernel_map *map; /* what its Image tells; NULL: nobody wants to know */
	char *initramfs;
	struct buf dtb;		     /* empty: the machine's own, or A's live tree */
	struct buf live_dtb;	     /* the tree that this system must have when it runs */
	char *cmdline;		     /* without the attempt's token */
	char *root;		     /* what its /etc/kjump/root says; NULL: not known */
	struct reference *reference; /* the picture that it promises to show, or NULL */
};

struct session_setup {
	const struct job *job;
	unsigned int attempt;		/* from 1 */
	const struct boot_files *a, *b; /* borrowed, outlive the session */
	const char *scratch_dir;	/* for files of this attempt, removed at its end; copied */
	double time_factor;		/* scales every limit */
	sd_event *loop;
	/* Every event, in order. */
	void (*emit)(const struct event *ev, void *arg);
	/* A file for the evidence, named by an event that follows. -errno: it is not kept. */
	int (*keep)(const char *name, const void *data, size_t len, void *arg);
	/* May the attempt end (the judge is settled)? Asked after each event. */
	bool (*settled)(void *arg);
	/* Exactly once, from the loop; the session may be freed in it. */
	void (*done)(void *arg);
	void *arg;
};

struct session;

/*
 * Makes the scratch directory and the attempt's files in it (blocks for as long
 * as it takes to copy a kernel); everything else comes from the loop.
 */
int session_start(const struct session_setup *setup, struct session **ret, struct err *e);
/* Ends the attempt: an infra event says why, done follows. */
void session_cancel(struct session *s, const char *why);
void session_free(struct session *s);

#endif
