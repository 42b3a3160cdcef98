// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/profile_warn.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/text.h"
#include "plan/option.h"

void profile_warn_at(struct profile *p, unsigned int line, unsigned int col, const char *fmt, ...)
{
	struct profile_warning *w = array_push(p->warnings, p->n_warnings);
	va_list ap;

	va_start(ap, fmt);
	w->text = text_vsafe(fmt, ap);
	va_end(ap);
	w->line = line;
	w->col = col;
}

#define warn_at(p, f, offset, ...) \
	profile_warn_at(p, (f)->line, (f)->col + (unsigned int)(offset), __VA_ARGS__)

/* The kernel takes the last of these; readers that look for one take the first. */
static const char *const once_only[] = {"root", "rootflags", "rootfstype", "init", "rdinit"};

struct seen {
	const char *value[ARRAY_SIZE(once_only)];
	size_t len[ARRAY_SIZE(once_only)];
};

static void check_repeated(struct profile *p, const struct profile_field *f, size_t at,
			   const char *word, size_t len, struct seen *seen)
{
	size_t i, name;

	for (i = 0; i < ARRAY_SIZE(once_only); i++) {
		name = strlen(once_only[i]);
		if (len <= name || strncmp(word, once_only[i], name) || word[name] != '=')
			continue;
		if (seen->value[i])
			warn_at(p, f, at,
				"'%s=' is given twice: the kernel takes the last ('%.*s'), readers "
				"that search for it the first ('%.*s')",
				once_only[i], (int)(len - name - 1), word + name + 1,
				(int)seen->len[i], seen->value[i]);
		seen->value[i] = word + name + 1;
		seen->len[i] = len - name - 1;
	}
}

static void check_options(struct profile *p, const struct profile_field *f, struct seen *seen)
{
	const char *s = f->value;
	size_t quotes = 0;

	while (*s) {
		size_t len = option_len(s), at = (size_t)(s - f->value);

		check_repeated(p, f, at, s, len, seen);
		if (len == 8 && !strncmp(s, "console=", 8))
			warn_at(p, f, at, "'console=' is empty: the kernel gets no such console");
		s += len;
		s += strspn(s, OPTION_BLANKS);
	}
	for (s = f->value; *s; s++)
		quotes += *s == '"';
	if (quotes & 1)
		warn_at(p, f, 0, "a double quote is not closed");
}

static void check_variables(struct profile *p, const struct profile_field *f)
{
	const char *s = f->value;

	while ((s = option_variable(s))) {
		size_t len = option_len(s);
		bool whole = option_is_variable(s, len) &&
			     (s == f->value || isspace((unsigned char)s[-1]));

		warn_at(p, f, s - f->value, "'%.*s' is a variable that only GRUB knows: %s",
			(int)len, s,
			whole ? "left out here, other readers pass it on as it stands"
			      : "other readers pass it on as it stands");
		s += len;
	}
}

static void check_unknown(struct profile *p, const struct profile_field *f)
{
	static const struct {
		const char *key, *who;
	} foreign[] = {
		{"devicetreedir", "only U-Boot reads it"},
		{"fdtdir", "only U-Boot reads it"},
		{"fit", "only U-Boot reads it"},
		{"grub_users", "only GRUB reads it"},
		{"grub_arg", "only GRUB reads it"},
		{"grub_class", "only GRUB reads it"},
		{"id", "only GRUB reads it"},
		{"fdt", "an extlinux key; 'devicetree' here"},
		{"fdtoverlays", "an extlinux key; 'devicetree-overlay' here"},
		{"kernel", "an extlinux key; 'linux' here"},
		{"append", "an extlinux key; 'options' here"},
		{"label", "an extlinux key; 'title' here"},
	};
	static const char *const standard[] = {
		"title",	"version", "machine-id", "sort-key",
		"linux",	"initrd",  "efi",	 "options",
		"uki",		"uki-url", "devicetree", "devicetree-overlay",
		"architecture", "profile", "extra",
	};
	const char *near;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(foreign); i++) {
		if (!strcmp(f->key, foreign[i].key)) {
			warn_at(p, f, 0, "'%s' is not in the specification: %s", f->key,
				foreign[i].who);
			return;
		}
	}
	near = text_nearest(f->key, standard, ARRAY_SIZE(standard));
	warn_at(p, f, 0, "'%s' is not in the specification: readers skip it%s%s%s", f->key,
		near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool is_machine_id(const char *s)
{
	return strlen(s) == 32 && strspn(s, "0123456789abcdef") == 32;
}

static bool has_control(const char *s)
{
	for (; *s; s++) {
		if (iscntrl((unsigned char)*s) && *s != '\t')
			return true;
	}
	return false;
}

/* What the fields before told. */
struct so_far {
	struct seen seen;
	unsigned int options, initrds, overlays;
};

static void check_paths(struct profile *p, const struct profile_field *f, struct so_far *s)
{
	bool initrd = !strcmp(f->key, "initrd"), overlay = !strcmp(f->key, "devicetree-overlay");

	if (initrd || overlay || !strcmp(f->key, "linux") || !strcmp(f->key, "devicetree"))
		check_variables(p, f);
	if (initrd && s->initrds++)
		warn_at(p, f, 0, "a further 'initrd' line: some readers take one only");
	if (initrd && strpbrk(f->value, " \t"))
		warn_at(p, f, 0,
			"a blank in 'initrd': several paths here and in GRUB, one path elsewhere");
	if (overlay && s->overlays++)
		warn_at(p, f, 0, "a further 'devicetree-overlay' line: some readers take one only");
	if (overlay && !p->devicetree)
		warn_at(p, f, 0,
			"'devicetree-overlay' without 'devicetree': some readers ignore it");
}

static void check_field(struct profile *p, const struct profile_field *f, struct so_far *s)
{
	if (!f->known)
		check_unknown(p, f);
	if (has_control(f->value))
		warn_at(p, f, 0, "a control character in the value");
	if (!strcmp(f->key, "options")) {
		if (s->options++)
			warn_at(p, f, 0,
				"a further 'options' line: some readers take the first only");
		check_options(p, f, &s->seen);
		check_variables(p, f);
	}
	check_paths(p, f, s);
	if (!strcmp(f->key, "machine-id") && !is_machine_id(f->value))
		warn_at(p, f, 0, "'machine-id' is not 32 lower-case hex digits");
	if (!strcmp(f->key, "architecture") && strcasecmp(f->value, "aa64"))
		warn_at(p, f, 0, "architecture '%s': readers on arm64 hide this entry", f->value);
}

static int by_position(const void *a, const void *b)
{
	const struct profile_warning *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->col != y->col)
		return x->col < y->col ? -1 : 1;
	return strcmp(x->text, y->text);
}

void profile_warn(struct profile *p)
{
	struct so_far so_far = {0};
	size_t i;

	for (i = 0; i < p->n_fields; i++)
		check_field(p, &p->fields[i], &so_far);
	if (!p->linux_path)
		profile_warn_at(p, 1, 1, "no 'linux' line: %s",
				p->efi ? "only EFI firmware can boot it"
				       : "readers skip the entry");
	if (p->n_warnings)
		qsort(p->warnings, p->n_warnings, sizeof(*p->warnings), by_position);
}
