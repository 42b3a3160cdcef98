// SPDX-License-Identifier: GPL-2.0-or-later
#include "run/prepare.h"

#include <string.h>

#include "base/alloc.h"
#include "base/log.h"

struct kernel_entry {
	const struct kernel_spec *spec;
	struct kernel_files *files; /* NULL: failure says why */
	char *failure;
};

struct base_entry {
	const struct machine_spec *machine;
	bool display;
	struct buf dtb;
	char *failure;
};

struct boot_entry {
	const struct profile *profile, *tree_of; /* tree_of: whose device tree it runs on */
	const struct kernel_spec *spec;
	const struct machine_spec *machine;
	bool display;
	struct boot_files files;
	char *failure;
};

struct prepared {
	struct prepare_opts opts;
	struct kernel_entry *kernels;
	struct base_entry *bases;
	struct boot_entry **boots; /* each allocated: jobs borrow its files */
	struct prepared_job *jobs;
	size_t n_kernels, n_bases, n_boots, n_jobs;
};

static void progress(struct prepared *p, const char *what)
{
	if (p->opts.progress)
		p->opts.progress(what, p->opts.arg);
}

static struct kernel_entry *get_kernel(struct prepared *p, const struct kernel_spec *spec)
{
	struct err e __free_err = ERR_INIT;
	struct kernel_entry *k;
	char *what __free(str) = NULL;
	size_t i;

	for (i = 0; i < p->n_kernels; i++) {
		if (p->kernels[i].spec == spec)
			return &p->kernels[i];
	}
	k = array_push(p->kernels, p->n_kernels);
	k->spec = spec;
	what = xasprintf("kernel %s", spec->name);
	progress(p, what);
	if (image_kernel(p->opts.images, spec, &k->files, &e))
		k->failure = xasprintf("kernel '%s': %s", spec->name, err_msg(&e));
	else if (p->opts.kernel)
		p->opts.kernel(spec, k->files, p->opts.arg);
	return k;
}

static struct base_entry *get_base(struct prepared *p, const struct machine_spec *machine,
				   bool display)
{
	struct machine_opts opts = {.spec = machine, .display = display};
	struct err e __free_err = ERR_INIT;
	struct base_entry *b;
	char *what __free(str) = NULL;
	size_t i;

	for (i = 0; i < p->n_bases; i++) {
		if (p->bases[i].machine == machine && p->bases[i].display == display)
			return &p->bases[i];
	}
	b = array_push(p->bases, p->n_bases);
	b->machine = machine;
	b->display = display;
	buf_init(&b->dtb);
	what = xasprintf("device tree of %s", machine->name);
	progress(p, what);
	if (machine_base_dtb(&opts, &b->dtb, &e))
		b->failure = xasprintf("machine '%s': %s", machine->name, err_msg(&e));
	return b;
}

/*
 * A profile without a tree of its own runs on the machine's; one with a tree
 * gets the same tree handed over explicitly, with its overlays.
 */
static int make_trees(struct prepared *p, struct boot_entry *b, const struct base_entry *base,
		      struct err *e)
{
	const struct profile *owner = b->tree_of;
	int rc;

	rc = image_devicetree(p->opts.images, base->dtb.data, base->dtb.len, owner->overlays,
			      owner->n_overlays, &b->files.live_dtb, e);
	if (rc)
		return err_prefix(e, rc, "profile '%s'", owner->id);
	if (b->profile == owner && owner->devicetree)
		buf_add(&b->files.dtb, b->files.live_dtb.data, b->files.live_dtb.len);
	return 0;
}

static void make_boot(struct prepared *p, struct boot_entry *b)
{
	struct kernel_entry *kernel = get_kernel(p, b->spec);
	struct base_entry *base = get_base(p, b->machine, b->display);
	struct buf warnings __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	int rc;

	if (kernel->failure || base->failure) {
		b->failure = xstrdup(kernel->failure ? kernel->failure : base->failure);
		return;
	}
	b->files.kernel = kernel->files;
	b->files.cmdline = xstrdup(b->profile->options);
	rc = image_initramfs(p->opts.images, b->profile, kernel->files, &b->files.initramfs,
			     &warnings, &e);
	if (!rc)
		rc = make_trees(p, b, base, &e);
	if (rc)
		b->failure = xstrdup(err_msg(&e));
	if (warnings.len)
		log_debug("%s on %s: %s", b->profile->id, b->spec->name, warnings.data);
}

static struct boot_entry *get_boot(struct prepared *p, const struct boot_entry *want)
{
	struct boot_entry *b;
	size_t i;

	for (i = 0; i < p->n_boots; i++) {
		b = p->boots[i];
		if (b->profile == want->profile && b->tree_of == want->tree_of &&
		    b->spec == want->spec && b->machine == want->machine &&
		    b->display == want->display)
			return b;
	}
	xnew(b);
	*b = *want;
	buf_init(&b->files.dtb);
	buf_init(&b->files.live_dtb);
	*array_push(p->boots, p->n_boots) = b;
	make_boot(p, b);
	return b;
}

static void prepare_job(struct prepared *p, const struct job *job, struct prepared_job *out)
{
	bool live = job->dt == DT_LIVE || job->kind == JUMP_PIVOT;
	struct err e __free_err = ERR_INIT;
	struct boot_entry want = {
		.profile = job->from,
		.tree_of = job->from,
		.spec = job->from_kernel,
		.machine = job->machine,
		.display = job->from->display || job->to->display,
	};
	struct boot_entry *a, *b;

	if (machine_preflight(job->machine, &out->host_bytes, &e)) {
		out->failure = xstrdup(err_msg(&e));
		return;
	}
	a = get_boot(p, &want);
	want.profile = job->to;
	want.tree_of = live ? job->from : job->to;
	want.spec = job->to_kernel;
	b = get_boot(p, &want);
	if (a->failure || b->failure) {
		out->failure = xstrdup(a->failure ? a->failure : b->failure);
		return;
	}
	out->a = &a->files;
	out->b = &b->files;
}

struct prepared *prepare(const struct prepare_opts *opts)
{
	struct prepared *p;
	size_t i;

	xnew(p);
	p->opts = *opts;
	p->n_jobs = opts->plan->n_jobs;
	p->jobs = xcalloc(p->n_jobs, sizeof(*p->jobs));
	for (i = 0; i < p->n_jobs; i++)
		prepare_job(p, &opts->plan->jobs[i], &p->jobs[i]);
	return p;
}

static void free_boot(struct boot_entry *b)
{
	free(b->files.initramfs);
	free(b->files.cmdline);
	buf_fini(&b->files.dtb);
	buf_fini(&b->files.live_dtb);
	free(b->failure);
	free(b);
}

void prepared_free(struct prepared *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->n_jobs; i++)
		free(p->jobs[i].failure);
	for (i = 0; i < p->n_boots; i++)
		free_boot(p->boots[i]);
	for (i = 0; i < p->n_bases; i++) {
		buf_fini(&p->bases[i].dtb);
		free(p->bases[i].failure);
	}
	for (i = 0; i < p->n_kernels; i++) {
		kernel_files_free(p->kernels[i].files);
		free(p->kernels[i].failure);
	}
	free(p->jobs);
	free(p->boots);
	free(p->bases);
	free(p->kernels);
	free(p);
}

const struct prepared_job *prepared_job(const struct prepared *p, size_t i)
{
	return &p->jobs[i];
}
