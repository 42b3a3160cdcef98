// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/temp_dir.h"

#include "plan/kernel.h"

static struct kernel_list *load(const char *text, struct diag *diag)
{
	char *path __free(str) = file_join(dir, "k.yaml");
	struct kernel_list *l = NULL;

	assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
	kernel_list_load(path, diag, &l);
	return l;
}

static void reads_both_sources(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct kernel_list *l __free(kernel_list) =
		load("userland: {suite: trixie}\n"
		     "kernels:\n"
		     "  d: {source: debian, suite: sid, version: 7.2.10}\n"
		     "  f: {source: file, image: a/Image, system-map: /S, modules: m}\n",
		     &diag);
	char *real __free(str) = realpath(dir, NULL);
	char *image __free(str) = file_join(real, "a/Image");
	const struct kernel_spec *k;

	assert_int_equal(diag.n, 0);
	assert_string_equal(l->userland_suite, "trixie");
	k = kernel_list_find(l, "d");
	assert_int_equal(k->source, KERNEL_DEBIAN);
	assert_string_equal(k->debian.version, "7.2.10");
	assert_string_equal(k->debian.flavour, "plain");
	assert_int_equal(k->line, 3);
	k = kernel_list_find(l, "f");
	assert_int_equal(k->source, KERNEL_FILE);
	assert_string_equal(k->file.image, image);
	assert_string_equal(k->file.system_map, "/S");
	assert_null(k->file.config);
	assert_null(kernel_list_find(l, "g"));
}

static void all_mistakes_in_one_go(void **state)
{
	static const struct {
		unsigned int line, col;
		const char *part;
	} expected[] = {
		{1, 12, "unknown key 'suit', did you mean 'suite'?"},
		{1, 11, "key 'suite' is missing"},
		{3, 15, "'debain' is not known, did you mean 'debian'?"},
		{4, 30, "suite '../x': expected letters"},
		{4, 6, "key 'version' is missing"},
		{4, 45, "'clod' is not known, did you mean 'cloud'?"},
		{5, 6, "key 'image' is missing"},
		{5, 21, "unknown key 'flavour'"},
		{6, 6, "a kernel is a single value, expected a map"},
		{7, 3, "kernel 'e/x': expected letters"},
	};
	struct diag diag __free_diag = DIAG_INIT, syntax __free_diag = DIAG_INIT;
	struct kernel_list *l = load("userland: {suit: x}\n"
				     "kernels:\n"
				     "  a: {source: debain}\n"
				     "  b: {source: debian, suite: ../x, flavour: clod}\n"
				     "  c: {source: file, flavour: cloud}\n"
				     "  d: x\n"
				     "  e/x: {source: file, image: /I}\n",
				     &diag);
	size_t i, k;

	assert_null(l);
	assert_int_equal(diag.n, ARRAY_SIZE(expected));
	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		for (k = 0; k < diag.n; k++) {
			const struct diag_message *m = &diag.messages[k];

			if (m->line == expected[i].line && m->col == expected[i].col &&
			    strstr(m->text, expected[i].part))
				break;
		}
		if (k == diag.n) {
			diag_print(&diag, stderr);
			fail_msg("no %u:%u: %s", expected[i].line, expected[i].col,
				 expected[i].part);
		}
	}
	assert_null(load("userland: {suite: x}\nkernels:\n  a: {source: file, image: /I}\n"
			 "  a: {source: file, image: /I}\n",
			 &syntax));
	assert_int_equal(syntax.n, 1);
	assert_int_equal(syntax.messages[0].line, 4);
}

static void put(const char *name, const char *text)
{
	char *path __free(str) = file_join(dir, name);

	assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
}

static void make_series(void)
{
	char *config __free(str) = file_join(dir, "config");
	char *quilt __free(str) = file_join(dir, "quilt");

	assert_int_equal(file_mkdir(config, 0755, NULL), 0);
	assert_int_equal(file_mkdir(quilt, 0755, NULL), 0);
	put("config/base.fragment", "");
	put("quilt/a.patch", "");
	put("quilt/b.patch", "");
	put("quilt/series", "# two of them\na.patch\n\n b.patch -p1 # why\n");
	put("linux.tar", "");
}

static void a_series_gives_its_beginnings(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct kernel_list *l __free(kernel_list) = NULL;
	const struct kernel_spec *k;

	make_series();
	l = load(
		"userland: {suite: trixie}\n"
		"kernels:\n"
		"  s: {source: linux-source, suite: sid, package: linux-source-6.1, config: base,\n"
		"      patches: [quilt], compiler: clang}\n"
		"  g: {source: git, tree: ., revision: v6.1, config: [base], patches: "
		"[v6.1..v6.2]}\n"
		"  t: {source: tarball, path: linux.tar, config: [./config/base.fragment]}\n",
		&diag);
	diag_print(&diag, stderr);
	assert_non_null(l);
	k = kernel_list_find(l, "s");
	assert_int_equal(k->build.n_patches, 2);
	assert_int_equal(k->build.compiler, COMPILER_CLANG);
	assert_non_null(strstr(k->build.patches[1], "/quilt/b.patch"));
	assert_non_null(strstr(k->build.config[0], "/config/base.fragment"));
	assert_int_equal(kernel_list_find(l, "s+0")->build.n_patches, 0);
	k = kernel_list_find(l, "s+1");
	assert_int_equal(k->build.n_patches, 1);
	assert_string_equal(k->build.package, "linux-source-6.1");
	assert_null(kernel_list_find(l, "s+2"));
	assert_string_equal(kernel_list_find(l, "g")->build.patches[0], "v6.1..v6.2");
	assert_null(kernel_list_find(l, "t+0"));
}

static void mistakes_in_built_kernels(void **state)
{
	static const struct {
		unsigned int line;
		const char *part;
	} expected[] = {
		{3, "key 'config' is missing"},
		{3, "path: there is no"},
		{4, "'-x' is no revision"},
		{5, "patches: there is no"},
		{5, "config: there is no"},
		{6, "'tcc' is not known"},
		{6, "unknown key 'tree'"},
		{7, "names the beginning of this kernel's series"},
		{2, "there is no patch 'c.patch'"},
	};
	struct diag diag __free_diag = DIAG_INIT;
	size_t i, k;

	put("quilt/bad", "");
	put("quilt/series", "a.patch\nc.patch\n");
	assert_null(load(
		"userland: {suite: x}\nkernels:\n"
		"  a: {source: tarball, path: nowhere}\n"
		"  b: {source: git, tree: ., revision: -x, config: base}\n"
		"  c: {source: tarball, path: linux.tar, config: none, patches: [a..b]}\n"
		"  d: {source: tarball, path: linux.tar, config: base, compiler: tcc, tree: .}\n"
		"  e: {source: tarball, path: linux.tar, config: base, patches: [quilt]}\n"
		"  e+0: {source: file, image: /I}\n",
		&diag));
	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		for (k = 0; k < diag.n; k++) {
			if (diag.messages[k].line == expected[i].line &&
			    strstr(diag.messages[k].text, expected[i].part))
				break;
		}
		if (k == diag.n) {
			diag_print(&diag, stderr);
			fail_msg("no line %u: %s", expected[i].line, expected[i].part);
		}
	}
	assert_int_equal(diag.n, ARRAY_SIZE(expected));
}

static void the_shipped_list(void **state)
{
	static const char *const names[] = {"debian-6.1-cloud",	  "debian-6.12-cloud",
					    "debian-7.2.6-cloud", "debian-7.2.9-cloud",
					    "debian-7.2.9",	  "debian-7.2.9-16k"};
	struct diag diag __free_diag = DIAG_INIT;
	struct kernel_list *l __free(kernel_list) = NULL;
	size_t i;

	assert_int_equal(kernel_list_load("images/kernels.yaml", &diag, &l), 0);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		assert_non_null(kernel_list_find(l, names[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_both_sources),
		cmocka_unit_test(all_mistakes_in_one_go),
		cmocka_unit_test(a_series_gives_its_beginnings),
		cmocka_unit_test(mistakes_in_built_kernels),
		cmocka_unit_test(the_shipped_list),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
