/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prepare.h - everything that the jobs of a plan boot from, before any runs.
 *
 * Each kernel, initramfs and device tree is made once, however many jobs use
 * it. What cannot be had fails only the jobs that need it, with the reason.
 */
#ifndef KJUMP_RUN_PREPARE_H
#define KJUMP_RUN_PREPARE_H

#include "plan/case.h"
#include "run/session.h"

struct prepare_opts {
	struct image_ctx *images;
	const struct plan *plan; /* borrowed until prepared_free() */
	/* Before each thing that may take long; NULL: nobody wants to know. */
	void (*progress)(size_t done, size_t total, const char *what, void *arg);
	/* Optional modules that a kernel lacks and the like, a line each; or NULL. */
	void (*warning)(const char *text, void *arg);
	void *arg;
};

struct prepared;

/* Blocks; downloads and builds what is not cached. *Returned*, always complete. */
struct prepared *prepare(const struct prepare_opts *opts);
void prepared_free(struct prepared *p);
DEFINE_FREE(prepared, struct prepared *, prepared_free(_v));

/* Why @job of the plan cannot run, or NULL. Borrowed, as are the next two. */
const char *prepared_error(const struct prepared *p, const struct job *job);
/* The files of its two ends; only for jobs without an error. */
const struct boot_files *prepared_a(const struct prepared *p, const struct job *job);
const struct boot_files *prepared_b(const struct prepared *p, const struct job *job);

/* The files of @kernel, or NULL if they could not be had. */
const struct kernel_files *prepared_kernel(const struct prepared *p,
					   const struct kernel_spec *kernel);

#endif
