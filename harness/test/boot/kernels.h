/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernels.h - the kernels of the archive that boot tests run, as initialisers.
 */
#ifndef KJUMP_TEST_BOOT_KERNELS_H
#define KJUMP_TEST_BOOT_KERNELS_H

#include "plan/kernel.h"

#define BOOT_KERNEL(id, suite, version, flavour)                           \
	{                                                                  \
		.name = (char *)(id), .source = KERNEL_DEBIAN, .debian = { \
			(char *)(suite),                                   \
			(char *)(version),                                 \
			(char *)(flavour)                                  \
		}                                                          \
	}

#define KERNEL_OLDEST BOOT_KERNEL("debian-6.1-cloud", "bookworm", "6.1", "cloud")
#define KERNEL_LATEST BOOT_KERNEL("debian-7.2.6-cloud", "trixie-backports", "7.2.6", "cloud")
#define KERNEL_16K    BOOT_KERNEL("debian-7.2.9-16k", "trixie-backports", "7.2.9", "16k")

#endif
