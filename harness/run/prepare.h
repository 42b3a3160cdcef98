/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prepare.h - everything that jobs boot from, made before anything runs.
 *
 * Each distinct kernel, initramfs and device tree is made once. What cannot be
 * had (a kernel that left the archive, an overlay that does not apply) fails
 * the jobs that need it, not the run.
 */
#ifndef KJUMP_RUN_PREPARE_H
#define KJUMP_RUN_PREPARE_H

#include "plan/case.h"
#include "run/session.h"

struct prepared;

struct prepared_job {
	const struct boot_files *a, *b; /* borrowed from the struct prepared */
	uint64_t host_bytes;		/* estimate of the host memory of its machine */
	char *failure;			/* why it cannot run, or NULL */
};

struct prepare_opts {
	const struct plan *plan; /* borrowed, must outlive the result */
	struct image_ctx *images;
	/* @what is being made now; blocks, so it is called from inside prepare(). */
	void (*progress)(const char *what, void *arg);
	/* A kernel is there. */
	void (*kernel)(const struct kernel_spec *spec, const struct kernel_files *files, void *arg);
	void *arg;
};

/* Never fails as a whole: look at each job's failure. */
struct prepared *prepare(const struct prepare_opts *opts);
void prepared_free(struct prepared *p);
DEFINE_FREE(prepared, struct prepared *, prepared_free(_v));

/* For plan->jobs[@i]. Borrowed. */
const struct prepared_job *prepared_job(const struct prepared *p, size_t i);

#endif
