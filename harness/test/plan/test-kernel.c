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
		cmocka_unit_test(the_shipped_list),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
