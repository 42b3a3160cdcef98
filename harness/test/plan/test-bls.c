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
	assert_true(warns(p, 1, "byte order mark"));
	assert_true(warns(p, 1, "CR LF"));
	assert_true(warns(p, 1, "boot counter"));
	assert_true(warns(p, 5, "initrd"));
	assert_true(warns(p, 7, "options"));
	assert_true(warns(p, 13, "foreign"));
	assert_int_equal(p->n_warnings, 6);
	assert_int_equal(p->n_fields, 12);
	assert_string_equal(p->fields[11].key, "foreign");
	assert_string_equal(p->fields[11].value, "some value");
	assert_int_equal(p->fields[11].col, 10);
	assert_int_equal(profile_check_bootable(p, &e), 0);
}

/* All warnings of an entry as lines "LINE:COL: TEXT\n". */
static char *warnings_of(const struct profile *p)
{
	struct buf b = BUF_INIT;
	size_t i;

	for (i = 0; i < p->n_warnings; i++)
		buf_addf(&b, "%u:%u: %s\n", p->warnings[i].line, p->warnings[i].col,
			 p->warnings[i].text);
	return buf_steal(&b);
}

static void warns_where_readers_differ(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct profile *p __free(profile) =
		PARSE("a.conf",
		      "linux /l\n"
		      "options rootflags=subvol=@a x rootflags=subvol=@b console= tty0\n"
		      "options init=\"/bin/a b\" init=/bin/c \"open\n"
		      "initrd /i $tuned_initrd\n"
		      "machine-id abc\n"
		      "devicetreedir /dtbs\n"
		      "devicetree-overlay /o.dtbo\n"
		      "architecture x64\n"
		      "Optoins a\n"
		      "version 1\x1b[2J\n",
		      &diag);
	char *seen __free(str) = warnings_of(p);

	assert_int_equal(diag.n, 0);
	assert_string_equal(
		seen,
		"2:31: 'rootflags=' is given twice: the kernel takes the last ('subvol=@b'), "
		"readers that search for it the first ('subvol=@a')\n"
		"2:51: 'console=' is empty: the kernel gets no such console\n"
		"3:9: a double quote is not closed\n"
		"3:9: a further 'options' line: some readers take the first only\n"
		"3:25: 'init=' is given twice: the kernel takes the last ('/bin/c'), readers that "
		"search for it the first ('\"/bin/a b\"')\n"
		"4:8: a blank in 'initrd': several paths here and in GRUB, one path elsewhere\n"
		"4:11: '$tuned_initrd' is a variable that only GRUB knows: left out here, other "
		"readers pass it on as it stands\n"
		"5:12: 'machine-id' is not 32 lower-case hex digits\n"
		"6:15: 'devicetreedir' is not in the specification: only U-Boot reads it\n"
		"7:20: 'devicetree-overlay' without 'devicetree': some readers ignore it\n"
		"8:14: architecture 'x64': readers on arm64 hide this entry\n"
		"9:9: 'Optoins' is not in the specification: readers skip it; did you mean "
		"'options'?\n"
		"10:9: a control character in the value\n");
}

/* What only GRUB would expand must not reach a kernel. */
static void variables_do_not_get_through(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct err e __free_err = ERR_INIT;
	struct profile *p __free(profile) =
		PARSE("a.conf", "linux /l\noptions $a  x=1 ${b}   y=$$ $ z\ninitrd $c\n", &diag);
	struct profile *q __free(profile) =
		PARSE("b.conf", "linux /l\noptions root=$dev ro\n", &diag);

	assert_string_equal(p->options, "x=1   y=$$ $ z");
	assert_int_equal(p->n_initrds, 0);
	assert_int_equal(profile_check_bootable(p, &e), 0);
	assert_string_equal(q->options, "root=$dev ro");
	assert_int_equal(profile_check_bootable(q, &e), -EINVAL);
	assert_non_null(strstr(err_msg(&e), "'$dev'"));
}

/* A carriage return in the middle ends a word, and only that. */
static void odd_blanks(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct profile *p __free(profile) =
		PARSE("a.conf", "linux /l\noptions a\rb\v c \f $d\n", &diag);

	assert_int_equal(diag.n, 0);
	assert_string_equal(p->options, "a\rb\v c");
	assert_true(warns(p, 2, "control character"));
}

static void an_empty_entry(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct profile *p __free(profile) = PARSE("a.conf", "\n# nothing\noptions\n", &diag);

	assert_int_equal(diag.n, 0);
	assert_string_equal(p->options, "");
	assert_null(p->title);
	assert_true(warns(p, 1, "no 'linux' line"));
}

static void reports_mistakes_where_they_stand(void **state)
{
	static const char text[] = "title\n"
				   "linux /a\n"
				   "linux   /b\n"
				   "x-kjump-display perhaps\n"
				   "x-kjump-moduls a\n"
				   "options a\0b\n";
	struct diag diag __free_diag = DIAG_INIT;
	struct profile *p __free(profile) = PARSE("a.conf", text, &diag);
	char *shown = NULL;
	size_t len;
	FILE *out = open_memstream(&shown, &len);

	diag_print(&diag, out);
	fclose(out);
	assert_string_equal(
		shown,
		"a.conf:1:1: 'title' has no value, expected \"key value\"\n"
		"a.conf:3:9: 'linux' is given a second time; the specification allows it once\n"
		"a.conf:4:17: 'x-kjump-display' is 'perhaps', expected yes, no or dark\n"
		"a.conf:5:1: unknown key 'x-kjump-moduls', expected x-kjump-modules, "
		"x-kjump-display, x-kjump-screen or x-kjump-run\n"
		"a.conf:6:1: NUL byte in the line\n");
	assert_string_equal(p->linux_path, "/a");
	free(shown);
}

static void tells_why_it_cannot_boot(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"title x\n", "no 'linux' line"},
		{"fit /x.itb\n", "only U-Boot"},
		{"efi /x.efi\n", "only EFI firmware"},
		{"uki /x.efi\n", "only EFI firmware"},
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
		{"a+-3.conf", "a+-3", -1, -1},
		{"a+3-.conf", "a+3-", -1, -1},
		{"a+ 3.conf", "a+ 3", -1, -1},
		{"a+99999.conf", "a+99999", -1, -1},
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
	const char *id;
	const char *linux_path; /* NULL: there is none */
	const char *options;	/* how they begin */
	size_t initrds, overlays;
	int bootable;	     /* what profile_check_bootable() says */
	const char *never;   /* must not stand in the options, or NULL */
	const char *warn[3]; /* parts of warnings that must be there */
} field_cases[] = {
	{"01-radxaos-qcom.conf",
	 "01-radxaos-qcom",
	 "/RadxaOS/7.0.11-3-qcom/linux",
	 "root=UUID=00000000-9e25-4615-bfe2-000000000000 console=ttyMSM0,115200n8 ",
	 1,
	 0,
	 0,
	 NULL,
	 {NULL}},
	{"03-flipper-router-duplicate-rootflags.conf",
	 "03-flipper-router-duplicate-rootflags",
	 "/boot/flipperos/7.1.0-g5f8b21274ff4/linux",
	 "root=UUID=00000000-0000-4000-8000-000000000000 rootflags=subvol=@Desktop ",
	 1,
	 0,
	 0,
	 NULL,
	 {"takes the last ('subvol=@Router')", "the first ('subvol=@Desktop')",
	  "'devicetreedir' is not in the specification: only U-Boot"}},
	{"500-flipperos-No-Graphics-7.2.0+3-0.conf",
	 "500-flipperos-No-Graphics-7.2.0",
	 NULL,
	 "root=UUID=x rootflags=subvol=@No-Graphics",
	 0,
	 2,
	 -EINVAL,
	 NULL,
	 {"no 'linux' line", "boot counter", "without 'devicetree'"}},
	{"07-uboot-test-all-fields.conf",
	 "07-uboot-test-all-fields",
	 "/boot/vmlinuz-2.0.1",
	 "root=/dev/sda1 ro quiet splash",
	 1,
	 1,
	 -ENOTSUP,
	 NULL,
	 {"a further 'options' line", "architecture 'x86_64'", "not 32 lower-case hex"}},
	{"09-uboot-test-fit-only.conf",
	 "09-uboot-test-fit-only",
	 NULL,
	 "root=/dev/sda",
	 1,
	 0,
	 -ENOTSUP,
	 NULL,
	 {"'fit' is not in the specification: only U-Boot", "no 'linux' line"}},
	{"11-fedora-cix-sky1-grub-vars.conf",
	 "11-fedora-cix-sky1-grub-vars",
	 "/boot/vmlinuz-6.19.0-1.fc44.aarch64",
	 "root=UUID=00000000-afff-495c-b025-000000000000 ro rootflags=subvol=root net.ifnames=0",
	 1,
	 0,
	 0,
	 "$",
	 {"'$tuned_initrd' is a variable", "'$tuned_params' is a variable",
	  "'grub_class' is not in the specification: only GRUB"}},
	{"13-ostree-coreos-broken-console.conf",
	 "13-ostree-coreos-broken-console",
	 "/boot/ostree/fedora-coreos-"
	 "126b00a51488ea02ebc861dd33d413eb58f3287fd75646e8d215e46d88f81197/vmlinuz",
	 "rw mitigations=auto,nosmt ostree=",
	 0,
	 0,
	 0,
	 "$",
	 {"'console=' is empty", "'$ignition_firstboot' is a variable"}},
	{"15-extlinux-arch-bls-keys.conf",
	 "15-extlinux-arch-bls-keys",
	 NULL,
	 "",
	 2,
	 1,
	 -EINVAL,
	 NULL,
	 {"an extlinux key; 'linux' here", "an extlinux key; 'options' here",
	  "an extlinux key; 'title' here"}},
	{"17-extlinux-nanopct6-label-blanks.conf",
	 "17-extlinux-nanopct6-label-blanks",
	 NULL,
	 "",
	 0,
	 1,
	 -EINVAL,
	 NULL,
	 {"an extlinux key; 'linux' here"}},
	{"19-uapi-spec-sample.conf",
	 "19-uapi-spec-sample",
	 "6a9857a393724b7a981ebb5b8495b9ea/3.8.0-2.fc19.armv7hl/linux",
	 "root=UUID=6d3376e4-fc93-4509-95ec-a21d68011da2 quiet",
	 1,
	 2,
	 0,
	 NULL,
	 {NULL}},
};

static void check_field_case(const struct field_case *c, const char *path)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct err e __free_err = ERR_INIT;
	struct profile *p __free(profile) = NULL;
	char *warnings __free(str) = NULL;
	size_t i;
	int rc;

	profile_load(path, &diag, &p);
	assert_non_null(p);
	print_message("%s\n", c->file);
	assert_int_equal(diag.n, 0);
	assert_string_equal(p->id, c->id);
	assert_int_equal(!p->linux_path, !c->linux_path);
	if (p->linux_path)
		assert_string_equal(p->linux_path, c->linux_path);
	assert_memory_equal(p->options, c->options, strlen(c->options));
	assert_int_equal(p->n_initrds, c->initrds);
	assert_int_equal(p->n_overlays, c->overlays);
	rc = profile_check_bootable(p, &e);
	assert_int_equal(rc, c->bootable);
	assert_true(!c->never || !strstr(p->options, c->never));
	warnings = warnings_of(p);
	for (i = 0; i < ARRAY_SIZE(c->warn) && c->warn[i]; i++) {
		if (!strstr(warnings, c->warn[i]))
			fail_msg("no '%s' among\n%s", c->warn[i], warnings);
	}
	if (!i)
		assert_string_equal(warnings, "");
}

static void entries_from_the_field(void **state)
{
	const char *root = getenv("KJUMP_FIELD_CASES");
	size_t i;

	if (!root)
		root = "../shared/cases";
	if (access(root, R_OK))
		skip_because("no field cases in %s", root);
	for (i = 0; i < ARRAY_SIZE(field_cases); i++) {
		char *path __free(str) = xasprintf("%s/bls/%s", root, field_cases[i].file);

		check_field_case(&field_cases[i], path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_key),
		cmocka_unit_test(warns_where_readers_differ),
		cmocka_unit_test(variables_do_not_get_through),
		cmocka_unit_test(odd_blanks),
		cmocka_unit_test(an_empty_entry),
		cmocka_unit_test(reports_mistakes_where_they_stand),
		cmocka_unit_test(tells_why_it_cannot_boot),
		cmocka_unit_test(counters_in_file_names),
		cmocka_unit_test(entries_from_the_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
