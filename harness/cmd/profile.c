// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile.c - `kjump profile`: how a boot entry is read.
 */
#include "plan/profile.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cmd/options.h"

static const char usage_text[] = "usage: kjump profile FILE [--json]\n"
				 "\n"
				 "Shows how a Boot Loader Specification entry is read, with a\n"
				 "warning wherever common readers would differ.\n";

static void print_escaped(const char *name, const char *value)
{
	struct buf b __free_buf = BUF_INIT;

	if (!value)
		return;
	text_escape(&b, value, strlen(value));
	printf("%-19s %s\n", name, b.data);
}

static void print_list(const char *name, char *const *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		print_escaped(name, list[i]);
}

static void print_text(const struct profile *p)
{
	struct err e __free_err = ERR_INIT;
	size_t i;

	print_escaped("id", p->id);
	print_escaped("title", p->title);
	print_escaped("version", p->version);
	print_escaped("linux", p->linux_path);
	print_escaped("efi", p->efi);
	print_list("initrd", p->initrds, p->n_initrds);
	print_escaped("options", p->options);
	print_escaped("devicetree", p->devicetree);
	print_list("devicetree-overlay", p->overlays, p->n_overlays);
	print_escaped("architecture", p->architecture);
	print_list("x-kjump-modules", p->modules, p->n_modules);
	print_escaped("x-kjump-screen", p->screen);
	print_list("x-kjump-run", p->run, p->n_run);
	if (p->tries_left >= 0)
		printf("%-19s %d left\n", "boot counter", p->tries_left);
	for (i = 0; i < p->n_fields; i++) {
		if (!p->fields[i].known)
			print_escaped(p->fields[i].key, p->fields[i].value);
	}
	printf("%-19s %s\n", "bootable", profile_check_bootable(p, &e) ? err_msg(&e) : "yes");
	for (i = 0; i < p->n_warnings; i++) {
		struct buf b __free_buf = BUF_INIT;

		text_escape(&b, p->warnings[i].text, strlen(p->warnings[i].text));
		printf("%s:%u:%u: warning: %s\n", p->path, p->warnings[i].line, p->warnings[i].col,
		       b.data);
	}
}

int cmd_profile(int argc, char **argv)
{
	struct profile *p __free(profile) = NULL;
	struct diag diag __free_diag = DIAG_INIT;
	struct buf out __free_buf = BUF_INIT;
	struct json *j __free(json) = NULL;
	bool json = false;
	const struct option_spec specs[] = {{"json", NULL, &json}, {NULL, NULL, NULL}};
	enum exit_status status;
	const char *path;

	if (!options_read(argc, argv, specs, usage_text, &path, 1, &status))
		return status;
	if (!path) {
		fputs(usage_text, stderr);
		return EXIT_USAGE;
	}
	profile_load(path, &diag, &p);
	diag_print(&diag, stderr);
	if (!p)
		return EXIT_USAGE;
	if (json) {
		j = profile_json(p);
		json_print(j, true, &out);
		puts(out.data);
	} else {
		print_text(p);
	}
	return diag.n ? EXIT_USAGE : EXIT_EXPECTED;
}
