// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/images_import.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/text.h"
#include "image/series.h"

enum exit_status images_import(const char *mailbox, const char *out)
{
	char *dir __free(str) = out ? xstrdup(out) : xasprintf("%s.patches", mailbox);
	struct series s __free_series = {NULL, 0};
	struct err e __free_err = ERR_INIT;
	size_t i;
	int rc = series_read(mailbox, &s, &e);

	if (!rc)
		rc = series_write(&s, dir, &e);
	if (rc) {
		log_error("%s", err_msg(&e));
		return EXIT_USAGE;
	}
	for (i = 0; i < s.n; i++) {
		struct buf line __free_buf = BUF_INIT;

		text_escape(&line, s.p[i].subject, strlen(s.p[i].subject));
		printf("%u/%u %s\n", s.p[i].n, s.p[i].m, line.data);
	}
	return EXIT_EXPECTED;
}
