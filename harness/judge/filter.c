// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/filter.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"

/* Shorter ones are found everywhere. */
#define MIN_LITERAL  3
/* A pattern of more branches is rare enough to be left whole. */
#define MAX_LITERALS 64

/* Where we read the pattern; bad: it has something that is not understood. */
struct reader {
	const char *p;
	bool bad;
};

static void read_branches(struct reader *r, struct literals *ret);

static void add(struct literals *l, const char *text)
{
	*array_push(l->text, l->n) = xstrdup(text);
}

void literals_fini(struct literals *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		free(l->text[i]);
	free(l->text);
	*l = (struct literals){0};
}

/* The shortest one decides how much the set lets through; 0 for none. */
static size_t strength(const struct literals *l)
{
	size_t i, shortest = l->n ? strlen(l->text[0]) : 0;

	for (i = 1; i < l->n; i++)
		if (strlen(l->text[i]) < shortest)
			shortest = strlen(l->text[i]);
	return shortest;
}

/* Keeps the stronger of the two in @best; takes @other. */
static void keep_stronger(struct literals *best, struct literals *other)
{
	if (strength(other) > strength(best)) {
		literals_fini(best);
		*best = *other;
	} else {
		literals_fini(other);
	}
	*other = (struct literals){0};
}

static void keep_run(struct literals *best, struct buf *run)
{
	struct literals one = {0};

	if (run->len)
		add(&one, run->data);
	keep_stronger(best, &one);
	buf_reset(run);
}

/* Reads a quantifier; true if what stands before it may be absent. */
static bool read_quantifier(struct reader *r, bool *ret_any)
{
	bool optional = *r->p == '?' || *r->p == '*' || (*r->p == '{' && r->p[1] == '0');

	*ret_any = true;
	if (*r->p == '{') {
		while (*r->p && *r->p != '}')
			r->p++;
		r->p += *r->p != '\0';
	} else if (*r->p && strchr("?*+", *r->p)) {
		r->p++;
	} else {
		*ret_any = false;
		return false;
	}
	if (*r->p == '?' || *r->p == '+')
		r->p++; /* lazy or possessive */
	return optional;
}

static void skip_class(struct reader *r)
{
	r->p++;
	if (*r->p == '^')
		r->p++;
	if (*r->p == ']')
		r->p++;
	while (*r->p && *r->p != ']') {
		if (*r->p == '[' && r->p[1] == ':')
			r->bad = true;
		r->p += *r->p == '\\' && r->p[1] ? 2 : 1;
	}
	r->p += *r->p != '\0';
}

/* A group, up to and with its closing parenthesis; look-ahead consumes nothing. */
static void read_group(struct reader *r, struct literals *ret)
{
	bool ahead = false;

	r->p++;
	if (*r->p == '?') {
		ahead = r->p[1] == '=' || r->p[1] == '!';
		if (r->p[1] != ':' && !ahead)
			r->bad = true;
		r->p += r->p[1] ? 2 : 1;
	}
	read_branches(r, ret);
	if (*r->p == ')')
		r->p++;
	else
		r->bad = true;
	if (ahead)
		literals_fini(ret);
}

/* One literal byte into *ret; false for a class such as \d. */
static bool read_escape(struct reader *r, char *ret)
{
	char c = *++r->p;

	if (!c) {
		r->bad = true;
		return false;
	}
	r->p++;
	*ret = c;
	if (isdigit((unsigned char)c) || (isalpha((unsigned char)c) && !strchr("dDwWsSbBAzZ", c)))
		r->bad = true;
	return !isalnum((unsigned char)c);
}

static bool is_zero_width(const char *p)
{
	return *p == '^' || *p == '$' || (p[0] == '\\' && (p[1] == 'b' || p[1] == 'B'));
}

/* Appends the byte to the run, or ends the run where repetition makes it uncertain. */
static void take_byte(struct reader *r, char c, struct literals *best, struct buf *run)
{
	bool any, optional = read_quantifier(r, &any);

	if (!optional)
		buf_addch(run, c);
	if (any)
		keep_run(best, run);
}

static void take_group(struct reader *r, struct literals *best, struct buf *run)
{
	struct literals inner = {0};
	bool any;

	keep_run(best, run);
	read_group(r, &inner);
	if (read_quantifier(r, &any))
		literals_fini(&inner);
	keep_stronger(best, &inner);
}

static void take_class(struct reader *r, struct literals *best, struct buf *run)
{
	bool any;

	read_quantifier(r, &any);
	keep_run(best, run);
}

/* What one branch must contain: its strongest run of bytes, or group. */
static void read_branch(struct reader *r, struct literals *best)
{
	struct buf run __free_buf = BUF_INIT;
	char c;

	while (*r->p && *r->p != '|' && *r->p != ')' && !r->bad) {
		if (is_zero_width(r->p)) {
			r->p += *r->p == '\\' ? 2 : 1;
		} else if (*r->p == '(') {
			take_group(r, best, &run);
		} else if (*r->p == '[') {
			skip_class(r);
			take_class(r, best, &run);
		} else if (*r->p == '.') {
			r->p++;
			take_class(r, best, &run);
		} else if (*r->p == '\\') {
			if (read_escape(r, &c))
				take_byte(r, c, best, &run);
			else
				take_class(r, best, &run);
		} else {
			c = *r->p++;
			take_byte(r, c, best, &run);
		}
	}
	keep_run(best, &run);
}

/* All branches together; none if one of them needs nothing. */
static void read_branches(struct reader *r, struct literals *ret)
{
	bool empty = false;

	do {
		struct literals branch = {0};
		size_t i;

		if (*r->p == '|')
			r->p++;
		read_branch(r, &branch);
		empty |= !branch.n;
		for (i = 0; i < branch.n; i++)
			add(ret, branch.text[i]);
		literals_fini(&branch);
	} while (*r->p == '|' && !r->bad);
	if (empty)
		literals_fini(ret);
}

void literals_of(const char *pattern, struct literals *ret)
{
	struct reader r = {pattern, false};

	*ret = (struct literals){0};
	read_branches(&r, ret);
	if (*r.p || r.bad || strength(ret) < MIN_LITERAL || ret->n > MAX_LITERALS)
		literals_fini(ret);
}
