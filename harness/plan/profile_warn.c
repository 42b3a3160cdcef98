// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/profile_warn.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"

static void warn_at(struct profile *p, const struct profile_field *f, size_t offset,
		    const char *fmt, ...) __printf(4, 5);

static void warn_at(struct profile *p, const struct profile_field *f, size_t offset,
		    const char *fmt, ...)
{
	struct profile_warning *w = array_push(p->warnings, p->n_warnings);
	va_list ap;

	w->line = f->line;
	w->col = f->col + (unsigned int)offset;
	va_start(ap, fmt);
	if (vasprintf(&w->text, fmt, ap) < 0)
		w->text = xstrdup(fmt);
	va_end(ap);
}

/* Length of the word at @s; blanks inside double quotes belong to it. */
static size_t option_len(const char *s)
{
	bool quoted = false;
	size_t i;

	for (i = 0; s[i] && (quoted || !isspace((unsigned char)s[i])); i++) {
		if (s[i] == '"')
			quoted = !quoted;
	}
	return i;
}

/* The kernel takes the last of these; readers that look for one take the first. */
static const char *const once_only[] = {"root", "rootflags", "rootfstype", "init"};

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
		s += strspn(s, " \t");
	}
	for (s = f->value; *s; s++)
		quotes += *s == '"';
	if (quotes & 1)
		warn_at(p, f, 0, "a double quote is not closed");
}

static void check_variables(struct profile *p, const struct profile_field *f)
{
	const char *d = strchr(f->value, '$');

	if (d && (isalpha((unsigned char)d[1]) || d[1] == '{' || d[1] == '_'))
		warn_at(p, f, (size_t)(d - f->value),
			"'%.*s' is a GRUB variable: every other reader passes it on as it stands",
			(int)strcspn(d, " \t"), d);
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
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(foreign); i++) {
		if (!strcmp(f->key, foreign[i].key)) {
			warn_at(p, f, 0, "'%s' is not in the specification: %s", f->key,
				foreign[i].who);
			return;
		}
	}
	warn_at(p, f, 0, "'%s' is not in the specification: readers skip it", f->key);
}

static bool is_machine_id(const char *s)
{
	return strlen(s) == 32 && strspn(s, "0123456789abcdef") == 32;
}

static void check_field(struct profile *p, const struct profile_field *f, struct seen *seen,
			unsigned int *options, unsigned int *initrds)
{
	if (!f->known)
		check_unknown(p, f);
	if (!strcmp(f->key, "options")) {
		if ((*options)++)
			warn_at(p, f, 0,
				"a further 'options' line: some readers take the first only");
		check_options(p, f, seen);
		check_variables(p, f);
	}
	if (!strcmp(f->key, "initrd")) {
		if ((*initrds)++)
			warn_at(p, f, 0, "a further 'initrd' line: some readers take one only");
		if (strchr(f->value, ' '))
			warn_at(p, f, 0,
				"'initrd' has a blank in it: one path to the specification, two "
				"to some readers");
		check_variables(p, f);
	}
	if (!strcmp(f->key, "machine-id") && !is_machine_id(f->value))
		warn_at(p, f, 0, "'machine-id' is not 32 lower-case hex digits");
	if (!strcmp(f->key, "architecture") && strcasecmp(f->value, "aa64"))
		warn_at(p, f, 0, "architecture '%s': readers on arm64 hide this entry", f->value);
	if (!strcmp(f->key, "devicetree-overlay") && !p->devicetree)
		warn_at(p, f, 0,
			"'devicetree-overlay' without 'devicetree': some readers ignore it");
}

void profile_warn(struct profile *p)
{
	unsigned int options = 0, initrds = 0;
	struct seen seen = {0};
	size_t i;

	for (i = 0; i < p->n_fields; i++)
		check_field(p, &p->fields[i], &seen, &options, &initrds);
}
