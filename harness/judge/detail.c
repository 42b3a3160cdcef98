// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/detail.h"

/* A function as the kernel prints it: name, offset, size. Old kernels put "PC is at". */
#define FUNCTION "([A-Za-z_][\\w.]{0,127})\\+0x[0-9a-f]+/0x[0-9a-f]+"

const char *const detail_patterns[N_DETAILS] = {
	[DETAIL_PC] = "(?:\\bpc : |PC is at |RIP: 0010:)" FUNCTION,
	[DETAIL_FRAME] = "^ *(?:\\[<[0-9a-f]+>\\] *)?" FUNCTION,
	[DETAIL_ESR] = "\\b(?:ESR = |Oops: |Oops - \\w+: |Internal error: : |abort "
		       "\\()(?:0x)?([0-9a-f]{8,16})\\b",
	[DETAIL_END] = "---\\[ end |Memory Limit: |Rebooting in \\d+ seconds",
	[DETAIL_LOCK] = ", at: " FUNCTION,
};
