/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * digest.h - content names: SHA-256 (FIPS 180-4, by nettle).
 */
#ifndef KJUMP_BASE_DIGEST_H
#define KJUMP_BASE_DIGEST_H

#include <stddef.h>

#include "base/err.h"

#define DIGEST_HEX_SIZE 65 /* 64 hex digits and a NUL */

struct digest;

struct digest *digest_new(void);
void digest_free(struct digest *s);
void digest_update(struct digest *s, const void *data, size_t len);
/* Also adds the terminating NUL, so that ("ab","c") and ("a","bc") differ. */
void digest_update_str(struct digest *s, const char *str);
void digest_hex(struct digest *s, char ret_hex[DIGEST_HEX_SIZE]);

DEFINE_FREE(digest, struct digest *, digest_free(_v));

void digest_of(const void *data, size_t len, char ret_hex[DIGEST_HEX_SIZE]);
int digest_of_file(const char *path, char ret_hex[DIGEST_HEX_SIZE], struct err *e);

#endif
