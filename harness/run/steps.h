/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * steps.h - what a session is made of: one table of steps per kind of jump.
 *
 * A step starts something that does not block and ends, later, in exactly one
 * of session_next(), session_infra() and session_end(). The session keeps the
 * time: a limit runs over all neighbouring steps that name the same one.
 */
#ifndef KJUMP_RUN_STEPS_H
#define KJUMP_RUN_STEPS_H

#include <stdbool.h>

#include "run/facts.h"
#include "run/film.h"
#include "run/session.h"
#include "run/shell.h"

enum limit_kind { LIMIT_BOOT, LIMIT_LOAD, LIMIT_SHUTDOWN, LIMIT_JUMP };

struct step {
	enum limit_kind limit;
	bool listens; /* the console should say something all the while */
	void (*start)(struct session *s);
	/* The machine came up; NULL: not expected here. */
	void (*up)(struct session *s);
	/* The machine went down; true: that was expected. NULL: never is. */
	bool (*down)(struct session *s, enum machine_down why);
};

/* A kind of jump; one const descriptor a file. */
struct jump {
	enum jump_kind kind;
	bool carries_b;			 /* A's root holds B under /boot-b */
	bool same_kernel;		 /* A's kernel goes on running */
	const struct step *const *steps; /* ends with NULL */
};

extern const struct jump jump_kexec, jump_pivot, jump_reboot, jump_cold;

/* Steps that every kind shares, in their order. */
extern const struct step step_power_on_a, step_attach_a, step_prove_a;
extern const struct step step_attach_b, step_prove_b; /* after a jump */
extern const struct step step_power_on_b, step_attach_booted_b, step_prove_booted_b;

enum session_timer {
	TIMER_LIMIT,
	TIMER_SILENCE,
	TIMER_DELAY, /* session_later() */
	TIMER_FLUSH, /* console bytes that wait to become an event */
	TIMER_GRACE, /* what still comes after the judge has seen enough */
	TIMER_QUIET,
	N_TIMERS
};

struct session {
	struct session_setup setup;
	const struct job *job;
	const struct jump *jump;
	struct machine *machine;
	struct shell *shell;
	struct framebuffer framebuffer; /* without a width: it is in no RAM */
	struct film *film;		/* NULL: no display, or nobody cares */
	struct watch_kexec *watch;	/* NULL: not yet, or nobody cares */
	sd_event_source *timers[N_TIMERS];
	sd_event_source *finish;
	uint64_t start_ns;

	size_t step;
	enum limit_kind limit; /* the one that runs */
	void (*later)(struct session *s);
	bool ending;   /* no step goes on; only listens */
	bool finished; /* done comes, or came */

	char *scratch_dir; /* setup.scratch_dir points at it */

	struct buf console;  /* bytes that are not an event yet */
	uint64_t console_ns; /* when the first of them came */
	uint64_t heard_ns;   /* when the target last gave a sign of life */
	uint64_t emitted_ns; /* of the newest event */
	bool console_lost;   /* hangup, no back yet */
	struct facts facts_a, facts_b;
	char *cmdline_a, *cmdline_b; /* with this attempt's token */
	char *payload;		     /* paths of this attempt's files, or NULL: */
	char *dtb_a, *dtb_b;	     /* A's initramfs with B inside, device trees */
	char *command;		     /* on the target, and what follows it */
	void (*ran)(struct session *s, const struct shell_result *r);
	void (*attached)(struct session *s);
	uint64_t jump_ns; /* when A was left */
	uint64_t look_ns; /* when everything else was proven of B */
	unsigned int load_tries;
	bool was_reset; /* while it was still being left */
};

/* --- for steps --- */

void session_next(struct session *s);
/* Calls @fn after @ms, unless the session ends before. */
void session_later(struct session *s, uint64_t ms, void (*fn)(struct session *s));
/* @ms, slowed down as this host is. */
uint64_t session_scaled(const struct session *s, uint64_t ms);
/* Nothing more can be learned; collects what still comes, then ends. */
void session_end(struct session *s);
/* A limit passed: the end. */
void session_limit(struct session *s, const char *what, uint64_t ms);
/* The harness or the host failed: the end, at once. */
void session_infra(struct session *s, const char *fmt, ...) __printf(2, 3);

void session_mark(struct session *s, enum mark mark, const char *text);
/*
 * Waits, within bounds, for what B's display must show, or for what it must not;
 * then marks B as proven and goes on.
 */
void session_look(struct session *s);
void session_check(struct session *s, const char *name, const char *expected, const char *seen,
		   bool ok);
void session_machine(struct session *s, enum machine_what what, const char *text);
void session_command(struct session *s, const struct shell_result *r);

/* When a shell that was typed to is given up as silent. */
#define SHELL_ECHO_MS 2000
#define SHELL_RESENDS 5

/*
 * Runs @command and emits it as an event. @done is not called when it could
 * not be run; the session ends then.
 */
void session_run(struct session *s, const char *command,
		 void (*done)(struct session *s, const struct shell_result *r));
/* Marks the jump, enters @command and goes on to the next step. */
void session_leave(struct session *s, const char *command);

/* --- among session*.c --- */

void session_arm(struct session *s, enum session_timer t, uint64_t ms);
void session_disarm(struct session *s, enum session_timer t);
/* What the display shows, into the attempt's events; before and after its machine is made. */
void session_make_film(struct session *s);
void session_start_film(struct session *s);
/* The node of a framebuffer in RAM that either system will have, B's first. */
bool session_framebuffer(struct session *s);
/* Command lines with token, device trees, A's initramfs with B inside. */
int session_make_files(struct session *s, struct err *e);
/*
 * An event of a moment ago: its time is on CLOCK_MONOTONIC. Where another event
 * has a later time already it gets that one, and its uncertainty grows as much.
 */
void session_emit_frame(struct session *s, struct event *ev);
/* After the console bytes that came before it. Nothing once the session has ended. */
void session_emit(struct session *s, struct event *ev);
/*
 * Console bytes, which become events in lines or after a moment: a UART gives
 * them one by one.
 */
void session_keep_bytes(struct session *s, const char *data, size_t len);
void session_flush(struct session *s);
/* The console was away. */
void session_gap(struct session *s);
/* The end, now: done comes from the loop. */
void session_finish(struct session *s);

/* --- for steps, of B and A --- */

/* The tree that kexec is to hand over; empty: A's live one. Borrowed. */
const struct buf *session_kexec_dtb(const struct session *s);

/* A check for each of A's facts; false: it is not the A that was asked for. */
bool session_check_a(struct session *s);
/* A check for each of B's facts. */
void session_check_b(struct session *s);

#endif
