/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test.h - what every test program includes first: cmocka and what it needs.
 */
#ifndef KJUMP_TEST_TEST_H
#define KJUMP_TEST_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Prints the line that the runner passes on, so that no skip looks like a pass. */
#define skip_because(...)                         \
	do {                                      \
		printf("SKIPPED %s: ", __func__); \
		printf(__VA_ARGS__);              \
		printf("\n");                     \
		skip();                           \
	} while (0)

#endif
