// SPDX-License-Identifier: GPL-2.0-or-later
#include "image/kconfig.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

#define MAX_CONFIG_BYTES (4 << 20)

struct option {
	char *name, *value; /* "CONFIG_X", "y"; "n" for "# CONFIG_X is not set" */
	const char *file;
	unsigned int line;
};

struct options {
	struct option *o;
	size_t n;
};

static void options_fini(struct options *l)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		free(l->o[i].name);
		free(l->o[i].value);
	}
	free(l->o);
}

static struct option *find(const struct options *l, const char *name)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		if (!strcmp(l->o[i].name, name))
			return &l->o[i];
	}
	return NULL;
}

static void note(struct options *l, const char *name, const char *value, const char *file,
		 unsigned int line)
{
	struct option *o = find(l, name);

	if (!o) {
		o = array_push(l->o, l->n);
		o->name = xstrdup(name);
	}
	free(o->value);
	o->value = xstrdup(value);
	o->file = file;
	o->line = line;
}

static void read_line(struct options *l, char *s, const char *file, unsigned int line)
{
	static const char not_set[] = " is not set";
	char *end;

	s[strcspn(s, "\r")] = '\0';
	if (!strncmp(s, "# CONFIG_", 9)) {
		end = strstr(s, not_set);
		if (!end)
			return;
		*end = '\0';
		note(l, s + 2, "n", file, line);
		return;
	}
	end = strchr(s, '=');
	if (strncmp(s, "CONFIG_", 7) || !end)
		return;
	*end = '\0';
	note(l, s, end + 1, file, line);
}

static int read_options(struct options *l, const char *path, struct err *e)
{
	struct buf text __free_buf = BUF_INIT;
	unsigned int line = 0;
	char *s, *next;
	int rc = file_read(path, MAX_CONFIG_BYTES, &text, e);

	if (rc)
		return rc;
	next = text.len ? text.data : NULL;
	while ((s = strsep(&next, "\n")))
		read_line(l, s, path, ++line);
	return 0;
}

int kconfig_compare(char *const *fragments, size_t n, const char *config, struct buf *lost,
		    struct err *e)
{
	struct options wanted __cleanup(options_fini) = {NULL, 0};
	struct options got __cleanup(options_fini) = {NULL, 0};
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < n; i++)
		rc = read_options(&wanted, fragments[i], e);
	if (!rc)
		rc = read_options(&got, config, e);
	for (i = 0; !rc && i < wanted.n; i++) {
		const struct option *w = &wanted.o[i], *is = find(&got, w->name);
		const char *value = is ? is->value : "n";

		if (strcmp(value, w->value))
			buf_addf(lost, "%s %s %s %s:%u\n", w->name, w->value, value, w->file,
				 w->line);
	}
	return rc;
}

bool kconfig_is_set(const char *config, const char *option)
{
	char *line __free(str) = xasprintf("\n%s=y\n", option);

	return strstr(config, line) != NULL;
}
