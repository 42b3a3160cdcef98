/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch_parts.h - what the files of watch.h share; for nobody else.
 */
#ifndef KJUMP_RUN_WATCH_PARTS_H
#define KJUMP_RUN_WATCH_PARTS_H

#include "probe/hang_card.h"
#include "probe/hang_proof.h"
#include "probe/kexec_phases.h"
#include "probe/table_check.h"
#include "run/watch.h"

struct watch_kexec {
	struct session *s;
	struct debug *debug;	/* of the machine; NULL: lost, or none */
	struct debug_regs regs; /* all, of the CPU that runs A's kernel */
	struct arm64_regime regime;
	unsigned int tries; /* to find a CPU in A's kernel */
	unsigned int cpu;

	struct phys_memory memory;
	struct kexec_image image;
	bool has_image;
	bool has_check;
	struct table_check check;
	void *b_bytes; /* B's Image, mapped; NULL: not */
	size_t b_len;

	struct kexec_phases *phases;
	struct hang_proof *proof;
	struct hang_scene scene;
	sd_event_source *timer;
	bool left;	       /* the jump was made */
	uint64_t moved_ns;     /* when a phase was last seen to begin */
	uint64_t suspected_ns; /* since when it looks like a hang; 0: it does not */
	char *suspected;       /* the title that was told */
	unsigned int n_asked;

	/* A fault that is being put in. */
	void (*injected)(struct watch_kexec *w);
	char *injection;      /* what it is, in words */
	unsigned int n_edits; /* requests without an answer */
};

void watch_emit(struct watch_kexec *w, enum probe_what what, const char *title, const char *text,
		const char *file);
/* It is of no use any more; the session goes on. */
void watch_lose(struct watch_kexec *w, const char *why);
/* Lets the target run. */
void watch_resume(struct watch_kexec *w);

/* --- watch_tables.c: with the target halted and w->regs read --- */

/*
 * Where A's kernel lies, and whether the CPU that was read has its tables just now.
 * True also for a kernel of which nothing is known.
 */
bool watch_locate_kernel(struct watch_kexec *w);
/* Finds the loaded image and checks its tables, as far as it is there. */
void watch_look_at_image(struct watch_kexec *w);
/* Puts in the job's fault, then @then; the session may end instead. */
void watch_inject(struct watch_kexec *w, void (*then)(struct watch_kexec *w));
void watch_tables_fini(struct watch_kexec *w);

/* --- watch_hang.c --- */

void watch_start_phases(struct watch_kexec *w);
/* It stopped for another reason: what was being asked is asked again later. */
void watch_stop_asking(struct watch_kexec *w);
int watch_on_timer(sd_event_source *source, uint64_t usec, void *arg);

#endif
