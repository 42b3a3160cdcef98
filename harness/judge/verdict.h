/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict.h - what was decided about an attempt.
 */
#ifndef KJUMP_JUDGE_VERDICT_H
#define KJUMP_JUDGE_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/json.h"

enum outcome {
	OUTCOME_USERSPACE_REACHED,
	OUTCOME_DEGRADED,
	OUTCOME_FIRST_PIXEL,
	OUTCOME_LOAD_FAILED,
	OUTCOME_PANIC,
	OUTCOME_HANG,
	OUTCOME_RESET,
	OUTCOME_WRONG_TARGET,
	OUTCOME_INFRA_ERROR,
};
#define N_OUTCOMES (OUTCOME_INFRA_ERROR + 1)

enum stage {
	STAGE_POWER,
	STAGE_FIRMWARE,
	STAGE_BOOT_A,
	STAGE_USERSPACE_A,
	STAGE_LOAD,
	STAGE_SHUTDOWN,
	STAGE_RELOCATE,
	STAGE_PURGATORY,
	STAGE_ENTRY,
	STAGE_EARLY,
	STAGE_KERNEL_INIT,
	STAGE_FIRST_PIXEL,
	STAGE_INITRAMFS,
	STAGE_USERSPACE_B,
};
#define N_STAGES (STAGE_USERSPACE_B + 1)

/* How a hang is known. */
enum proof { PROOF_NONE, PROOF_SILENT, PROOF_SUSPECTED, PROOF_PROVEN };

/* What the display showed of B, in this order. */
enum milestone {
	MILESTONE_DARK,	  /* nothing, after the picture of A */
	MILESTONE_LIT,	  /* the first pixel of B */
	MILESTONE_STABLE, /* a picture that then stood for a while */
	MILESTONE_MATCH,  /* the picture that the profile promises */
};
#define N_MILESTONES (MILESTONE_MATCH + 1)

#define TIME_UNSEEN  UINT64_MAX

struct verdict_milestone {
	uint64_t t_ns;		 /* since the start; or TIME_UNSEEN */
	uint64_t uncertainty_ns; /* it was at most so much earlier */
	char *picture;		 /* a file of the evidence, or NULL */
};

/* Bytes of the console that decided, and by which rule. */
struct verdict_range {
	uint64_t start, end; /* offsets into all console bytes received */
	char *rule;	     /* rule id */
};

struct verdict {
	enum outcome outcome;
	enum stage stage; /* the last one reached */
	enum proof proof;
	char *signature;     /* stable title; NULL when userspace was reached */
	char *detail;	     /* one human sentence with the particulars, or NULL */
	char **consequences; /* titles of what followed from the first failure */
	size_t n_consequences;
	char **degradations; /* why it is degraded, if it is */
	size_t n_degradations;
	bool truncated; /* a report lost its end */
	struct verdict_range *ranges;
	size_t n_ranges;
	uint64_t stage_ns[N_STAGES]; /* when first seen, since the start; or TIME_UNSEEN */
	uint64_t load_ns;	     /* duration of the load, or TIME_UNSEEN */
	uint64_t jump_ns;	     /* leaving A: stages count from here too */
	uint64_t first_pixel_ns, userspace_ns; /* since the jump, or TIME_UNSEEN */
	struct verdict_milestone milestones[N_MILESTONES];
	char *rules_version;
	char *last_lines; /* the last few console lines, escaped, one per line */
};

void verdict_free(struct verdict *v);
DEFINE_FREE(verdict, struct verdict *, verdict_free(_v));

/* outcome, stage, proof, signature, stages ... as in the command contract. */
struct json *verdict_json(const struct verdict *v);

const char *outcome_name(enum outcome o);
int outcome_parse(const char *s, enum outcome *ret);
const char *stage_name(enum stage s);
int stage_parse(const char *s, enum stage *ret);
const char *milestone_name(enum milestone m);
int milestone_parse(const char *s, enum milestone *ret);
const char *proof_name(enum proof p);
int proof_parse(const char *s, enum proof *ret);

#endif
