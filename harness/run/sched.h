/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched.h - the queue of attempts, and which of them run now.
 *
 * Attempts start in the order in which they were added, as far as slots admit
 * them: one that does not fit waits and holds back those behind it, so that a
 * large machine is never starved by small ones. All callbacks come from the
 * loop.
 */
#ifndef KJUMP_RUN_SCHED_H
#define KJUMP_RUN_SCHED_H

#include <systemd/sd-event.h>

#include "base/err.h"
#include "plan/job.h"
#include "run/slots.h"

struct sched;

struct sched_item {
	const struct job *job; /* borrowed */
	unsigned int attempt;  /* from 1 */
	uint64_t host_bytes;
	int slot; /* while it runs */
	uint64_t started_ns;
	void *data; /* the starter's */
};

struct sched_opts {
	sd_event *loop;
	struct slots *slots; /* borrowed */
	/*
	 * Starts an attempt, which ends with sched_done(). If it cannot be
	 * started, a negative errno: the item counts as done.
	 */
	int (*start)(struct sched_item *item, void *arg);
	/* Once: nothing is queued and nothing runs. */
	void (*idle)(void *arg);
	void *arg;
};

int sched_new(const struct sched_opts *opts, struct sched **ret, struct err *e);
void sched_free(struct sched *s);

void sched_add(struct sched *s, const struct job *job, unsigned int attempt, uint64_t host_bytes);
/* Begins to start attempts from the loop; also when there is none (idle follows). */
void sched_go(struct sched *s);
/* An attempt has ended: its slot is free again. */
void sched_done(struct sched *s, struct sched_item *item);
/* Drops what is queued; what runs goes on until sched_done(). */
void sched_drop_queue(struct sched *s);

size_t sched_total(const struct sched *s);
size_t sched_finished(const struct sched *s);
/* Calls @each for what runs now. */
void sched_each_running(struct sched *s, void (*each)(struct sched_item *item, void *arg),
			void *arg);
/* From the mean duration so far; UINT64_MAX while none has finished. */
uint64_t sched_eta_ns(const struct sched *s, uint64_t now_ns);

#endif
