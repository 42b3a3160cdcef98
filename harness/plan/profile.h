/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - a bootable system: one Boot Loader Specification type 1 entry.
 *
 * Source: UAPI group, "Boot Loader Specification", type #1 entries. Paths are
 * kept as written; they are names inside the profile's boot root, not files of
 * the host. A struct profile owns all that it points to.
 */
#ifndef KJUMP_PLAN_PROFILE_H
#define KJUMP_PLAN_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"
#include "plan/diag.h"

/* One "key value" line, in file order; also those with keys we do not know. */
struct profile_field {
	char *key;
	char *value;
	unsigned int line, col; /* of the value, from 1 */
	bool known;
};

/* Something that common readers take differently, or that looks unmeant. */
struct profile_warning {
	unsigned int line, col;
	char *text;
};

enum profile_display {
	DISPLAY_NONE,  /* "no": it needs none */
	DISPLAY_SHOWN, /* "yes": something is shown on it */
	DISPLAY_DARK,  /* "dark": there is one, and it must stay dark */
};

struct profile {
	char *id;    /* file name without ".conf" and boot counter */
	char *path;  /* the file it was read from */
	char *title; /* NULL if absent, as the next ones */
	char *version;
	char *machine_id;
	char *sort_key;
	char *linux_path;
	char *efi;
	char *devicetree;
	char *architecture;
	char **initrds;
	size_t n_initrds;
	char **overlays;
	size_t n_overlays;
	char *options; /* all options lines joined by one blank; "" if none */

	/* Boot counter of the file name, "+LEFT-DONE.conf"; -1 where absent. */
	int tries_left, tries_done;

	/* kjump's own keys; an entry without them is still valid everywhere. */
	char **modules; /* x-kjump-modules: kernel modules for its initrd */
	size_t n_modules;
	enum profile_display display; /* x-kjump-display */
	char *screen; /* x-kjump-screen: name of the picture that it shows, or NULL */
	char **run;   /* x-kjump-run: shell lines for its init, before its shell */
	size_t n_run;

	struct profile_field *fields;
	size_t n_fields;
	struct profile_warning *warnings;
	size_t n_warnings;
};

/*
 * Reads an entry. Mistakes go to @diag with file:line:col; the call returns
 * -EINVAL if there were any, and fills @ret as far as it could be read all the
 * same, so that a person sees how. The caller frees *ret in either case.
 */
int profile_parse(const char *path, const char *text, size_t len, struct diag *diag,
		  struct profile **ret);
int profile_load(const char *path, struct diag *diag, struct profile **ret);
void profile_free(struct profile *p);
DEFINE_FREE(profile, struct profile *, profile_free(_v));

/*
 * Can kjump jump to it on arm64? 0, or -EINVAL/-ENOTSUP with the reason (no
 * linux line, wrong architecture, "fit" or "efi" only).
 */
int profile_check_bootable(const struct profile *p, struct err *e);

/*
 * Where the description of its screen is, in images/screens/ beside the folder
 * of the profile; *returned*. Only for a profile with a screen.
 */
char *profile_screen_path(const struct profile *p);

/* As `kjump profile FILE --json` prints it; *returned*. */
struct json *profile_json(const struct profile *p);

#endif
