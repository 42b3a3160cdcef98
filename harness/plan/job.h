/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job.h - one cell of the matrix, fully resolved and immutable.
 */
#ifndef KJUMP_PLAN_JOB_H
#define KJUMP_PLAN_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/inject.h"
#include "plan/kernel.h"
#include "plan/profile.h"

enum jump_kind { JUMP_COLD, JUMP_REBOOT, JUMP_KEXEC, JUMP_PIVOT };

/* Which device tree B gets: what its profile says, or A's live one. */
enum dt_source { DT_PROFILE, DT_LIVE };

enum lpa2 { LPA2_DEFAULT, LPA2_ON, LPA2_OFF };

struct machine_spec {
	char *name;  /* "max-2G-lpa2=off": for people, unique in a case */
	char *board; /* name in board/: "qemu-virt" */
	uint64_t ram_bytes;
	char *cpu; /* QEMU CPU model: "max", "cortex-a72" */
	enum lpa2 lpa2;
	bool el2; /* virtualization=on */
	unsigned int cpus;
	unsigned int
		gic; /* architecture version of the interrupt controller: 2, or 3 with an ITS */
	/* Of a real board, borrowed; both NULL for any other machine. */
	const struct hardware *hardware;
	const struct lab_place *place; /* which one; set before anything is prepared */
};

/* Upper bounds on how long a stage may be silent or take, before calibration. */
struct limits {
	uint64_t boot_ms;     /* power on to userspace, on a cold boot */
	uint64_t load_ms;     /* kexec -l and the like */
	uint64_t jump_ms;     /* jump command to B's userspace */
	uint64_t silence_ms;  /* no byte on the console while something is expected */
	uint64_t shutdown_ms; /* A's way down on a reboot */
};

/* What is done with the machine's debug port over a kexec. */
struct watch {
	bool phases;	      /* follow the jump, and prove where it hangs */
	bool check_tables;    /* walk the transitional tables before A is left */
	bool stop_on_finding; /* and do not jump when they lack a page */
};

#define JOB_ID_SIZE 13 /* 12 hex digits and a NUL */

struct job {
	char id[JOB_ID_SIZE]; /* stable hash of the resolved content */
	const struct machine_spec *machine;
	const struct kernel_spec *from_kernel, *to_kernel;
	const struct profile *from, *to;
	enum jump_kind kind;
	enum dt_source dt;
	bool kexec_checks; /* keep purgatory's hash: no --no-checks */
	enum inject inject;
	struct watch watch;
	unsigned int repeat;
	struct limits limits;
	char *title; /* "minimal -> no-graphics kexec, debian-7.2.6-cloud, max-2G" */
};

const char *jump_kind_name(enum jump_kind k);
int jump_kind_parse(const char *s, enum jump_kind *ret);
const char *dt_source_name(enum dt_source d);
/* Which device tree B gets, as tables say it: "live", "base dtb + 1 overlay". @size >= 48. */
void job_tree(const struct job *j, char *buf, size_t size);
const char *lpa2_name(enum lpa2 l);

#endif
