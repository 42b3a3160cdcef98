// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-telnet.c - a port server that says anything.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "machine/console/telnet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf first __free_buf = BUF_INIT, reply __free_buf = BUF_INIT;
	struct buf whole __free_buf = BUF_INIT, pieces __free_buf = BUF_INIT;
	struct telnet a, b;
	size_t i;

	telnet_start(&a, 1500000, &first);
	telnet_start(&b, 1500000, &first);
	telnet_feed(&a, data, size, &whole, &reply);
	for (i = 0; i < size; i++)
		telnet_feed(&b, data + i, 1, &pieces, &reply);
	/* Any cut of the stream gives the same; nobody can make us say more than he does. */
	if (whole.len != pieces.len || memcmp(whole.data, pieces.data, whole.len))
		abort();
	if (whole.len > size || reply.len > 2 * 64 * (size + 1))
		abort();
	return 0;
}
