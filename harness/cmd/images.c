// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * images.c - `kjump images`: kernels in the cache.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/images.h"
#include "cmd/images_import.h"

static const char usage_text[] =
	"usage: kjump images list [--json]\n"
	"       kjump images fetch [NAME...]\n"
	"       kjump images build NAME... [--json]\n"
	"       kjump images import MAILBOX [-o DIR]\n"
	"       kjump images gc\n"
	"       kjump images symbols NAME [--base ADDRESS|--vbar ADDRESS] [--json]\n"
	"                            [SYMBOL|ADDRESS...]\n"
	"\n"
	"list shows the kernels of images/kernels.yaml and which of them are in the\n"
	"cache. fetch brings those named, or all, and the programs of the initramfs, up\n"
	"to date with the archive, whose lists are read anew once a day. build makes\n"
	"kernels from source; of one with N patches NAME+0, NAME+1, ... are those with the\n"
	"first 0, 1, ... of them. import writes the patches of a mailbox or of a mail\n"
	"thread to DIR, with a quilt series, which patches: of a kernel may name.\n"
	"gc removes from the cache what none of them needs. symbols shows what a kernel's\n"
	"Image tells a debugger; with arguments, where symbols lie (patterns with * and ?\n"
	"are allowed) and what lies at addresses (0x...), which count from _text unless it\n"
	"is known where the kernel runs.\n"
	"\n"
	"  --kernels FILE    kernels by name (default: images/kernels.yaml)\n"
	"  --mirror URI      where packages come from (default: as the host's apt)\n"
	"  -o DIR            where import puts them (default: the mailbox's name + .patches)\n"
	"  --base ADDRESS    where the running kernel's _text is\n"
	"  --vbar ADDRESS    what its VBAR_EL1 holds, which tells the same\n"
	"  --json            one JSON document on stdout\n";

#define STEP_LINE_NS (30 * NS_PER_S)

static void images_fini(struct images *im)
{
	image_ctx_free(im->ctx);
	kernel_list_free(im->list);
	paths_free(im->paths);
}

/* On a terminal one line that changes; elsewhere a line now and then. */
static void on_build_step(const char *kernel, size_t n, const char *line, void *arg)
{
	struct images *im = arg;
	uint64_t now = clock_ns();

	im->on_terminal = isatty(STDERR_FILENO);
	if (im->on_terminal) {
		fprintf(stderr, "\r\033[K%s: %zu  %.60s", kernel, n, line);
	} else if (now - im->last_step_ns > STEP_LINE_NS) {
		log_info("%s: %zu steps, at %s", kernel, n, line);
		im->last_step_ns = now;
	}
}

enum exit_status images_begin(struct images *im, bool refresh)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct err e __free_err = ERR_INIT;
	struct image_opts opts = {.mirror = im->mirror,
				  .refresh = refresh,
				  .build_step = on_build_step,
				  .build_arg = im};

	if (paths_find(&im->paths, &e)) {
		log_error("%s", err_msg(&e));
		return EXIT_USAGE;
	}
	if (kernel_list_load(im->kernels_path ? im->kernels_path : im->paths->kernels, &diag,
			     &im->list)) {
		diag_print(&diag, stderr);
		return EXIT_USAGE;
	}
	opts.images_dir = im->paths->images;
	opts.dt_dir = im->paths->dt;
	opts.userland_suite = im->list->userland_suite;
	if (image_ctx_new(&opts, &im->ctx, &e)) {
		log_error("%s", err_msg(&e));
		return EXIT_INFRA;
	}
	return EXIT_EXPECTED;
}

/* Where a kernel comes from, for people; *returned*. */
static char *describe_source(const struct kernel_spec *k)
{
	switch (k->source) {
	case KERNEL_DEBIAN:
		return xasprintf("%s %s %s", k->debian.suite, k->debian.version, k->debian.flavour);
	case KERNEL_FILE:
		return xstrdup(k->file.image);
	case KERNEL_LINUX_SOURCE:
		return xasprintf("%s %s, %zu patches", k->build.suite, k->build.package,
				 k->build.n_patches);
	case KERNEL_TARBALL:
		return xasprintf("%s, %zu patches", k->build.path, k->build.n_patches);
	case KERNEL_GIT:
		return xasprintf("%s %s, %zu patches", k->build.path, k->build.revision,
				 k->build.n_patches);
	}
	return NULL;
}

static struct json *kernel_json(const struct kernel_spec *k, const struct kernel_files *f)
{
	char *source __free(str) = describe_source(k);
	struct json *j = json_new_object();

	json_set_str(j, "name", k->name);
	json_set_str(j, "source", source);
	json_set_bool(j, "cached", f != NULL);
	json_set_str(j, "release", f ? f->release : NULL);
	json_set_str(j, "provenance", f ? f->provenance : NULL);
	json_set_str(j, "digest", f ? f->digest : NULL);
	json_set_str(j, "image", f ? f->image : NULL);
	json_set_str(j, "config", f ? f->config : NULL);
	json_set_str(j, "modules", f ? f->modules_dir : NULL);
	return j;
}

static void print_kernel(const struct kernel_spec *k, const struct kernel_files *f)
{
	char *source __free(str) = describe_source(k);

	printf("%-24s %-34s %s\n", k->name, source, f ? f->provenance : "not in the cache");
}

static enum exit_status images_list(struct images *im)
{
	struct json *root __free(json) = json_new_object();
	struct json *kernels = json_new_array();
	struct buf out __free_buf = BUF_INIT;
	enum exit_status status = images_begin(im, false);
	size_t i;

	json_set(root, "kernels", kernels);
	if (status != EXIT_EXPECTED)
		return status;
	for (i = 0; i < im->list->n; i++) {
		const struct kernel_spec *k = &im->list->kernels[i];
		struct kernel_files *f __free(kernel_files) = NULL;

		image_kernel_cached(im->ctx, k, &f, NULL);
		if (im->json)
			json_push(kernels, kernel_json(k, f));
		else
			print_kernel(k, f);
	}
	if (im->json) {
		json_print(root, true, &out);
		puts(out.data);
	}
	return EXIT_EXPECTED;
}

static bool is_wanted(const struct images *im, const char *name)
{
	size_t i;

	for (i = 0; i < im->n_names; i++) {
		if (!strcmp(im->names[i], name))
			return true;
	}
	return !im->n_names;
}

const struct kernel_spec *images_find(const struct images *im, const char *name)
{
	const char **known = xcalloc(im->list->n + 1, sizeof(*known)), *near;
	const struct kernel_spec *k = kernel_list_find(im->list, name);
	size_t i;

	for (i = 0; i < im->list->n; i++)
		known[i] = im->list->kernels[i].name;
	near = k ? NULL : text_nearest(name, known, im->list->n);
	if (!k)
		log_error("no kernel '%s'%s%s%s", name, near ? "; did you mean '" : "",
			  near ? near : "", near ? "'?" : "");
	free(known);
	return k;
}

/* All mistakes at once, before anything is fetched. */
static bool names_exist(const struct images *im)
{
	bool good = true;
	size_t i;

	for (i = 0; i < im->n_names; i++)
		good = images_find(im, im->names[i]) && good;
	return good;
}

static enum exit_status images_fetch(struct images *im)
{
	enum exit_status status = images_begin(im, true);
	struct err e __free_err = ERR_INIT;
	size_t i;

	if (status != EXIT_EXPECTED)
		return status;
	if (!names_exist(im))
		return EXIT_USAGE;
	if (image_userland(im->ctx, &e)) {
		log_error("%s", err_msg(&e));
		status = EXIT_INFRA;
	}
	for (i = 0; i < im->list->n; i++) {
		const struct kernel_spec *k = &im->list->kernels[i];
		struct kernel_files *f __free(kernel_files) = NULL;

		if (!is_wanted(im, k->name) || kernel_is_built(k))
			continue;
		/* One that cannot be had must not keep the others away. */
		if (image_kernel(im->ctx, k, &f, &e)) {
			log_error("%s:%u:%u: %s", k->defined_in, k->line, k->col, err_msg(&e));
			status = EXIT_INFRA;
		} else {
			print_kernel(k, f);
		}
	}
	return status;
}

static bool names_are_built(const struct images *im)
{
	bool good = true;
	size_t i;

	for (i = 0; i < im->n_names; i++) {
		const struct kernel_spec *k = kernel_list_find(im->list, im->names[i]);

		if (k && !kernel_is_built(k)) {
			log_error("kernel '%s' is not built but fetched: kjump images fetch %s",
				  k->name, k->name);
			good = false;
		}
	}
	return good;
}

static enum exit_status build_one(struct images *im, const struct kernel_spec *k,
				  struct json *built)
{
	struct kernel_files *f __free(kernel_files) = NULL;
	struct err e __free_err = ERR_INIT;
	int rc;

	im->last_step_ns = clock_ns();
	rc = image_kernel(im->ctx, k, &f, &e);
	if (im->on_terminal)
		fputs("\r\033[K", stderr);
	if (rc) {
		log_error("%s:%u:%u: %s", k->defined_in, k->line, k->col, err_msg(&e));
		/* What is wrong with the source or its patches is a finding about it. */
		return rc == -ENOEXEC ? EXIT_SURPRISE : EXIT_INFRA;
	}
	if (im->json)
		json_push(built, kernel_json(k, f));
	else
		print_kernel(k, f);
	return EXIT_EXPECTED;
}

/* In the order of the command line: a series is quickest in its own. */
static enum exit_status images_build(struct images *im)
{
	struct json *root __free(json) = json_new_object();
	struct json *built = json_new_array();
	struct buf out __free_buf = BUF_INIT;
	enum exit_status status, one;
	size_t i;

	json_set(root, "kernels", built);
	if (!im->n_names) {
		fputs("kjump images: build needs names of kernels\n", stderr);
		return EXIT_USAGE;
	}
	status = images_begin(im, false);
	if (status != EXIT_EXPECTED)
		return status;
	if (!names_exist(im) || !names_are_built(im))
		return EXIT_USAGE;
	for (i = 0; i < im->n_names; i++) {
		one = build_one(im, kernel_list_find(im->list, im->names[i]), built);
		if (status == EXIT_EXPECTED || one == EXIT_INFRA)
			status = one;
	}
	if (im->json) {
		json_print(root, true, &out);
		puts(out.data);
	}
	return status;
}

static enum exit_status import(struct images *im)
{
	if (im->n_names == 1)
		return images_import(im->names[0], im->out);
	fputs("kjump images: import needs one mailbox\n", stderr);
	return EXIT_USAGE;
}

static enum exit_status images_gc(struct images *im)
{
	enum exit_status status = images_begin(im, false);
	struct err e __free_err = ERR_INIT;
	struct image_gc_result r;

	if (status != EXIT_EXPECTED)
		return status;
	if (image_gc(im->ctx, im->list->kernels, im->list->n, &r, &e)) {
		log_error("%s", err_msg(&e));
		return EXIT_INFRA;
	}
	printf("removed %zu files, %.1f MB\n", r.files, (double)r.bytes / 1e6);
	return EXIT_EXPECTED;
}

static const struct {
	const char *name;
	enum exit_status (*run)(struct images *im);
	bool takes_names, takes_address;
} verbs[] = {{"list", images_list, false, false},  {"fetch", images_fetch, true, false},
	     {"build", images_build, true, false}, {"import", import, true, false},
	     {"gc", images_gc, false, false},	   {"symbols", images_symbols, true, true}};

static int usage(FILE *out)
{
	fputs(usage_text, out);
	return out == stdout ? EXIT_EXPECTED : EXIT_USAGE;
}

int cmd_images(int argc, char **argv)
{
	static const struct option longs[] = {{"json", no_argument, NULL, 'J'},
					      {"kernels", required_argument, NULL, 'k'},
					      {"mirror", required_argument, NULL, 'm'},
					      {"base", required_argument, NULL, 'b'},
					      {"vbar", required_argument, NULL, 'v'},
					      {"help", no_argument, NULL, 'h'},
					      {0}};
	struct images im __cleanup(images_fini) = {.json = false};
	size_t i;
	int c;

	optind = 1;
	while ((c = getopt_long(argc, argv, "ho:", longs, NULL)) != -1) {
		if (c == 'J')
			im.json = true;
		else if (c == 'k')
			im.kernels_path = optarg;
		else if (c == 'm')
			im.mirror = optarg;
		else if (c == 'b')
			im.base = optarg;
		else if (c == 'v')
			im.vbar = optarg;
		else if (c == 'o')
			im.out = optarg;
		else
			return usage(c == 'h' ? stdout : stderr);
	}
	if (optind == argc)
		return usage(stderr);
	im.names = argv + optind + 1;
	im.n_names = (size_t)(argc - optind - 1);
	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (strcmp(argv[optind], verbs[i].name))
			continue;
		if (im.n_names && !verbs[i].takes_names)
			fprintf(stderr, "kjump images: '%s' is one argument too many\n",
				im.names[0]);
		else if ((im.base || im.vbar) && !verbs[i].takes_address)
			fprintf(stderr, "kjump images: '%s' takes no address\n", verbs[i].name);
		else
			return verbs[i].run(&im);
		return usage(stderr);
	}
	fprintf(stderr, "kjump images: there is no '%s'\n", argv[optind]);
	return usage(stderr);
}
