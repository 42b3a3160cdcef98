// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bls.c - reading a Boot Loader Specification type 1 entry.
 *
 * One "key value" a line; lines that start with '#' and blank lines are
 * skipped; a value may contain anything up to the end of its line.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "plan/profile.h"
#include "plan/profile_warn.h"

#define MAX_BYTES (1 << 20)

struct reader {
	struct profile *p;
	struct diag *diag;
};

static void set_once(struct reader *r, const struct profile_field *f, char **slot)
{
	if (*slot)
		diag_add(r->diag, r->p->path, f->line, f->col,
			 "'%s' is given a second time; the specification allows it once", f->key);
	else
		*slot = xstrdup(f->value);
}

static void add_word(char ***list, size_t *n, const char *word, size_t len)
{
	*list = array_grow(*list, *n, sizeof(**list));
	(*list)[(*n)++] = xstrndup(word, len);
}

static void add_words(char ***list, size_t *n, const char *value)
{
	while (*value) {
		size_t len = strcspn(value, " \t");

		if (len)
			add_word(list, n, value, len);
		value += len;
		value += strspn(value, " \t");
	}
}

static void add_options(struct profile *p, const char *value)
{
	char *joined;

	if (!p->options) {
		p->options = xstrdup(value);
		return;
	}
	joined = xasprintf("%s%s%s", p->options, p->options[0] && value[0] ? " " : "", value);
	free(p->options);
	p->options = joined;
}

static void set_display(struct reader *r, const struct profile_field *f)
{
	if (!strcmp(f->value, "yes"))
		r->p->display = true;
	else if (strcmp(f->value, "no"))
		diag_add(r->diag, r->p->path, f->line, f->col, "'%s' is '%s', expected yes or no",
			 f->key, f->value);
}

static char **text_slot(struct profile *p, const char *key)
{
	const struct {
		const char *key;
		char **slot;
	} slots[] = {
		{"title", &p->title},		{"version", &p->version},
		{"machine-id", &p->machine_id}, {"sort-key", &p->sort_key},
		{"linux", &p->linux_path},	{"efi", &p->efi},
		{"devicetree", &p->devicetree}, {"architecture", &p->architecture},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(slots); i++) {
		if (!strcmp(key, slots[i].key))
			return slots[i].slot;
	}
	return NULL;
}

/* Keys of the specification that say nothing about how to boot here. */
static bool is_idle_key(const char *key)
{
	static const char *const keys[] = {"uki", "uki-url", "profile", "extra"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!strcmp(key, keys[i]))
			return true;
	}
	return false;
}

static void take_field(struct reader *r, struct profile_field *f)
{
	struct profile *p = r->p;
	char **slot = text_slot(p, f->key);

	f->known = true;
	if (slot)
		set_once(r, f, slot);
	else if (!strcmp(f->key, "options"))
		add_options(p, f->value);
	else if (!strcmp(f->key, "initrd"))
		add_word(&p->initrds, &p->n_initrds, f->value, strlen(f->value));
	else if (!strcmp(f->key, "devicetree-overlay"))
		add_words(&p->overlays, &p->n_overlays, f->value);
	else if (!strcmp(f->key, "x-kjump-modules"))
		add_words(&p->modules, &p->n_modules, f->value);
	else if (!strcmp(f->key, "x-kjump-display"))
		set_display(r, f);
	else
		f->known = is_idle_key(f->key);
}

static void read_line(struct reader *r, const char *s, size_t len, unsigned int line)
{
	struct profile_field *f;
	size_t indent, key_len, value;

	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	for (indent = 0; indent < len && (s[indent] == ' ' || s[indent] == '\t'); indent++)
		;
	if (indent == len || s[indent] == '#')
		return;
	if (memchr(s, '\0', len)) {
		diag_add(r->diag, r->p->path, line, 1, "NUL byte in the line");
		return;
	}
	for (key_len = 0; indent + key_len < len && !isspace((unsigned char)s[indent + key_len]);
	     key_len++)
		;
	value = indent + key_len;
	while (value < len && isspace((unsigned char)s[value]))
		value++;
	f = array_push(r->p->fields, r->p->n_fields);
	f->key = xstrndup(s + indent, key_len);
	f->value = xstrndup(s + value, len - value);
	f->line = line;
	f->col = (unsigned int)value + 1;
	if (value == len)
		diag_add(r->diag, r->p->path, line, (unsigned int)indent + 1,
			 "'%s' has no value, expected \"key value\"", f->key);
	else
		take_field(r, f);
}

static void read_lines(struct reader *r, const char *text, size_t len)
{
	unsigned int line = 1;
	size_t i = 0;

	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		i = 3;
	while (i < len) {
		size_t end = i;

		while (end < len && text[end] != '\n' && text[end] != '\r')
			end++;
		read_line(r, text + i, end - i, line++);
		if (end + 1 < len && text[end] == '\r' && text[end + 1] == '\n')
			end++;
		i = end + 1;
	}
}

/* "NAME+LEFT-DONE.conf", "NAME+LEFT.conf", "NAME.conf". */
static void read_file_name(struct profile *p)
{
	const char *slash = strrchr(p->path, '/'), *base = slash ? slash + 1 : p->path, *plus;
	size_t len = strlen(base);
	unsigned int left = 0, done = 0;
	int used = 0;

	if (len > 5 && !strcmp(base + len - 5, ".conf"))
		len -= 5;
	p->id = xstrndup(base, len);
	p->tries_left = p->tries_done = -1;
	plus = strrchr(p->id, '+');
	if (!plus || plus == p->id)
		return;
	if (sscanf(plus, "+%4u-%4u%n", &left, &done, &used) == 2 && !plus[used]) {
		p->tries_done = (int)done;
	} else {
		used = 0;
		if (sscanf(plus, "+%4u%n", &left, &used) != 1 || plus[used])
			return;
	}
	p->tries_left = (int)left;
	p->id[plus - p->id] = '\0';
}

int profile_parse(const char *path, const char *text, size_t len, struct diag *diag,
		  struct profile **ret)
{
	size_t before = diag->n;
	struct profile *p;
	struct reader r = {.diag = diag};

	xnew(p);
	p->path = xstrdup(path);
	read_file_name(p);
	r.p = p;
	read_lines(&r, text, len);
	if (!p->options)
		p->options = xstrdup("");
	profile_warn(p);
	*ret = p;
	return diag->n == before ? 0 : -EINVAL;
}

int profile_load(const char *path, struct diag *diag, struct profile **ret)
{
	struct buf text __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	int rc = file_read(path, MAX_BYTES, &text, &e);

	*ret = NULL;
	if (rc) {
		diag_add(diag, path, 0, 0, "%s", err_msg(&e));
		return rc;
	}
	return profile_parse(path, text.data, text.len, diag, ret);
}

static void free_list(char **list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free(list[i]);
	free(list);
}

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
	free_list(p->initrds, p->n_initrds);
	free_list(p->overlays, p->n_overlays);
	free_list(p->modules, p->n_modules);
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

int profile_check_bootable(const struct profile *p, struct err *e)
{
	size_t i;

	if (p->architecture && strcasecmp(p->architecture, "aa64"))
		return err_set(e, ENOTSUP, "profile '%s': architecture is '%s', this is aa64",
			       p->id, p->architecture);
	if (!p->linux_path) {
		for (i = 0; i < p->n_fields; i++) {
			if (!strcmp(p->fields[i].key, "fit"))
				return err_set(e, ENOTSUP,
					       "profile '%s': it has a 'fit' image and no 'linux' "
					       "line: only U-Boot can boot it",
					       p->id);
		}
		return err_set(e, p->efi ? ENOTSUP : EINVAL, "profile '%s': no 'linux' line%s",
			       p->id, p->efi ? ", only an EFI program" : "");
	}
	if (p->n_overlays && !p->devicetree)
		return err_set(e, EINVAL,
			       "profile '%s': 'devicetree-overlay' needs a 'devicetree' line",
			       p->id);
	return 0;
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
	json_set_bool(j, "display", p->display);
	json_set_bool(j, "bootable", bootable);
	json_set_str(j, "not_bootable_because", bootable ? NULL : err_msg(&e));
	json_places(p, j);
	return j;
}
