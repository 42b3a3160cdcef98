// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile.c - what can be said about an entry that was read.
 */
#include "plan/profile.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "plan/option.h"

void profile_free(struct profile *p)
{
	size_t i;

	if (!p)
		return;
	free(p->id);
	free(p->path);
	free(p->title);
	free(p->version);
	free(p->machine_id);
	free(p->sort_key);
	free(p->linux_path);
	free(p->efi);
	free(p->devicetree);
	free(p->architecture);
	free(p->options);
	strings_free(p->initrds, p->n_initrds);
	strings_free(p->overlays, p->n_overlays);
	strings_free(p->modules, p->n_modules);
	strings_free(p->run, p->n_run);
	free(p->screen);
	for (i = 0; i < p->n_fields; i++) {
		free(p->fields[i].key);
		free(p->fields[i].value);
	}
	free(p->fields);
	for (i = 0; i < p->n_warnings; i++)
		free(p->warnings[i].text);
	free(p->warnings);
	free(p);
}

/* The first of @n keys that the entry has, or NULL. */
static const char *first_key(const struct profile *p, const char *const *keys, size_t n)
{
	size_t i, k;

	for (k = 0; k < n; k++) {
		for (i = 0; i < p->n_fields; i++) {
			if (!strcmp(p->fields[i].key, keys[k]))
				return keys[k];
		}
	}
	return NULL;
}

static int no_linux(const struct profile *p, struct err *e)
{
	static const char *const others[] = {"fit", "efi", "uki", "uki-url"};
	const char *other = first_key(p, others, ARRAY_SIZE(others));

	if (!other)
		return err_set(e, EINVAL, "profile '%s': no 'linux' line", p->id);
	return err_set(e, ENOTSUP, "profile '%s': '%s' and no 'linux' line: only %s can boot it",
		       p->id, other, strcmp(other, "fit") ? "EFI firmware" : "U-Boot");
}

/* Words that are a variable as a whole were left out; this is about the rest. */
static int check_variables(const struct profile *p, struct err *e)
{
	const char *const texts[] = {p->linux_path, p->options, p->devicetree};
	const char *found = NULL;
	size_t i;

	for (i = 0; !found && i < ARRAY_SIZE(texts); i++)
		found = texts[i] ? option_variable(texts[i]) : NULL;
	for (i = 0; !found && i < p->n_initrds; i++)
		found = option_variable(p->initrds[i]);
	for (i = 0; !found && i < p->n_overlays; i++)
		found = option_variable(p->overlays[i]);
	if (!found)
		return 0;
	return err_set(e, EINVAL, "profile '%s': '%.*s' stands for something that only GRUB knows",
		       p->id, (int)option_len(found), found);
}

int profile_check_bootable(const struct profile *p, struct err *e)
{
	if (p->architecture && strcasecmp(p->architecture, "aa64"))
		return err_set(e, ENOTSUP, "profile '%s': architecture is '%s', this is aa64",
			       p->id, p->architecture);
	if (!p->linux_path)
		return no_linux(p, e);
	if (p->n_overlays && !p->devicetree)
		return err_set(e, EINVAL,
			       "profile '%s': 'devicetree-overlay' needs a 'devicetree' line",
			       p->id);
	return check_variables(p, e);
}

char *profile_screen_path(const struct profile *p)
{
	const char *slash = strrchr(p->path, '/');

	return xasprintf("%.*s../screens/%s.json", slash ? (int)(slash + 1 - p->path) : 0, p->path,
			 p->screen);
}

static struct json *json_list(char *const *list, size_t n)
{
	struct json *j = json_new_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_push(j, json_new_string(list[i]));
	return j;
}

static void json_places(const struct profile *p, struct json *out)
{
	struct json *unknown = json_new_array(), *warnings = json_new_array(), *j;
	size_t i;

	for (i = 0; i < p->n_fields; i++) {
		const struct profile_field *f = &p->fields[i];

		if (f->known)
			continue;
		j = json_new_object();
		json_set_str(j, "key", f->key);
		json_set_str(j, "value", f->value);
		json_set_int(j, "line", f->line);
		json_push(unknown, j);
	}
	for (i = 0; i < p->n_warnings; i++) {
		j = json_new_object();
		json_set_int(j, "line", p->warnings[i].line);
		json_set_int(j, "col", p->warnings[i].col);
		json_set_str(j, "text", p->warnings[i].text);
		json_push(warnings, j);
	}
	json_set(out, "unknown", unknown);
	json_set(out, "warnings", warnings);
}

struct json *profile_json(const struct profile *p)
{
	static const char *const display_names[] = {
		[DISPLAY_NONE] = "no", [DISPLAY_SHOWN] = "yes", [DISPLAY_DARK] = "dark"};
	struct err e __free_err = ERR_INIT;
	struct json *j = json_new_object();
	bool bootable = !profile_check_bootable(p, &e);

	json_set_str(j, "id", p->id);
	json_set_str(j, "file", p->path);
	json_set_str(j, "title", p->title);
	json_set_str(j, "version", p->version);
	json_set_str(j, "machine_id", p->machine_id);
	json_set_str(j, "sort_key", p->sort_key);
	json_set_str(j, "linux", p->linux_path);
	json_set_str(j, "efi", p->efi);
	json_set(j, "initrd", json_list(p->initrds, p->n_initrds));
	json_set_str(j, "options", p->options);
	json_set_str(j, "devicetree", p->devicetree);
	json_set(j, "devicetree_overlay", json_list(p->overlays, p->n_overlays));
	json_set_str(j, "architecture", p->architecture);
	json_set(j, "tries_left", p->tries_left < 0 ? NULL : json_new_int(p->tries_left));
	json_set(j, "tries_done", p->tries_done < 0 ? NULL : json_new_int(p->tries_done));
	json_set(j, "modules", json_list(p->modules, p->n_modules));
	json_set_str(j, "display", display_names[p->display]);
	json_set_str(j, "screen", p->screen);
	json_set(j, "run", json_list(p->run, p->n_run));
	json_set_bool(j, "bootable", bootable);
	json_set_str(j, "not_bootable_because", bootable ? NULL : err_msg(&e));
	json_places(p, j);
	return j;
}
