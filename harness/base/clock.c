// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/clock.h"

#include <time.h>

uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

void clock_utc(char *buf, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	if (!strftime(buf, size, "%Y-%m-%dT%H:%M:%SZ", &tm) && size)
		buf[0] = '\0';
}
