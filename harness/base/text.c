// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/alloc.h"

static int parse_digits(const char *s, uint64_t *ret, const char **ret_end)
{
	uint64_t v = 0;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	for (; isdigit((unsigned char)*s); s++) {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
			return -ERANGE;
	}
	*ret = v;
	*ret_end = s;
	return 0;
}

int text_parse_u64(const char *s, uint64_t *ret)
{
	const char *end;
	uint64_t v;
	int rc = parse_digits(s, &v, &end);

	if (rc)
		return rc;
	if (*end)
		return -EINVAL;
	*ret = v;
	return 0;
}

static const char suffixes[] = "KMGT";

int text_parse_size(const char *s, uint64_t *ret_bytes)
{
	const char *end, *suffix;
	unsigned int shift = 0;
	uint64_t v;
	int rc = parse_digits(s, &v, &end);

	if (rc)
		return rc;
	if (*end) {
		suffix = strchr(suffixes, toupper((unsigned char)*end));
		if (!suffix || end[1])
			return -EINVAL;
		shift = 10 * (unsigned int)(suffix - suffixes + 1);
	}
	if (v > (UINT64_MAX >> shift))
		return -ERANGE;
	*ret_bytes = v << shift;
	return 0;
}

void text_format_size(uint64_t bytes, char *buf, size_t size)
{
	int i;

	for (i = (int)sizeof(suffixes) - 2; i >= 0; i--) {
		unsigned int shift = 10 * (unsigned int)(i + 1);

		if (bytes && !(bytes & ((1ULL << shift) - 1))) {
			snprintf(buf, size, "%llu%c", (unsigned long long)(bytes >> shift),
				 suffixes[i]);
			return;
		}
	}
	snprintf(buf, size, "%llu", (unsigned long long)bytes);
}

size_t text_utf8(const char *str, size_t len, uint32_t *ret_code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)str;
	uint32_t code;
	size_t n, i;

	if (!len)
		return 0;
	if (s[0] < 0x80) {
		*ret_code = s[0];
		return 1;
	}
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (n > len)
		return 0;
	code = s[0] & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	*ret_code = code;
	return n;
}

bool text_is_format(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c ||
	       (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || (c >= 0xfe00 && c <= 0xfe0f) || c == 0xfeff ||
	       (c >= 0xfff0 && c <= 0xfffb) || (c & 0xfffe) == 0xfffe ||
	       (c >= 0xe0000 && c <= 0xe0fff);
}

void text_escape(struct buf *out, const void *bytes, size_t len)
{
	const char *s = bytes;
	size_t i, n;

	for (i = 0; i < len; i += n) {
		uint32_t c = 0;

		n = text_utf8(s + i, len - i, &c);
		if (s[i] == '\t') {
			buf_addch(out, ' ');
		} else if (n && !text_is_format(c)) {
			buf_add(out, s + i, n);
		} else {
			size_t k, m = n ? n : 1;

			for (k = 0; k < m; k++)
				buf_addf(out, "\\x%02x", (unsigned char)s[i + k]);
			n = m;
		}
	}
}

char *text_vsafe(const char *fmt, va_list ap)
{
	struct buf safe = BUF_INIT;
	char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		text = xstrdup(fmt);
	text_escape(&safe, text, strlen(text));
	free(text);
	return buf_steal(&safe);
}

/* Levenshtein distance, for words of a configuration file. */
static size_t distance(const char *a, const char *b)
{
	size_t row[64], la = strlen(a), lb = strlen(b), i, j;

	if (la >= ARRAY_SIZE(row) || lb >= ARRAY_SIZE(row))
		return SIZE_MAX;
	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (j = 1; j <= lb; j++) {
			size_t up = row[j], best = diagonal + (a[i - 1] != b[j - 1]);

			if (up + 1 < best)
				best = up + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diagonal = up;
			row[j] = best;
		}
	}
	return row[lb];
}

const char *text_nearest(const char *word, const char *const *candidates, size_t n)
{
	const char *best = NULL;
	size_t limit = strlen(word) / 3 + 1, i;

	for (i = 0; i < n; i++) {
		size_t d = distance(word, candidates[i]);

		if (d <= limit) {
			best = candidates[i];
			limit = d ? d - 1 : 0;
			if (!d)
				break;
		}
	}
	return best;
}

void text_shell_quote(struct buf *out, const char *arg)
{
	const char *p;

	buf_addch(out, '\'');
	for (p = arg; *p; p++) {
		if (*p == '\'')
			buf_adds(out, "'\\''");
		else
			buf_addch(out, *p);
	}
	buf_addch(out, '\'');
}

bool text_match(const char *pattern, const char *text)
{
	return !pattern || fnmatch(pattern, text, 0) == 0;
}
