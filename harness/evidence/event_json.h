/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event_json.h - one event as one JSON object.
 *
 *   {"t":NS,"type":"mark","mark":"jump","text":"..."}
 *   {"t":NS,"type":"console","off":OFFSET,"len":BYTES}
 *
 * Text that is valid UTF-8 stands as it is; anything else under NAME_hex, so
 * that bytes come back exactly. Console bytes are in files of their own.
 */
#ifndef KJUMP_EVIDENCE_EVENT_JSON_H
#define KJUMP_EVIDENCE_EVENT_JSON_H

#include "base/buf.h"
#include "base/json.h"
#include "evidence/event.h"

/* Any event but a console one; *returned*. */
struct json *event_to_json(const struct event *ev);

/* What a decoded event points into. Zeroed memory is a valid start. */
struct event_text {
	struct buf bytes[3];
	size_t n;
};
void event_text_fini(struct event_text *t);

/* -EBADMSG if it is none of ours. @ret borrows from @j and @text. */
int event_from_json(const struct json *j, struct event_text *text, struct event *ret);

#endif
