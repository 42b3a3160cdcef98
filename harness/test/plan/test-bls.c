// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/alloc.h"
#include "base/file.h"
#include "plan/profile.h"

static struct profile *parse(const char *path, const char *text, size_t len, struct diag *diag)
{
	struct profile *p = NULL;

	profile_parse(path, text, len, diag, &p);
	assert_non_null(p);
	return p;
}

#define PARSE(path, text, diag) parse(path, text, sizeof(text) - 1, diag)

static bool warns(const struct profile *p, unsigned int line, const char *part)
{
	size_t i;

	for (i = 0; i < p->n_warnings; i++) {
		if (p->warnings[i].line == line && strstr(p->warnings[i].text, part))
			return true;
	}
	return false;
}

static void reads_every_key(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct profile *p __free(profile) = PARSE("dir/a+3-1.conf",
						  "\xef\xbb\xbf# a comment\r\n"
						  "title\tA system\r\n"
						  "linux  /l\r\n"
						  "initrd /one\r\n"
						  "  initrd /two\r\n"
						  "options a=1 dyndbg=\"file x +p\"\r\n"
						  "options b\r\n"
						  "devicetree /t.dtb\r\n"
						  "devicetree-overlay /x.dtbo  /y.dtbo\r\n"
						  "architecture AA64\r\n"
						  "x-kjump-modules m1 m2?\r\n"
						  "x-kjump-display yes\r\n"
						  "foreign  some value\r\n",
						  &diag);
	struct err e __free_err = ERR_INIT;

	assert_int_equal(diag.n, 0);
	assert_string_equal(p->id, "a");
	assert_int_equal(p->tries_left, 3);
	assert_int_equal(p->tries_done, 1);
	assert_string_equal(p->title, "A system");
	assert_int_equal(p->n_initrds, 2);
	assert_string_equal(p->initrds[1], "/two");
	assert_string_equal(p->options, "a=1 dyndbg=\"file x +p\" b");
	assert_int_equal(p->n_overlays, 2);
	assert_string_equal(p->overlays[1], "/y.dtbo");
	assert_int_equal(p->n_modules, 2);
	assert_true(p->display);
	assert_true(warns(p, 5, "initrd"));
	assert_true(warns(p, 7, "options"));
	assert_true(warns(p, 13, "foreign"));
	assert_int_equal(p->n_warnings, 3);
	assert_int_equal(profile_check_bootable(p, &e), 0);
}

static void warns_where_readers_differ(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct profile *p __free(profile) =
		PARSE("a.conf",
		      "linux /l\n"
		      "options rootflags=subvol=@a x rootflags=subvol=@b console= tty0\n"
		      "initrd $tuned_initrd\n"
		      "machine-id abc\n"
		      "devicetreedir /dtbs\n",
		      &diag);

	assert_int_equal(diag.n, 0);
	assert_true(warns(p, 2, "the last ('subvol=@b')"));
	assert_true(warns(p, 2, "console="));
	assert_true(warns(p, 3, "GRUB"));
	assert_true(warns(p, 4, "hex"));
	assert_true(warns(p, 5, "U-Boot"));
}

static void reports_mistakes_where_they_stand(void **state)
{
	static const char text[] = "title\n"
				   "linux /a\n"
				   "linux   /b\n"
				   "x-kjump-display perhaps\n"
				   "options a\0b\n";
	struct diag diag __free_diag = DIAG_INIT;
	struct profile *p __free(profile) = PARSE("a.conf", text, &diag);

	assert_int_equal(diag.n, 4);
	assert_int_equal(diag.messages[0].line, 1);
	assert_int_equal(diag.messages[1].line, 3);
	assert_int_equal(diag.messages[1].col, 9);
	assert_int_equal(diag.messages[2].line, 4);
	assert_int_equal(diag.messages[3].line, 5);
	assert_string_equal(p->linux_path, "/a");
}

static void tells_why_it_cannot_boot(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"title x\n", "no 'linux' line"},
		{"fit /x.itb\n", "only U-Boot"},
		{"efi /x.efi\n", "only an EFI program"},
		{"linux /l\narchitecture x64\n", "aa64"},
		{"linux /l\ndevicetree-overlay /o\n", "needs a 'devicetree'"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct diag diag __free_diag = DIAG_INIT;
		struct err e __free_err = ERR_INIT;
		struct profile *p __free(profile) =
			parse("a.conf", cases[i].text, strlen(cases[i].text), &diag);

		assert_true(profile_check_bootable(p, &e) < 0);
		assert_non_null(strstr(err_msg(&e), cases[i].why));
	}
}

static void counters_in_file_names(void **state)
{
	static const struct {
		const char *path, *id;
		int left, done;
	} cases[] = {
		{"500-os-7.2.0+3-0.conf", "500-os-7.2.0", 3, 0},
		{"a/os-7.2.6+deb13.conf", "os-7.2.6+deb13", -1, -1},
		{"os+2.conf", "os", 2, -1},
		{"+1.conf", "+1", -1, -1},
		{"plain", "plain", -1, -1},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct diag diag __free_diag = DIAG_INIT;
		struct profile *p __free(profile) = PARSE(cases[i].path, "linux /l\n", &diag);

		assert_string_equal(p->id, cases[i].id);
		assert_int_equal(p->tries_left, cases[i].left);
		assert_int_equal(p->tries_done, cases[i].done);
	}
}

/* What a careful person reads in each public entry. */
static const struct field_case {
	const char *file;
	bool bootable;
	const char *warning; /* part of one that must be there, or NULL */
} field_cases[] = {
	{"01-radxaos-qcom.conf", true, NULL},
	{"03-flipper-router-duplicate-rootflags.conf", true, "rootflags="},
	{"500-flipperos-No-Graphics-7.2.0+3-0.conf", false, NULL},
	{"07-uboot-test-all-fields.conf", false, "architecture"},
	{"09-uboot-test-fit-only.conf", false, "U-Boot"},
	{"11-fedora-cix-sky1-grub-vars.conf", true, "GRUB variable"},
	{"13-ostree-coreos-broken-console.conf", true, "console="},
	{"19-uapi-spec-sample.conf", true, NULL},
};

static void entries_from_the_field(void **state)
{
	const char *root = getenv("KJUMP_FIELD_CASES");
	struct err e __free_err = ERR_INIT;
	size_t i, k;

	if (!root)
		root = "../shared/cases";
	for (i = 0; i < ARRAY_SIZE(field_cases); i++) {
		const struct field_case *c = &field_cases[i];
		char *path __free(str) = xasprintf("%s/bls/%s", root, c->file);
		struct diag diag __free_diag = DIAG_INIT;
		struct profile *p __free(profile) = NULL;
		bool found = !c->warning;

		if (!file_exists(path))
			skip_because("'%s' is not here", path);
		profile_load(path, &diag, &p);
		assert_non_null(p);
		if ((profile_check_bootable(p, &e) == 0) != c->bootable)
			fail_msg("%s: bootable is not %d: %s", c->file, c->bootable, err_msg(&e));
		for (k = 0; k < p->n_warnings; k++)
			found |= c->warning && strstr(p->warnings[k].text, c->warning);
		if (!found)
			fail_msg("%s: no warning about '%s'", c->file, c->warning);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_key),
		cmocka_unit_test(warns_where_readers_differ),
		cmocka_unit_test(reports_mistakes_where_they_stand),
		cmocka_unit_test(tells_why_it_cannot_boot),
		cmocka_unit_test(counters_in_file_names),
		cmocka_unit_test(entries_from_the_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
