// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/signature.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

/* C libraries word the same errno differently; it stands at a text's end. */
static const struct {
	const char *other, *ours;
} wordings[] = {
	{"Address not available", "Cannot assign requested address"},
	{"Resource busy", "Device or resource busy"},
	{"Out of memory", "Cannot allocate memory"},
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t span(const char *s, size_t len, int (*is)(int))
{
	size_t n = 0;

	while (n < len && is((unsigned char)s[n]))
		n++;
	return n;
}

/* Length of the "0x..." at @s, 0 if there is none. */
static size_t hex_number(const char *s, size_t len)
{
	size_t n;

	if (len < 3 || s[0] != '0' || (s[1] != 'x' && s[1] != 'X'))
		return 0;
	n = span(s + 2, len - 2, isxdigit);
	return n ? n + 2 : 0;
}

/* "+0x1c/0x30", or with the offset alone: where in a function is no identity. */
static size_t function_offset(const char *s, size_t len)
{
	size_t n, m;

	if (len < 4 || s[0] != '+')
		return 0;
	n = hex_number(s + 1, len - 1);
	if (!n)
		return 0;
	n++;
	if (n < len && s[n] == '/') {
		m = hex_number(s + n + 1, len - n - 1);
		n += m ? m + 1 : 0;
	}
	return n;
}

/* "/0", "/0:1", "/u4:4": which of the per-CPU threads it was. */
static size_t thread_number(const char *s, size_t len)
{
	size_t n = 1;

	if (len < 2 || s[0] != '/')
		return 0;
	if (s[n] == 'u')
		n++;
	if (n >= len || !isdigit((unsigned char)s[n]))
		return 0;
	while (n < len && (isalnum((unsigned char)s[n]) || s[n] == ':'))
		n++;
	return n;
}

static bool ends_with_nocase(const struct buf *b, const char *suffix)
{
	size_t n = strlen(suffix);

	return b->len >= n && !strncasecmp(b->data + b->len - n, suffix, n);
}

/* Is a number that follows the text so far that of a CPU or a task? */
static bool counts_after(const struct buf *out)
{
	static const char *const names[] = {"CPU",  "CPU#", "CPU ",  "CPU: ", "PID ", "PID: ",
					    "pid:", "pid=", "tgid:", "task ", "cpu="};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (ends_with_nocase(out, names[i]))
			return true;
	return false;
}

static void add_token(struct buf *out, const char *s, size_t len)
{
	size_t digits = span(s, len, isdigit), hex = span(s, len, isxdigit);

	if (hex_number(s, len) == len && len > 6)
		buf_adds(out, "ADDR");
	else if (hex == len && len >= 8)
		buf_adds(out, "ADDR");
	else if (digits == len && (len >= 5 || counts_after(out)))
		buf_adds(out, "N");
	else if (len > 3 && !strncasecmp(s, "cpu", 3) && span(s + 3, len - 3, isdigit) == len - 3)
		buf_addf(out, "%.3sN", s);
	else
		buf_add(out, s, len);
}

static size_t wording(struct buf *out, const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(wordings) / sizeof(wordings[0]); i++) {
		size_t n = strlen(wordings[i].other);

		if (len == n && !memcmp(s, wordings[i].other, n)) {
			buf_adds(out, wordings[i].ours);
			return n;
		}
	}
	return 0;
}

/* Is this what a compiler adds to a function's name? */
static bool compiler_suffix(const char *s)
{
	static const char *const suffixes[] = {".isra.", ".constprop.", ".part.",
					       ".cold",	 ".llvm.",	".lto_priv."};
	size_t i;

	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (!strncmp(s, suffixes[i], strlen(suffixes[i])))
			return true;
	return false;
}

/* Length of the compiler's additions at @s, which ends with a NUL. */
static size_t suffix_length(const char *s, size_t len)
{
	size_t n = 1;

	if (!compiler_suffix(s))
		return 0;
	while (n < len && (is_word(s[n]) || compiler_suffix(s + n) ||
			   (s[n] == '.' && isdigit((unsigned char)s[n + 1]))))
		n++;
	return n;
}

void signature_normalise(struct buf *out, const char *text, size_t len)
{
	size_t i = 0, n;

	while (i < len) {
		const char *s = text + i;
		size_t left = len - i;
		bool word_start = is_word(*s) && (!i || !is_word(s[-1]));

		if ((n = function_offset(s, left)) || (n = suffix_length(s, left))) {
			i += n;
		} else if (i && (n = thread_number(s, left))) {
			buf_adds(out, "/N");
			i += n;
		} else if (word_start && (n = wording(out, s, left))) {
			i += n;
		} else if (word_start) {
			for (n = 0; n < left && is_word(s[n]); n++)
				;
			add_token(out, s, n);
			i += n;
		} else {
			buf_addch(out, *s);
			i++;
		}
	}
}

void signature_function(struct buf *out, const char *name)
{
	size_t i;

	for (i = 0; name[i] && !compiler_suffix(name + i); i++)
		;
	buf_add(out, name, i);
}

static void add_exit(struct buf *out, const char *hex)
{
	unsigned long status = hex ? strtoul(hex, NULL, 16) : 0;
	const char *name = sigabbrev_np((int)(status & 0x7f));

	if (!hex || !*hex)
		return;
	if (!(status & 0x7f))
		buf_addf(out, "exit status %lu", status >> 8 & 0xff);
	else if (name)
		buf_addf(out, "SIG%s", name);
	else
		buf_addf(out, "signal %lu", status & 0x7f);
}

static const char *group(const struct signature_parts *p, char digit)
{
	return digit >= '0' && digit <= '9' ? p->groups[digit - '0'] : NULL;
}

/* Appends the insertion at @s; returns its length in the title, 0 if it is none. */
static size_t insert(struct buf *out, const char *s, const struct signature_parts *p)
{
	if (s[0] == '\\' && isdigit((unsigned char)s[1])) {
		const char *text = group(p, s[1]);

		if (text)
			signature_normalise(out, text, strlen(text));
		return 2;
	}
	if (!strncmp(s, "{function}", 10)) {
		if (p->function)
			signature_function(out, p->function);
		return 10;
	}
	if (!strncmp(s, "{class}", 7)) {
		buf_adds(out, p->class ? p->class : "");
		return 7;
	}
	if (!strncmp(s, "{exit:\\", 7) && s[7] && s[8] == '}') {
		add_exit(out, group(p, s[7]));
		return 9;
	}
	return 0;
}

/* At most @len bytes, and no part of a character. */
static void cut(struct buf *b, size_t len)
{
	if (b->len <= len)
		return;
	while (len && ((unsigned char)b->data[len] & 0xc0) == 0x80)
		len--;
	buf_truncate(b, len);
}

char *signature_expand(const char *title, const struct signature_parts *parts)
{
	struct buf out __free_buf = BUF_INIT, safe = BUF_INIT;
	size_t option = SIZE_MAX; /* where the [...] that we are in began */
	bool empty = false;
	const char *s;

	for (s = title; *s;) {
		size_t before = out.len, n = insert(&out, s, parts);

		if (n) {
			empty |= out.len == before;
		} else if (*s == '[' && option == SIZE_MAX) {
			option = out.len;
			empty = false;
		} else if (*s == ']' && option != SIZE_MAX) {
			if (empty)
				buf_truncate(&out, option);
			option = SIZE_MAX;
		} else {
			buf_addch(&out, *s);
		}
		s += n ? n : 1;
	}
	while (out.len && out.data[out.len - 1] == ' ')
		buf_truncate(&out, out.len - 1);
	text_escape(&safe, out.data, out.len);
	cut(&safe, SIGNATURE_BYTES);
	return buf_steal(&safe);
}
