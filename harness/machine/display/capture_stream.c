// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/display/capture_stream.h"

#include <errno.h>
#include <string.h>

static bool is_sound(const struct capture_head *h)
{
	bool frame = h->kind == CAPTURE_FRAME;

	if (h->magic != CAPTURE_MAGIC || h->kind >= N_CAPTURE_KINDS)
		return false;
	if (frame != (h->width && h->height) || (!frame && (h->width || h->height)))
		return false;
	if ((uint64_t)h->width * h->height > PICTURE_PIXELS_MAX)
		return false;
	return h->text_bytes <= (h->kind == CAPTURE_GONE ? CAPTURE_TEXT_MAX : 0);
}

int capture_stream_parse(const struct buf *in, struct capture_message *ret, size_t *ret_bytes,
			 struct err *e)
{
	struct capture_head *h = &ret->head;
	size_t body;

	if (in->len < sizeof(*h))
		return 0;
	memcpy(h, in->data, sizeof(*h));
	if (!is_sound(h))
		return err_set(e, EBADMSG, "the grabber's stream is damaged");
	body = (size_t)3 * h->width * h->height + h->text_bytes;
	if (in->len - sizeof(*h) < body)
		return 0;
	ret->rgb = (const uint8_t *)in->data + sizeof(*h);
	ret->text = in->data + sizeof(*h);
	*ret_bytes = sizeof(*h) + body;
	return 1;
}
