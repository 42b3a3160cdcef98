// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/option.h"

#include <ctype.h>
#include <string.h>

size_t option_len(const char *s)
{
	bool quoted = false;
	size_t i;

	for (i = 0; s[i] && (quoted || !strchr(OPTION_BLANKS, s[i])); i++) {
		if (s[i] == '"')
			quoted = !quoted;
	}
	return i;
}

static bool starts_variable(const char *s)
{
	return s[0] == '$' && (isalpha((unsigned char)s[1]) || s[1] == '_' || s[1] == '{');
}

const char *option_variable(const char *s)
{
	while ((s = strchr(s, '$')) && !starts_variable(s))
		s++;
	return s;
}

bool option_is_variable(const char *word, size_t len)
{
	size_t i;

	if (len < 2 || !starts_variable(word))
		return false;
	if (word[1] == '{')
		return memchr(word, '}', len) == word + len - 1;
	for (i = 1; i < len; i++) {
		if (!isalnum((unsigned char)word[i]) && word[i] != '_')
			return false;
	}
	return true;
}
