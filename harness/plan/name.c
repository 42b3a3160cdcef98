// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/name.h"

#include <string.h>

#define LETTERS	  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define MAX_BYTES 100

bool name_is_plain(const char *s)
{
	size_t len = strlen(s);

	return len && len <= MAX_BYTES && strchr(LETTERS, *s) && strspn(s, LETTERS "._+~-") == len;
}
