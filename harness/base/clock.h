/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.h - time.
 *
 * Every duration and deadline in kjump is CLOCK_MONOTONIC in nanoseconds; a
 * host's clock step can neither fire nor suppress one. The wall clock is read
 * only to print when a run took place, always in UTC.
 */
#ifndef KJUMP_BASE_CLOCK_H
#define KJUMP_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define NS_PER_MS 1000000ULL
#define NS_PER_S  1000000000ULL

uint64_t clock_ns(void);

/* "2026-12-01T02:03:04Z"; @size of at least 21 bytes. */
void clock_utc(char *buf, size_t size);

#endif
