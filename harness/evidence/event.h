/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h - what an attempt leaves behind: a sequence of timed facts.
 *
 * The session emits them, the writer keeps them, the judge consumes them (live
 * or replayed from disk: the same sequence either way). Times are nanoseconds
 * since the attempt's start on CLOCK_MONOTONIC and never decrease. All pointers
 * are borrowed for the duration of a call.
 */
#ifndef KJUMP_EVIDENCE_EVENT_H
#define KJUMP_EVIDENCE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum event_type {
	EVENT_CONSOLE, /* bytes from the target */
	EVENT_INPUT,   /* bytes typed to the target */
	EVENT_GAP,     /* console bytes that were not kept or not received */
	EVENT_MARK,    /* the session passed a point of the script */
	EVENT_COMMAND, /* a shell command on the target ended */
	EVENT_CHECK,   /* one proof that we are (not) in B */
	EVENT_MACHINE, /* the machine or its monitor said something */
	EVENT_FRAME,   /* what the display shows now */
	EVENT_SIGNAL,  /* the display's signal came, went or changed its size */
	EVENT_PROBE,   /* what the machine's state says, seen from outside */
	EVENT_LIMIT,   /* a time limit passed */
	EVENT_INFRA,   /* the harness or the host failed: proves nothing */
};

/* Points of the script, in the order of a healthy attempt. */
enum mark {
	MARK_POWER_ON,	  /* A's CPUs may run */
	MARK_A_UP,	  /* A's shell answered */
	MARK_A_PROVEN,	  /* A is the A that was asked for */
	MARK_LOAD,	  /* the command that loads B was entered */
	MARK_LOADED,	  /* it said that B is loaded */
	MARK_LOAD_FAILED, /* it said no: text has the reason */
	MARK_JUMP,	  /* the command that leaves A was entered */
	/* A kexec as a debug port sees it; a machine without one has none of these. */
	MARK_RELOCATE,	 /* the relocation code runs */
	MARK_PURGATORY,	 /* it is over; the MMU is off */
	MARK_ENTRY,	 /* B's first instruction */
	MARK_MMU_ON,	 /* B runs on its identity map */
	MARK_B_KERNEL,	 /* B runs where it is linked, or randomised, to */
	MARK_POWER_OFF,	 /* cold, reboot: A is down */
	MARK_B_POWER_ON, /* cold, reboot: B's CPUs may run */
	MARK_B_UP,	 /* B's shell answered */
	MARK_B_PROVEN,	 /* every check was made; the checks say how it went */
};

enum machine_what {
	MACHINE_EVENT_QMP,	/* text: the event's JSON */
	MACHINE_EVENT_RESET,	/* the target reset itself */
	MACHINE_EVENT_SHUTDOWN, /* the target powered itself off */
	MACHINE_EVENT_PANIC,	/* the monitor was told of a guest panic */
	MACHINE_EVENT_DIED,	/* QEMU ended unasked: text says how */
};

enum probe_what {
	PROBE_TABLES_GOOD,    /* the transitional tables hold every page that the jump touches */
	PROBE_TABLES_BAD,     /* they do not */
	PROBE_TABLES_UNKNOWN, /* they could not be looked at: text says why */
	PROBE_INJECTED,	      /* a fault was put in on purpose */
	PROBE_EXCEPTION,      /* a CPU took an exception where there is nothing to handle it */
	PROBE_SUSPECTED,      /* it looks like a hang; something from outside might still end it */
	PROBE_PROVEN,	      /* nothing but a reset ends this */
	PROBE_COUNT,	      /* how often the machine was asked */
	PROBE_LOST,	      /* nothing more is seen from outside; the limits go on */
};

struct event {
	uint64_t t_ns;
	enum event_type type;
	union {
		struct {
			const void *data;
			size_t len;
		} bytes; /* CONSOLE, INPUT */
		struct {
			uint64_t bytes;
			const char *why; /* "over the size limit", "hangup" */
		} gap;
		struct {
			enum mark mark;
			const char *text; /* or NULL */
		} mark;
		struct {
			const char *line;   /* as entered */
			int status;	    /* exit status */
			const void *output; /* stdout and stderr, exact */
			size_t output_len;
			uint64_t duration_ns;
		} command;
		struct {
			const char *name; /* "release", "cmdline", "devicetree", ... */
			const char *expected, *seen;
			bool ok;
		} check;
		struct {
			enum machine_what what;
			const char *text;
		} machine;
		struct {
			uint64_t uncertainty_ns; /* it changed at most so long before */
			unsigned int width, height;
			const char *digest;	  /* equal pixels, equal digest */
			unsigned int lit_ppm;	  /* pixels that are not dark */
			unsigned int changed_ppm; /* pixels other than in the frame before */
			bool placeholder;	  /* of the machine, no guest drew it */
			bool steady;		  /* not new: it has stood for a while */
			const char *match;	  /* name of the reference it shows, or NULL */
			const char *file;	  /* beside the events, or NULL: not kept */
		} frame;
		struct {
			bool present;
			const char *text; /* in words */
		} signal;
		struct {
			enum probe_what what;
			const char *title; /* stable: no address that another boot has elsewhere */
			const char *text;  /* a sentence, then lines "label<TAB>value"; or NULL */
			const char *file;  /* beside the events: all of it; or NULL */
		} probe;
		struct {
			const char *what; /* name of the limit: "jump", "silence" */
			uint64_t limit_ms;
		} limit;
		struct {
			const char *text;
		} infra;
	};
};

/* Stable names, as on disk. The parsers return -EINVAL for any other text, also NULL. */
const char *event_type_name(enum event_type t);
int event_type_parse(const char *s, enum event_type *ret);
const char *mark_name(enum mark m);
int mark_parse(const char *s, enum mark *ret);
const char *machine_what_name(enum machine_what w);
int machine_what_parse(const char *s, enum machine_what *ret);
const char *probe_what_name(enum probe_what w);
int probe_what_parse(const char *s, enum probe_what *ret);

#endif
