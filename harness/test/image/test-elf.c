// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/image/sandbox.h"

#include <elf.h>

#include "base/process.h"
#include "image/elf.h"

static const struct elf_lib *find(const struct elf_libs *l, const char *name)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		if (!strcmp(l->libs[i].name, name))
			return &l->libs[i];
	}
	return NULL;
}

static void compile(const char *dir, const char *source, const char *const *args)
{
	const char *argv[16] = {"cc", "-x", "c", NULL};
	struct err e __free_err = ERR_INIT;
	char *path __free(str) = file_join(dir, "source.c");
	size_t n = 3;

	sandbox_puts(dir, "source.c", source);
	argv[n++] = path;
	argv[n++] = "-x";
	argv[n++] = "none";
	while (*args)
		argv[n++] = *args++;
	assert_ok(process_run(argv, 4096, NULL, NULL, &e));
}

/* program -> libone.so.1 -> libtwo.so.2, and whatever the C library brings. */
static void build(const char *dir)
{
	char *one __free(str) = sandbox_path(dir, "a/libone.so.1");
	char *two __free(str) = sandbox_path(dir, "b/libtwo.so.2"), *prog __free(str) = NULL;
	const char *const args_two[] = {"-shared", "-fPIC", "-Wl,-soname,libtwo.so.2",
					"-o",	   two,	    NULL};
	const char *const args_one[] = {"-shared", "-fPIC", "-Wl,-soname,libone.so.1", "-o", one,
					two,	   NULL};

	prog = file_join(dir, "program");
	const char *const args_prog[] = {"-o", prog, one, "-Wl,--allow-shlib-undefined", NULL};

	compile(dir, "int two(void) { return 2; }", args_two);
	compile(dir, "int two(void); int one(void) { return two(); }", args_one);
	compile(dir, "int one(void); int main(void) { return one(); }", args_prog);
}

static void to_the_end(void **state)
{
	char *a __free(str) = NULL, *b __free(str) = NULL, *prog __free(str) = NULL;
	struct elf_libs libs __free_elf_libs = ELF_LIBS_INIT;
	struct err e __free_err = ERR_INIT;
	size_t i;

	build(*state);
	a = file_join(*state, "a");
	b = file_join(*state, "b");
	prog = file_join(*state, "program");
	char *dirs[] = {a, b};

	assert_ok(elf_closure(prog, dirs, 2, &libs, &e));
	assert_non_null(find(&libs, "libone.so.1"));
	assert_non_null(find(&libs, "libone.so.1")->path);
	assert_non_null(find(&libs, "libtwo.so.2"));
	assert_non_null(find(&libs, "libtwo.so.2")->path);
	assert_non_null(strstr(find(&libs, "libtwo.so.2")->needed_by, "libone.so.1"));
	/* Not looked up anywhere but in the directories given. */
	assert_non_null(find(&libs, "libc.so.6"));
	assert_null(find(&libs, "libc.so.6")->path);
	for (i = 1; i < libs.n; i++)
		assert_true(strcmp(libs.libs[i - 1].name, libs.libs[i].name) < 0);
}

static void the_interpreter_counts(void **state)
{
	struct elf_libs libs __free_elf_libs = ELF_LIBS_INIT;
	struct err e __free_err = ERR_INIT;
	size_t i;
	bool loader = false;

	assert_ok(elf_closure("/proc/self/exe", NULL, 0, &libs, &e));
	for (i = 0; i < libs.n; i++)
		loader |= !strncmp(libs.libs[i].name, "ld-linux", 8);
	assert_true(loader);
}

static void no_elf(void **state)
{
	char *path __free(str) = file_join(*state, "text");
	struct elf_libs libs __free_elf_libs = ELF_LIBS_INIT;
	struct err e __free_err = ERR_INIT;

	sandbox_puts(*state, "text", "#!/bin/sh\n");
	assert_int_equal(elf_closure(path, NULL, 0, &libs, &e), -EBADMSG);
	assert_int_equal(elf_closure("/nonexistent", NULL, 0, &libs, &e), -ENOENT);
	assert_int_equal(libs.n, 0);
}

/* Offsets and counts that point anywhere must not be followed out of the file. */
static void wild_offsets(void **state)
{
	char *path __free(str) = file_join(*state, "wild");
	struct buf self __free_buf = BUF_INIT;
	size_t at;

	assert_int_equal(file_read("/proc/self/exe", 64 << 20, &self, NULL), 0);
	buf_truncate(&self, self.len < 65536 ? self.len : 65536);
	for (at = EI_NIDENT; at < sizeof(Elf64_Ehdr) + 256; at++) {
		struct elf_libs libs __free_elf_libs = ELF_LIBS_INIT;
		char was = self.data[at];

		self.data[at] = (char)0xff;
		sandbox_put(*state, "wild", self.data, self.len);
		self.data[at] = was;
		elf_closure(path, NULL, 0, &libs, NULL);
		assert_true(libs.n < 64);
	}
}

#define T(f) cmocka_unit_test_setup_teardown(f, sandbox_setup, sandbox_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(to_the_end),
		T(the_interpreter_counts),
		T(no_elf),
		T(wild_offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
