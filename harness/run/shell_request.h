/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shell_request.h - a request step by step; shared by shell.c and shell_request.c.
 */
#ifndef KJUMP_RUN_SHELL_REQUEST_H
#define KJUMP_RUN_SHELL_REQUEST_H

#include "run/shell.h"
#include "run/shell_agent.h"
#include "run/shell_frame.h"
#include "run/shell_text.h"
#include "run/shell_typist.h"

enum shell_phase {
	PHASE_IDLE,
	PHASE_ASK,	/* handshakes, until one is answered */
	PHASE_DEFINE,	/* something that takes the agent's pieces */
	PHASE_PIECES,	/* the agent itself, as lines of base64 */
	PHASE_EVAL,	/* have the target compare its digest and start it */
	PHASE_SEND,	/* pieces of a command, to the agent */
	PHASE_COMMIT,	/* compare, run */
	PHASE_RUNNING,	/* wait for its output */
	PHASE_REFETCH,	/* have output sent again */
	PHASE_FINISHED, /* the result waits for its callback */
};

struct shell {
	struct shell_opts opts;
	sd_event_source *step;	   /* an answer is late */
	sd_event_source *deadline; /* the request is late */
	sd_event_source *finish;   /* calls done from a clean stack */

	struct shell_text text;
	struct shell_scan scan;
	struct typist typist;
	struct buf fresh; /* text of one feed */
	bool attached;

	enum shell_phase phase;
	shell_done_fn done;
	void *arg;
	struct shell_result result;
	uint64_t started_ns;

	/* PHASE_ASK, see shell_ask.c */
	uint64_t poll_ms;
	unsigned int asked; /* number in the last question; 0: none yet */
	uint64_t asked_ns;
	uint64_t ask_gap_ms, poke_gap_ms;
	unsigned int unechoed; /* questions in a row that nobody echoed */
	bool ask_next;	       /* a question comes next, not a newline */
	bool found;	       /* the last question was answered */
	bool answered;	       /* some shell answered since shell_attach() */
	struct buf heard_text; /* the last bytes of text, to find our echo in */

	/* What is sent: agent or command, base64. */
	struct buf payload;
	char digest[65];
	size_t offset;	     /* of the piece under way */
	unsigned int tries;  /* of the line under way */
	unsigned int rounds; /* of the whole command or its output */
	bool leaving;
	unsigned int id; /* of the command */
	bool heard;	 /* the target said something to us since the line began */

	struct shell_frame frame;
};

/* Ends the request: done is called from the loop, soon. */
void shell_finish(struct shell *s, int error);

/* Arms the step timer. */
void shell_step_in(struct shell *s, uint64_t ms);

void shell_enter(struct shell *s, enum shell_phase phase);

/* --- PHASE_ASK: is a shell there? (shell_ask.c) --- */
void shell_ask_first(struct shell *s);
/* The step timer fired. */
void shell_ask_on(struct shell *s);
/* Text came. */
void shell_on_text(struct shell *s, const char *text, size_t len);
void shell_on_answer(struct shell *s, const struct shell_message *m);

void shell_on_message(const struct shell_message *m, void *arg);
/* The step timer fired. */
void shell_on_late(struct shell *s);

#endif
