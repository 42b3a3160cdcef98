// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <stdint.h>

#include "image/series.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct series s __free_series = {NULL, 0};
	struct err e __free_err = ERR_INIT;

	series_parse_thread((const char *)data, size, &s, &e);
	return 0;
}
