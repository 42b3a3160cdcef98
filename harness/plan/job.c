// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/job.h"

#include <errno.h>
#include <string.h>

static const char *const kind_names[] = {"cold", "reboot", "kexec", "pivot"};

const char *jump_kind_name(enum jump_kind k)
{
	return kind_names[k];
}

int jump_kind_parse(const char *s, enum jump_kind *ret)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kind_names); i++) {
		if (!strcmp(s, kind_names[i])) {
			*ret = (enum jump_kind)i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *dt_source_name(enum dt_source d)
{
	return d == DT_LIVE ? "live" : "profile";
}

const char *lpa2_name(enum lpa2 l)
{
	static const char *const names[] = {"default", "on", "off"};

	return names[l];
}
