// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base64.h"

#include <errno.h>
#include <nettle/base64.h>
#include <stdint.h>

void base64_encode(struct buf *out, const void *data, size_t len)
{
	size_t n = BASE64_ENCODE_RAW_LENGTH(len);

	if (!len)
		return;
	buf_reserve(out, n);
	base64_encode_raw(out->data + out->len, len, data);
	out->len += n;
	out->data[out->len] = '\0';
}

int base64_decode(struct buf *out, const char *text, size_t len)
{
	struct base64_decode_ctx ctx;
	size_t n = BASE64_DECODE_LENGTH(len);

	buf_reserve(out, n);
	base64_decode_init(&ctx);
	if (!base64_decode_update(&ctx, &n, (uint8_t *)out->data + out->len, len, text) ||
	    !base64_decode_final(&ctx)) {
		out->data[out->len] = '\0'; /* it was written over */
		return -EBADMSG;
	}
	out->len += n;
	out->data[out->len] = '\0';
	return 0;
}
