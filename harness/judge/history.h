/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history.h - what happened in an attempt, as far as it matters.
 *
 * Facts come in order: marks, checks, limits, the machine's words and the
 * symptoms on the console. The first one that nothing can take back decides;
 * what comes after it is a consequence. The script's marks say whose a symptom
 * is: before the jump it is A's and tells nothing about B.
 */
#ifndef KJUMP_JUDGE_HISTORY_H
#define KJUMP_JUDGE_HISTORY_H

#include "judge/failures.h"
#include "judge/judge.h"
#include "judge/screen.h"
#include "judge/stage.h"

#define HISTORY_CHECKS	16
#define HISTORY_BANNERS 16

enum certain {
	CERTAIN_NOTHING,
	CERTAIN_LOAD_FAILED,
	CERTAIN_PANIC,
	CERTAIN_RESET,
	CERTAIN_INFRA,
	CERTAIN_LIMIT,
	CERTAIN_HANG,
	CERTAIN_PROVEN,
};

struct history {
	struct judge_opts opts;
	struct stages stages;
	struct screen screen;

	struct failures failures;

	bool in_load, after_jump, b_powered, a_proven;
	bool reset_expected; /* it said that it restarts, or was told to */
	unsigned int resets;
	const struct rule *banners[HISTORY_BANNERS]; /* of this boot */
	size_t n_banners;
	const struct rule *first_early; /* the line with which its kernel began: */
	size_t first_early_len;
	char first_early_text[64];

	char *wrong;	   /* first check that says that this is not B */
	char *cpus;	   /* the check of CPUs, if it failed */
	char **also_wrong; /* further ones */
	size_t n_also_wrong;

	/* What the machine's state said: titles, or NULL. */
	char *tables;	 /* of the first finding in the transitional tables */
	char *suspected; /* of the newest suspicion, nothing moved since */
	char *hang;	 /* that, or the proof, in one sentence */

	enum certain certain;
	enum stage certain_stage;
	char *certain_text; /* the reason in words, or NULL */
	uint64_t limit_ms;

	uint64_t line; /* the number of the one that is judged */
	uint64_t certain_line;
	uint64_t t_ns;
};

void history_init(struct history *h, const struct judge_opts *opts);
void history_fini(struct history *h);

/* Any event but console bytes. @reason_title: what a rule makes of a load error, or NULL. */
void history_event(struct history *h, const struct event *ev, const char *reason_title);

/* Could a match of @rule (a STAGE: of @stage) still change anything? */
bool history_wants(const struct history *h, const struct rule *rule, enum stage stage);
/* Could any line? The report of what settled it is over after a while. */
bool history_listens(const struct history *h);

/* Rules of all meanings but HARMLESS; @stage is the value of a STAGE. */
void history_symptom(struct history *h, const struct rule *rule, enum stage stage,
		     const struct place *at, const struct symptom_match *m);
bool history_settled(const struct history *h);

/* The first one decides; @text is the reason, or NULL. */
void history_settle(struct history *h, enum certain what, const char *text);

/* history_boot.c: a STAGE rule and a RESET rule matched. */
void history_stage(struct history *h, const struct rule *rule, enum stage stage,
		   const struct place *at, const struct symptom_match *m);
void history_banner(struct history *h, const struct rule *rule);

#endif
