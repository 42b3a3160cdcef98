// SPDX-License-Identifier: GPL-2.0-or-later
#include "run/prepare.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "image/kernel.h"
#include "run/watch.h"

struct kernel {
	const struct kernel_spec *spec;
	struct kernel_files *files; /* NULL: error says why */
	char *error;
	struct kernel_map *map; /* NULL: no job is watched */
};

struct root {
	const struct profile *profile;
	const struct kernel *kernel;
	char *path, *error;
};

struct base_tree {
	const struct machine_spec *machine;
	bool display;
	struct buf dtb;
	char *error;
};

/* One end of jobs: everything that tells it from another. */
struct end {
	const struct profile *profile;
	const struct kernel_spec *kernel;
	const struct machine_spec *machine;
	bool display;
	const struct profile *live_of; /* it runs with that one's tree, or NULL */
	struct boot_files files;
	char *error;
};

struct ends {
	struct end *a, *b;
};

/* Arrays of pointers: what they point to stays where it is. */
struct prepared {
	struct prepare_opts opts;
	struct kernel **kernels;
	struct root **roots;
	struct base_tree **trees;
	struct end **ends;
	size_t n_kernels, n_roots, n_trees, n_ends;
	struct ends *jobs; /* as in the plan */
};

static void report(const struct prepared *p, size_t done, const char *what)
{
	if (p->opts.progress)
		p->opts.progress(done, p->opts.plan->n_jobs, what, p->opts.arg);
}

static char *take_error(struct err *e)
{
	return xstrdup(err_msg(e));
}

static bool any_watched(const struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->n_jobs; i++) {
		if (watch_wanted(&plan->jobs[i]))
			return true;
	}
	return false;
}

/* An Image that tells nothing is none that cannot be booted. */
static struct kernel_map *read_map(const struct kernel_files *files)
{
	struct buf image __free_buf = BUF_INIT;

	if (file_read(files->image, KERNEL_MAX_IMAGE_BYTES, &image, NULL))
		return NULL;
	return kernel_map_read(image.data, image.len);
}

static struct kernel *get_kernel(struct prepared *p, const struct kernel_spec *spec, size_t done)
{
	struct err e __free_err = ERR_INIT;
	struct kernel *k;
	size_t i;

	for (i = 0; i < p->n_kernels; i++) {
		if (p->kernels[i]->spec == spec)
			return p->kernels[i];
	}
	*array_push(p->kernels, p->n_kernels) = xnew(k);
	k->spec = spec;
	report(p, done, spec->name);
	if (image_kernel(p->opts.images, spec, &k->files, &e))
		k->error = take_error(&e);
	else if (any_watched(p->opts.plan))
		k->map = read_map(k->files);
	return k;
}

static struct root *get_root(struct prepared *p, const struct profile *profile,
			     const struct kernel *kernel)
{
	struct buf warnings __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	struct root *r;
	size_t i;

	for (i = 0; i < p->n_roots; i++) {
		if (p->roots[i]->profile == profile && p->roots[i]->kernel == kernel)
			return p->roots[i];
	}
	*array_push(p->roots, p->n_roots) = xnew(r);
	r->profile = profile;
	r->kernel = kernel;
	if (image_initramfs(p->opts.images, profile, kernel->files, &r->path, &warnings, &e))
		r->error = take_error(&e);
	if (warnings.len && p->opts.warning)
		p->opts.warning(warnings.data, p->opts.arg);
	return r;
}

static struct base_tree *get_tree(struct prepared *p, const struct machine_spec *machine,
				  bool display)
{
	const struct machine_opts opts = {.spec = machine, .display = display};
	struct err e __free_err = ERR_INIT;
	struct base_tree *t;
	size_t i;

	for (i = 0; i < p->n_trees; i++) {
		if (p->trees[i]->machine == machine && p->trees[i]->display == display)
			return p->trees[i];
	}
	*array_push(p->trees, p->n_trees) = xnew(t);
	t->machine = machine;
	t->display = display;
	buf_init(&t->dtb);
	if (machine_base_dtb(&opts, &t->dtb, &e))
		t->error = take_error(&e);
	return t;
}

/* The tree of @profile on this machine; appended to @out. */
static char *make_tree(struct prepared *p, const struct profile *profile,
		       const struct base_tree *base, struct buf *out)
{
	struct err e __free_err = ERR_INIT;

	if (base->error)
		return xstrdup(base->error);
	if (!profile->n_overlays) {
		buf_add(out, base->dtb.data, base->dtb.len);
		return NULL;
	}
	if (!image_devicetree(p->opts.images, base->dtb.data, base->dtb.len, profile->overlays,
			      profile->n_overlays, out, &e))
		return NULL;
	err_prefix(&e, 0, "device tree of profile '%s'", profile->id);
	return take_error(&e);
}

/* Its root's file is named by the digest that lies in /etc/kjump/root. */
static char *root_of(const char *path)
{
	const char *name = strrchr(path, '/') + 1, *end = strchr(name, '.');

	return xstrndup(name, end ? (size_t)(end - name) : strlen(name));
}

static char *make_reference(const struct profile *profile, struct reference **ret)
{
	struct err e __free_err = ERR_INIT;
	char *path __free(str) = NULL;

	if (!profile->screen)
		return NULL;
	path = profile_screen_path(profile);
	return reference_load(path, ret, &e) ? take_error(&e) : NULL;
}

static void make_end(struct prepared *p, struct end *end, size_t done)
{
	const struct kernel *kernel = get_kernel(p, end->kernel, done);
	const struct root *root;
	struct boot_files *f = &end->files;

	if (kernel->error) {
		end->error = xstrdup(kernel->error);
		return;
	}
	f->kernel = kernel->files;
	f->map = kernel->map;
	root = get_root(p, end->profile, kernel);
	if (root->error) {
		end->error = xstrdup(root->error);
		return;
	}
	f->initramfs = xstrdup(root->path);
	f->root = root_of(root->path);
	f->cmdline = xstrdup(end->profile->options);
	end->error = make_tree(p, end->live_of ? end->live_of : end->profile,
			       get_tree(p, end->machine, end->display), &f->live_dtb);
	/* Without overlays the machine's own tree is the one that it must have. */
	if (!end->error && !end->live_of && end->profile->n_overlays)
		buf_add(&f->dtb, f->live_dtb.data, f->live_dtb.len);
	if (!end->error)
		end->error = make_reference(end->profile, &f->reference);
}

static struct end *get_end(struct prepared *p, const struct end *like, size_t done)
{
	struct end *end;
	size_t i;

	for (i = 0; i < p->n_ends; i++) {
		end = p->ends[i];
		if (end->profile == like->profile && end->kernel == like->kernel &&
		    end->machine == like->machine && end->display == like->display &&
		    end->live_of == like->live_of)
			return end;
	}
	*array_push(p->ends, p->n_ends) = xnew(end);
	*end = *like;
	buf_init(&end->files.dtb);
	buf_init(&end->files.live_dtb);
	make_end(p, end, done);
	return end;
}

struct prepared *prepare(const struct prepare_opts *opts)
{
	struct prepared *p;
	size_t i;

	xnew(p);
	p->opts = *opts;
	p->jobs = xcalloc(opts->plan->n_jobs + 1, sizeof(*p->jobs));
	for (i = 0; i < opts->plan->n_jobs; i++) {
		const struct job *job = &opts->plan->jobs[i];
		struct end end = {
			.profile = job->from,
			.kernel = job->from_kernel,
			.machine = job->machine,
			.display = job->from->display || job->to->display,
		};

		p->jobs[i].a = get_end(p, &end, i);
		end.profile = job->to;
		end.kernel = job->to_kernel;
		if (job->kind == JUMP_KEXEC && job->dt == DT_LIVE)
			end.live_of = job->from;
		p->jobs[i].b = get_end(p, &end, i);
	}
	report(p, opts->plan->n_jobs, "prepared");
	return p;
}

static void free_end(struct end *end)
{
	/* The kernel is shared. */
	free(end->files.initramfs);
	free(end->files.root);
	free(end->files.cmdline);
	reference_free(end->files.reference);
	buf_fini(&end->files.dtb);
	buf_fini(&end->files.live_dtb);
	free(end->error);
	free(end);
}

void prepared_free(struct prepared *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->n_kernels; i++) {
		kernel_files_free(p->kernels[i]->files);
		kernel_map_free(p->kernels[i]->map);
		free(p->kernels[i]->error);
		free(p->kernels[i]);
	}
	for (i = 0; i < p->n_roots; i++) {
		free(p->roots[i]->path);
		free(p->roots[i]->error);
		free(p->roots[i]);
	}
	for (i = 0; i < p->n_trees; i++) {
		buf_fini(&p->trees[i]->dtb);
		free(p->trees[i]->error);
		free(p->trees[i]);
	}
	for (i = 0; i < p->n_ends; i++)
		free_end(p->ends[i]);
	free(p->kernels);
	free(p->roots);
	free(p->trees);
	free(p->ends);
	free(p->jobs);
	free(p);
}

static const struct ends *ends_of(const struct prepared *p, const struct job *job)
{
	return &p->jobs[job - p->opts.plan->jobs];
}

const char *prepared_error(const struct prepared *p, const struct job *job)
{
	const struct ends *ends = ends_of(p, job);

	return ends->a->error ? ends->a->error : ends->b->error;
}

const struct boot_files *prepared_a(const struct prepared *p, const struct job *job)
{
	return &ends_of(p, job)->a->files;
}

const struct boot_files *prepared_b(const struct prepared *p, const struct job *job)
{
	return &ends_of(p, job)->b->files;
}

const struct kernel_files *prepared_kernel(const struct prepared *p,
					   const struct kernel_spec *kernel)
{
	size_t i;

	for (i = 0; i < p->n_kernels; i++) {
		if (p->kernels[i]->spec == kernel)
			return p->kernels[i]->files;
	}
	return NULL;
}
