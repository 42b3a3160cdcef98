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

#include "base/alloc.h"
#include "base/text.h"
#include "plan/name.h"
#include "plan/option.h"
#include "plan/profile.h"
#include "plan/profile_warn.h"

#define MAX_BYTES  (1 << 20)
#define OUR_PREFIX "x-kjump-"

struct reader {
	struct profile *p;
	struct diag *diag;
	bool saw_cr;
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

		if (len && !option_is_variable(value, len))
			add_word(list, n, value, len);
		value += len;
		value += strspn(value, " \t");
	}
}

/*
 * A word that is nothing but a GRUB variable becomes nothing, as GRUB makes of
 * one that is not set: it must not reach a kernel as it stands.
 */
static void add_options(struct profile *p, const char *value)
{
	struct buf b = BUF_INIT;

	if (p->options)
		buf_adds(&b, p->options);
	while (*value) {
		size_t gap = strspn(value, OPTION_BLANKS), len = option_len(value + gap);

		if (!option_is_variable(value + gap, len)) {
			if (gap || !b.len)
				buf_add(&b, value, b.len ? gap : 0);
			else
				buf_addch(&b, ' ');
			buf_add(&b, value + gap, len);
		}
		value += gap + len;
	}
	free(p->options);
	p->options = buf_steal(&b);
}

static void set_display(struct reader *r, const struct profile_field *f)
{
	if (!strcmp(f->value, "yes"))
		r->p->display = DISPLAY_SHOWN;
	else if (!strcmp(f->value, "dark"))
		r->p->display = DISPLAY_DARK;
	else if (strcmp(f->value, "no"))
		diag_add(r->diag, r->p->path, f->line, f->col,
			 "'%s' is '%s', expected yes, no or dark", f->key, f->value);
}

static void set_screen(struct reader *r, const struct profile_field *f)
{
	if (name_is_plain(f->value))
		set_once(r, f, &r->p->screen);
	else
		diag_add(r->diag, r->p->path, f->line, f->col,
			 "'%s' is '%s', expected the name of a picture in images/screens/", f->key,
			 f->value);
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
		add_words(&p->initrds, &p->n_initrds, f->value);
	else if (!strcmp(f->key, "devicetree-overlay"))
		add_words(&p->overlays, &p->n_overlays, f->value);
	else if (!strcmp(f->key, "x-kjump-modules"))
		add_words(&p->modules, &p->n_modules, f->value);
	else if (!strcmp(f->key, "x-kjump-display"))
		set_display(r, f);
	else if (!strcmp(f->key, "x-kjump-screen"))
		set_screen(r, f);
	else if (!strcmp(f->key, "x-kjump-run"))
		add_word(&p->run, &p->n_run, f->value, strlen(f->value));
	else
		f->known = is_idle_key(f->key);
	if (!f->known && !strncmp(f->key, OUR_PREFIX, strlen(OUR_PREFIX)))
		diag_add(r->diag, p->path, f->line, 1,
			 "unknown key '%s', expected x-kjump-modules, x-kjump-display, "
			 "x-kjump-screen or x-kjump-run",
			 f->key);
}

/* An empty line of options is what a generator writes that has none. */
static void take_empty(struct reader *r, struct profile_field *f)
{
	char **slot = text_slot(r->p, f->key);

	f->known = true;
	if (!strcmp(f->key, "options"))
		return;
	if (!slot && strcmp(f->key, "initrd") && strcmp(f->key, "devicetree-overlay"))
		take_field(r, f);
	if (f->known)
		diag_add(r->diag, r->p->path, f->line, 1,
			 "'%s' has no value, expected \"key value\"", f->key);
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
		take_empty(r, f);
	else
		take_field(r, f);
}

static void read_lines(struct reader *r, const char *text, size_t len)
{
	unsigned int line = 1;
	size_t i = 0;

	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		profile_warn_at(r->p, 1, 1, "a byte order mark: some readers miss the first key");
		i = 3;
	}
	while (i < len) {
		const char *newline = memchr(text + i, '\n', len - i);
		size_t end = newline ? (size_t)(newline - text) : len;

		if (end > i && text[end - 1] == '\r' && !r->saw_cr) {
			profile_warn_at(r->p, line, (unsigned int)(end - i),
					"lines end with CR LF: some readers keep the CR as part of "
					"the value");
			r->saw_cr = true;
		}
		read_line(r, text + i, end - i, line++);
		i = end + 1;
	}
}

/* Up to four digits at @s; where they end, or NULL. */
static const char *read_count(const char *s, int *ret)
{
	size_t n = strspn(s, "0123456789");

	if (!n || n > 4)
		return NULL;
	*ret = atoi(s);
	return s + n;
}

/* "NAME+LEFT-DONE.conf", "NAME+LEFT.conf", "NAME.conf". */
static void read_file_name(struct profile *p)
{
	const char *slash = strrchr(p->path, '/'), *base = slash ? slash + 1 : p->path, *end;
	size_t len = strlen(base);
	int left = -1, done = -1;
	char *plus;

	p->tries_left = p->tries_done = -1;
	if (len > 5 && !strcmp(base + len - 5, ".conf"))
		len -= 5;
	else
		profile_warn_at(p, 1, 1, "the name does not end in .conf: readers skip the file");
	p->id = xstrndup(base, len);
	plus = strrchr(p->id, '+');
	if (!plus || plus == p->id)
		return;
	end = read_count(plus + 1, &left);
	if (end && *end == '-')
		end = read_count(end + 1, &done);
	if (!end || *end)
		return;
	p->tries_left = left;
	p->tries_done = done;
	*plus = '\0';
	profile_warn_at(p, 1, 1,
			"a boot counter in the name: readers that do not know it sort by it and "
			"never count");
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
	int rc = diag_read_file(diag, path, MAX_BYTES, &text);

	*ret = NULL;
	return rc ? rc : profile_parse(path, text.data, text.len, diag, ret);
}
