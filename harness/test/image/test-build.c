// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The whole way from a tarball and patches to a kernel, with a tree that takes a
 * moment to build: git, make and the locks are real.
 */
#include "test/image/sandbox.h"

#include <errno.h>

#include "base/process.h"
#include "image/build.h"
#include "image/build_log.h"
#include "image/kconfig.h"

/* Stands for a kernel's: refuses CONFIG_LOST, breaks where main.c says BROKEN. */
static const char makefile[] =
	"allnoconfig:\n"
	"\t@grep -v CONFIG_LOST $(KCONFIG_ALLCONFIG) >$(O)/.config\n"
	"kjumpwhyconfig:\n"
	"\t@test -f $(KJUMP_WHY) && echo 'CONFIG_LOST: depends on FOUND[=n]'\n"
	"Image: $(O)/main.o $(O)/other.o\n"
	"\t@mkdir -p $(O)/arch/arm64/boot; cp main.c $(O)/System.map\n"
	"\t@{ cat head.bin; printf 'Linux version 6.0.0%s (a@b) #1\\000' $(LOCALVERSION); }"
	" >$(O)/arch/arm64/boot/Image\n"
	"$(O)/%.o: %.c\n"
	"\t@echo '  CC      '$*.o\n"
	"\t@if grep -n BROKEN $<; then echo ../$<:2:1: error: it is broken; exit 1; fi\n"
	"\t@touch $@\n";

#define MAIL(author, old, new)                                                         \
	"From: " author "\nSubject: [PATCH] main: change a line\n\nWhy.\n---\n"        \
	" main.c | 2 +-\n\ndiff --git a/main.c b/main.c\n--- a/main.c\n+++ b/main.c\n" \
	"@@ -1,3 +1,3 @@\n one\n-" old "\n+" new "\n three\n--\n2.0\n"

static void run(const char *const *argv)
{
	struct err e __free_err = ERR_INIT;

	assert_ok(process_run(argv, 4096, NULL, NULL, &e));
}

static void make_tree(const char *dir)
{
	char head[64] = "MZ";
	const char *const tar[] = {"tar", "-C", dir, "-cJf", NULL, "linux", NULL};
	char *tarball __free(str) = file_join(dir, "linux.tar.xz");
	const char *argv[ARRAY_SIZE(tar)];

	memcpy(head + 0x38, "ARM\x64", 4);
	sandbox_put(dir, "linux/head.bin", head, sizeof(head));
	sandbox_puts(dir, "linux/Makefile", makefile);
	sandbox_puts(dir, "linux/main.c", "one\ntwo\nthree\n");
	sandbox_puts(dir, "linux/other.c", "other\n");
	sandbox_puts(dir, "linux/scripts/kconfig/merge_config.sh",
		     "shift\ncat \"$@\" >$KCONFIG_CONFIG\n");
	memcpy(argv, tar, sizeof(tar));
	argv[4] = tarball;
	run(argv);
	sandbox_puts(dir, "config/why.c", "");
	sandbox_puts(dir, "config/why.mk", "");
	sandbox_puts(dir, "base.fragment", "CONFIG_A=y\n# CONFIG_B is not set\n");
	sandbox_puts(dir, "lost.fragment", "# for a test\nCONFIG_LOST=y\n");
	sandbox_puts(dir, "p1.patch", MAIL("A U Thor <a@example.org>", "two", "deux"));
	sandbox_puts(dir, "p2.patch", MAIL("B U Thor <b@example.org>", "deux", "zwei"));
	sandbox_puts(dir, "bad.patch", MAIL("C <c@example.org>", "never", "there"));
	sandbox_puts(dir, "broken.patch", MAIL("D <d@example.org>", "two", "BROKEN"));
}

struct fixture {
	struct image_ctx *ctx;
	char *config[2], *patches[2];
	struct kernel_spec spec;
	size_t steps;
};

static void count(const char *kernel, size_t n, const char *line, void *arg)
{
	struct fixture *f = arg;

	f->steps++;
}

static void fixture_fini(struct fixture *f)
{
	free(f->config[0]);
	free(f->config[1]);
	free(f->patches[0]);
	free(f->patches[1]);
	free(f->spec.build.path);
	image_ctx_free(f->ctx);
}

static void fixture_init(struct fixture *f, const char *dir)
{
	struct image_opts opts = {.images_dir = dir, .build_step = count, .build_arg = f};
	struct err e __free_err = ERR_INIT;
	struct stat st;
	char *tarball = file_join(dir, "linux.tar.xz");

	if (stat(tarball, &st))
		make_tree(dir);
	*f = (struct fixture){.config = {file_join(dir, "base.fragment")}};
	f->spec.name = (char *)"k";
	f->spec.source = KERNEL_TARBALL;
	f->spec.build.path = tarball;
	f->spec.build.config = f->config;
	f->spec.build.n_config = 1;
	f->spec.build.patches = f->patches;
	assert_ok(image_ctx_new(&opts, &f->ctx, &e));
}

static void add_patch(struct fixture *f, const char *dir, const char *name)
{
	f->patches[f->spec.build.n_patches++] = file_join(dir, name);
}

static void builds_once_and_walks_a_series(void **state)
{
	struct fixture f __cleanup(fixture_fini);
	struct kernel_files *base __free(kernel_files) = NULL;
	struct kernel_files *p1 __free(kernel_files) = NULL, *p2 __free(kernel_files) = NULL;
	struct kernel_files *again __free(kernel_files) = NULL;
	struct err e __free_err = ERR_INIT;
	struct buf text __free_buf = BUF_INIT;

	fixture_init(&f, *state);
	assert_int_equal(image_kernel_cached(f.ctx, &f.spec, &base, NULL), -ENOENT);
	assert_ok(image_kernel(f.ctx, &f.spec, &base, &e));
	assert_int_equal(f.steps, 2);
	assert_ok(image_kernel(f.ctx, &f.spec, &again, &e));
	assert_int_equal(f.steps, 2);
	assert_string_equal(base->image, again->image);
	assert_contains(base->provenance, "linux.tar.xz; base; ");
	assert_contains(base->release, "6.0.0-kjump-");

	/* Only what a patch touches is compiled again. */
	add_patch(&f, *state, "p1.patch");
	assert_ok(image_kernel(f.ctx, &f.spec, &p1, &e));
	assert_int_equal(f.steps, 3);
	assert_string_not_equal(p1->release, base->release);
	assert_contains(p1->provenance, "linux.tar.xz + p1.patch; base; ");
	add_patch(&f, *state, "p2.patch");
	assert_ok(image_kernel(f.ctx, &f.spec, &p2, &e));
	assert_int_equal(f.steps, 4);
	assert_int_equal(file_read(p2->system_map, 4096, &text, NULL), 0);
	assert_string_equal(text.data, "one\nzwei\nthree\n");
}

static void authors_stay(void **state)
{
	struct fixture f __cleanup(fixture_fini);
	struct kernel_files *k __free(kernel_files) = NULL;
	char id[DIGEST_HEX_SIZE];
	struct buf out __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	char *src __free(str) = NULL;

	fixture_init(&f, *state);
	assert_ok(build_workspace_id(f.ctx, &f.spec, id, &e));
	add_patch(&f, *state, "p1.patch");
	assert_ok(image_kernel(f.ctx, &f.spec, &k, &e));
	src = xasprintf("%s/kjump/build/%s/src", (char *)*state, id);
	const char *const log[] = {
		"git", "-C", src, "for-each-ref", "--format=%(authoremail)", "refs/kjump/series",
		NULL};

	assert_ok(process_run(log, 4096, &out, NULL, &e));
	assert_contains(out.data, "<a@example.org>");
}

static void a_patch_that_fails_names_its_hunk(void **state)
{
	struct fixture f __cleanup(fixture_fini);
	struct kernel_files *k __free(kernel_files) = NULL;
	struct err e __free_err = ERR_INIT;

	fixture_init(&f, *state);
	add_patch(&f, *state, "bad.patch");
	assert_true(image_kernel(f.ctx, &f.spec, &k, &e) < 0);
	assert_string_equal(err_msg(&e), "kernel 'k': build-failed: patch 'bad.patch' does not "
					 "apply: file main.c, hunk at line 1");
	/* And leaves the workspace fit for the next one. */
	free(f.patches[0]);
	f.spec.build.n_patches = 0;
	add_patch(&f, *state, "p1.patch");
	assert_ok(image_kernel(f.ctx, &f.spec, &k, &e));
}

static void a_build_that_fails_names_its_first_error(void **state)
{
	struct fixture f __cleanup(fixture_fini);
	struct kernel_files *k __free(kernel_files) = NULL;
	struct err e __free_err = ERR_INIT;

	fixture_init(&f, *state);
	add_patch(&f, *state, "broken.patch");
	assert_true(image_kernel(f.ctx, &f.spec, &k, &e) < 0);
	assert_string_equal(err_msg(&e),
			    "kernel 'k': build-failed: main.c:2:1: error: it is broken");
}

static void an_option_that_is_refused_says_by_what(void **state)
{
	struct fixture f __cleanup(fixture_fini);
	struct kernel_files *k __free(kernel_files) = NULL;
	struct err e __free_err = ERR_INIT;

	fixture_init(&f, *state);
	f.config[f.spec.build.n_config++] = file_join(*state, "lost.fragment");
	assert_true(image_kernel(f.ctx, &f.spec, &k, &e) < 0);
	assert_contains(err_msg(&e), "lost.fragment:2: CONFIG_LOST=y did not stick, it is n: "
				     "depends on FOUND[=n]");
}

static void a_broken_tarball_leaves_no_source(void **state)
{
	struct fixture f __cleanup(fixture_fini);
	struct kernel_files *k __free(kernel_files) = NULL;
	struct err e __free_err = ERR_INIT;
	struct buf data __free_buf = BUF_INIT;

	fixture_init(&f, *state);
	assert_int_equal(file_read(f.spec.build.path, 1 << 20, &data, NULL), 0);
	sandbox_put(*state, "cut.tar.xz", data.data, data.len / 2);
	free(f.spec.build.path);
	f.spec.build.path = file_join(*state, "cut.tar.xz");
	assert_true(image_kernel(f.ctx, &f.spec, &k, &e) < 0);
	assert_contains(err_msg(&e), "cut.tar.xz");
	err_fini(&e);
	assert_true(image_kernel(f.ctx, &f.spec, &k, &e) < 0);
	assert_contains(err_msg(&e), "cut.tar.xz");
}

static void the_users_tree_is_only_read(void **state)
{
	static const char script[] =
		"set -e; cd \"$1\"; export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@x "
		"GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@x GIT_CONFIG_GLOBAL=/dev/null; "
		"git init -q .; git add -A; git commit -qm 1; git tag v1; "
		"sed -i s/two/range/ main.c; git commit -qam 2; echo dirty >main.c; "
		"git add main.c; echo dirtier >main.c";
	static const char state_of[] = "cd \"$1\"; sha256sum .git/index main.c; git for-each-ref";
	struct fixture f __cleanup(fixture_fini);
	struct kernel_files *k __free(kernel_files) = NULL;
	struct err e __free_err = ERR_INIT;
	char *tree __free(str) = file_join(*state, "linux");
	const char *const make[] = {"sh", "-c", script, "sh", tree, NULL};
	const char *const look[] = {"sh", "-c", state_of, "sh", tree, NULL};
	struct buf before __free_buf = BUF_INIT, after __free_buf = BUF_INIT;
	struct buf text __free_buf = BUF_INIT;

	fixture_init(&f, *state);
	run(make);
	assert_ok(process_run(look, 65536, &before, NULL, &e));
	free(f.spec.build.path);
	f.spec.source = KERNEL_GIT;
	f.spec.build.path = xstrdup(tree);
	f.spec.build.revision = (char *)"v1";
	f.patches[f.spec.build.n_patches++] = xstrdup("v1..master");
	assert_ok(image_kernel(f.ctx, &f.spec, &k, &e));
	assert_int_equal(file_read(k->system_map, 4096, &text, NULL), 0);
	assert_string_equal(text.data, "one\nrange\nthree\n");
	assert_ok(process_run(look, 65536, &after, NULL, &e));
	assert_string_equal(before.data, after.data);
}

static void errors_are_found_in_what_compilers_say(void **state)
{
	static const struct {
		const char *output, *error;
	} cases[] = {
		{"  CC      a.o\n../mm/a.c:7:2: error: 'x' undeclared\nmake: *** 2\n",
		 "mm/a.c:7:2: error: 'x' undeclared"},
		{"ld: vmlinux: undefined reference to `f'\nmake: *** 1\n",
		 "ld: vmlinux: undefined reference to `f'"},
		{"a.c:7:2: error: \x1b[31m\n", "a.c:7:2: error: \\x1b[31m"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct build_log l __cleanup(build_log_fini) = BUILD_LOG_INIT(-1);

		build_log_feed(&l, cases[i].output, strlen(cases[i].output));
		assert_non_null(l.first_error);
		assert_string_equal(l.first_error, cases[i].error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, sandbox_setup, sandbox_teardown)
		T(builds_once_and_walks_a_series),
		T(authors_stay),
		T(a_patch_that_fails_names_its_hunk),
		T(a_build_that_fails_names_its_first_error),
		T(an_option_that_is_refused_says_by_what),
		T(a_broken_tarball_leaves_no_source),
		T(the_users_tree_is_only_read),
		T(errors_are_found_in_what_compilers_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
