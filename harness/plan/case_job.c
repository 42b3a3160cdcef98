// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * case_job.c - a point becomes a job: its id, its title, its limits.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/text.h"
#include "plan/case_read.h"

static void add_number(struct digest *d, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	digest_update_str(d, text);
}

static void add_text(struct digest *d, const char *s)
{
	digest_update_str(d, s ? s : "");
}

static void add_machine(struct digest *d, const struct machine_spec *m)
{
	add_text(d, m->board);
	add_number(d, m->ram_bytes);
	add_text(d, m->cpu);
	add_text(d, lpa2_name(m->lpa2));
	add_number(d, m->el2);
	add_number(d, m->cpus);
	add_number(d, m->gic);
}

/* A file's content names it, wherever it lies; one that cannot be read, its path. */
static void add_file(struct digest *d, const char *path)
{
	char hex[DIGEST_HEX_SIZE];

	if (path && !digest_of_file(path, hex, NULL))
		add_text(d, hex);
	else
		add_text(d, path);
}

static void add_build(struct digest *d, const struct kernel_build *b)
{
	size_t i;

	add_text(d, "built");
	add_text(d, b->suite);
	add_text(d, b->package);
	add_text(d, b->path);
	add_text(d, b->revision);
	add_number(d, b->n_patches);
	for (i = 0; i < b->n_patches; i++)
		add_file(d, b->patches[i]);
	for (i = 0; i < b->n_config; i++)
		add_file(d, b->config[i]);
	add_number(d, b->compiler);
}

static void add_kernel(struct digest *d, const struct kernel_spec *k)
{
	switch (k->source) {
	case KERNEL_DEBIAN:
		add_text(d, "debian");
		add_text(d, k->debian.suite);
		add_text(d, k->debian.version);
		add_text(d, k->debian.flavour);
		return;
	case KERNEL_FILE:
		add_text(d, "file");
		add_file(d, k->file.image);
		add_text(d, k->file.modules);
		return;
	case KERNEL_LINUX_SOURCE:
	case KERNEL_TARBALL:
	case KERNEL_GIT:
		add_build(d, &k->build);
		return;
	}
}

static void add_list(struct digest *d, char *const *list, size_t n)
{
	size_t i;

	add_number(d, n);
	for (i = 0; i < n; i++)
		add_text(d, list[i]);
}

/* What it boots: not its name, nor what only people read. */
static void add_profile(struct digest *d, const struct profile *p)
{
	add_text(d, p->linux_path);
	add_list(d, p->initrds, p->n_initrds);
	add_text(d, p->options);
	add_text(d, p->devicetree);
	add_list(d, p->overlays, p->n_overlays);
	add_list(d, p->modules, p->n_modules);
	add_number(d, p->display);
	/* Only where there is one: ids of profiles without stay what they were. */
	if (p->n_run)
		add_list(d, p->run, p->n_run);
	if (p->screen)
		add_text(d, p->screen);
}

static void make_id(struct job *job, unsigned int occurrence)
{
	struct digest *d __free(digest) = digest_new();
	char hex[DIGEST_HEX_SIZE];

	add_text(d, "kjump job 1");
	add_machine(d, job->machine);
	add_kernel(d, job->from_kernel);
	add_kernel(d, job->to_kernel);
	add_profile(d, job->from);
	add_profile(d, job->to);
	add_text(d, jump_kind_name(job->kind));
	add_text(d, dt_source_name(job->dt));
	add_number(d, job->kexec_checks);
	/* Only what is not as usual: ids of other jobs stay what they were. */
	if (job->inject)
		add_text(d, inject_names[job->inject]);
	if (job->watch.stop_on_finding)
		add_text(d, "stop on finding");
	add_number(d, occurrence);
	digest_hex(d, hex);
	memcpy(job->id, hex, JOB_ID_SIZE - 1);
	job->id[JOB_ID_SIZE - 1] = '\0';
}

static char *make_title(const struct job *job, unsigned int occurrence)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s -> %s %s", job->from->id, job->to->id, jump_kind_name(job->kind));
	if (job->dt == DT_LIVE)
		buf_adds(&b, " (live tree)");
	buf_addf(&b, ", %s", job->from_kernel->name);
	if (job->to_kernel != job->from_kernel)
		buf_addf(&b, " -> %s", job->to_kernel->name);
	buf_addf(&b, ", %s", job->machine->name);
	if (job->kexec_checks)
		buf_adds(&b, ", with checks");
	if (job->inject)
		buf_addf(&b, ", %s", inject_names[job->inject]);
	if (occurrence > 1)
		buf_addf(&b, ", #%u", occurrence);
	return buf_steal(&b);
}

static uint64_t or_else(uint64_t given, uint64_t fallback)
{
	return given ? given : fallback;
}

/*
 * Defaults grow with RAM: struct page initialisation makes a large machine
 * silent for long, and the transitional tables of a load cover all of it (a
 * kernel that clones them 16 times took 54 s for 64G).
 */
static void make_limits(const struct case_reader *r, struct job *job)
{
	uint64_t gib = (job->machine->ram_bytes + (1ULL << 30) - 1) >> 30;

	job->limits.boot_ms = or_else(r->limits.boot_ms, 90000 + 400 * gib);
	job->limits.load_ms = or_else(r->limits.load_ms, 60000 + 1500 * gib);
	job->limits.jump_ms = or_else(r->limits.jump_ms, 90000 + 400 * gib);
	job->limits.silence_ms = or_else(r->limits.silence_ms, 30000 + 300 * gib);
	job->limits.shutdown_ms = or_else(r->limits.shutdown_ms, 30000 + 50 * gib);
}

static void make_job(const struct case_reader *r, const struct point *p, struct job *job)
{
	const struct axis_value *v[N_AXES];
	unsigned int i;

	for (i = 0; i < N_AXES; i++)
		v[i] = &r->axes.axis[i].v[p->at[i]];
	job->machine = v[AXIS_MACHINE]->object;
	job->from_kernel = v[AXIS_KERNEL]->object;
	job->to_kernel = v[AXIS_TO_KERNEL]->object ? v[AXIS_TO_KERNEL]->object : job->from_kernel;
	job->from = v[AXIS_FROM]->object;
	job->to = v[AXIS_TO]->object;
	job->kind = (enum jump_kind)v[AXIS_JUMP]->number;
	job->dt = (enum dt_source)v[AXIS_DT]->number;
	job->kexec_checks = r->kexec_checks && job->kind == JUMP_KEXEC;
	job->inject = (enum inject)v[AXIS_INJECT]->number;
	if (job->kind == JUMP_KEXEC)
		job->watch = r->watch;
	job->repeat = (unsigned int)r->repeat;
	make_limits(r, job);
}

static bool same_job(const struct job *a, const struct job *b)
{
	return a->machine == b->machine && a->from_kernel == b->from_kernel &&
	       a->to_kernel == b->to_kernel && a->from == b->from && a->to == b->to &&
	       a->kind == b->kind && a->dt == b->dt && a->inject == b->inject;
}

static bool has_id(const struct plan *plan, const char *id)
{
	size_t i;

	for (i = 0; i < plan->n_jobs; i++) {
		if (!strcmp(plan->jobs[i].id, id))
			return true;
	}
	return false;
}

static void add_job(struct plan *plan, const struct job *job)
{
	unsigned int occurrence = 1;
	struct job *added;

	added = array_push(plan->jobs, plan->n_jobs);
	*added = *job;
	/* An id of its own for a jump that is listed again, or between equal profiles. */
	plan->n_jobs--;
	make_id(added, occurrence);
	while (has_id(plan, added->id))
		make_id(added, ++occurrence);
	plan->n_jobs++;
	added->title = make_title(added, occurrence);
}

void case_make_jobs(struct case_reader *r, const struct points *points)
{
	struct plan *plan = r->plan;
	size_t i, k;

	for (i = 0; i < points->n; i++) {
		struct job job = {0};

		make_job(r, &points->p[i], &job);
		/* A cross may come to the same job twice ("same" and the kernel's name). */
		for (k = 0; !r->is_explicit && k < plan->n_jobs; k++) {
			if (same_job(&plan->jobs[k], &job))
				break;
		}
		if (r->is_explicit || k == plan->n_jobs)
			add_job(plan, &job);
	}
}
