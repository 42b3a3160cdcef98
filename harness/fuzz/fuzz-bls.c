// SPDX-License-Identifier: GPL-2.0-or-later
/* Boot entries: any bytes are read or refused, and can be shown as JSON. */
#include <stddef.h>
#include <stdint.h>

#include "plan/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct profile *p __free(profile) = NULL;
	struct json *j __free(json) = NULL;
	struct buf out __free_buf = BUF_INIT;

	profile_parse("fuzz+1-2.conf", (const char *)data, size, &diag, &p);
	j = profile_json(p);
	json_print(j, false, &out);
	return 0;
}
