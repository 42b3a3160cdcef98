// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-prepare.c - what cannot be had fails only the jobs that need it. That
 * the files boot is for the boot tests to show.
 */
#include "test/test.h"

#include "base/alloc.h"
#include "base/file.h"
#include "run/prepare.h"

static struct kernel_spec missing = {
	.name = (char *)"missing",
	.source = KERNEL_FILE,
	.file = {.image = (char *)"/nonexistent/Image"},
};
static struct kernel_spec broken = {.name = (char *)"broken", .source = KERNEL_FILE};
static struct machine_spec machine = {.name = (char *)"m", .board = (char *)"fake"};
static struct profile profile = {.id = (char *)"p", .options = (char *)""};

struct fixture {
	char *dir;
	struct image_ctx *images;
	struct buf progress;
};

static int setup(void **state)
{
	struct image_opts opts = {.userland_suite = "trixie"};
	char dir[] = "/tmp/kjump-prepare-XXXXXX";
	struct fixture *f;

	xnew(f);
	*state = f;
	f->dir = xstrdup(mkdtemp(dir));
	setenv("XDG_CACHE_HOME", f->dir, 1);
	opts.images_dir = f->dir;
	opts.dt_dir = f->dir;
	broken.file.image = file_join(f->dir, "Image");
	buf_init(&f->progress);
	return file_write(broken.file.image, "no kernel", 9, NULL) ||
	       image_ctx_new(&opts, &f->images, NULL);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	image_ctx_free(f->images);
	file_remove_tree(f->dir, NULL);
	buf_fini(&f->progress);
	free(steal_ptr(broken.file.image));
	free(f->dir);
	free(f);
	return 0;
}

static void on_progress(size_t done, size_t total, const char *what, void *arg)
{
	buf_addf(arg, "%zu/%zu %s\n", done, total, what);
}

static void test_each_once_and_by_job(void **state)
{
	struct fixture *f = *state;
	struct job jobs[] = {
		{.from_kernel = &missing, .to_kernel = &missing},
		{.from_kernel = &broken, .to_kernel = &missing},
		{.from_kernel = &broken, .to_kernel = &broken},
	};
	const struct plan plan = {.jobs = jobs, .n_jobs = 3};
	const struct prepare_opts opts = {
		.images = f->images, .plan = &plan, .progress = on_progress, .arg = &f->progress};
	struct prepared *p __free(prepared) = NULL;
	size_t i;

	for (i = 0; i < 3; i++) {
		jobs[i].machine = &machine;
		jobs[i].from = jobs[i].to = &profile;
	}
	p = prepare(&opts);
	assert_string_equal(f->progress.data, "0/3 missing\n1/3 broken\n3/3 prepared\n");
	assert_non_null(strstr(prepared_error(p, &jobs[0]), "/nonexistent/Image"));
	/* The first end that fails is the reason. */
	assert_non_null(strstr(prepared_error(p, &jobs[1]), "broken"));
	assert_non_null(strstr(prepared_error(p, &jobs[2]), "broken"));
	assert_null(prepared_kernel(p, &missing));
	assert_null(prepared_kernel(p, &broken));
}

static void test_no_jobs(void **state)
{
	struct fixture *f = *state;
	const struct plan plan = {0};
	struct prepared *p __free(prepared) =
		prepare(&(struct prepare_opts){.images = f->images, .plan = &plan});

	assert_null(prepared_kernel(p, &missing));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_each_once_and_by_job, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_jobs, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
