// SPDX-License-Identifier: GPL-2.0-or-later
#include "evidence/event_json.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static const char hex_digits[] = "0123456789abcdef";

static bool is_text(const char *s, size_t len)
{
	size_t i, n;
	uint32_t code;

	for (i = 0; i < len; i += n) {
		n = text_utf8(s + i, len - i, &code);
		if (!n || !code)
			return false;
	}
	return true;
}

static void set_bytes(struct json *j, const char *key, const void *data, size_t len)
{
	struct buf hex __free_buf = BUF_INIT;
	char *hex_key __free(str) = NULL;
	const unsigned char *p = data;
	size_t i;

	if (is_text(data, len)) {
		json_set(j, key, json_new_bytes(data, len));
		return;
	}
	for (i = 0; i < len; i++) {
		buf_addch(&hex, hex_digits[p[i] >> 4]);
		buf_addch(&hex, hex_digits[p[i] & 15]);
	}
	hex_key = xasprintf("%s_hex", key);
	json_set_str(j, hex_key, hex.data);
}

static void set_text(struct json *j, const char *key, const char *s)
{
	if (s)
		set_bytes(j, key, s, strlen(s));
}

static void encode_frame(struct json *j, const struct event *ev)
{
	json_set_int(j, "uncertainty", (int64_t)ev->frame.uncertainty_ns);
	json_set_int(j, "width", ev->frame.width);
	json_set_int(j, "height", ev->frame.height);
	set_text(j, "digest", ev->frame.digest);
	json_set_int(j, "lit_ppm", ev->frame.lit_ppm);
	json_set_int(j, "changed_ppm", ev->frame.changed_ppm);
	if (ev->frame.placeholder)
		json_set_bool(j, "placeholder", true);
	if (ev->frame.steady)
		json_set_bool(j, "steady", true);
	set_text(j, "match", ev->frame.match);
	set_text(j, "file", ev->frame.file);
}

static void encode(struct json *j, const struct event *ev)
{
	switch (ev->type) {
	case EVENT_CONSOLE:
		break; /* its bytes are named by offset, not kept here */
	case EVENT_INPUT:
		set_bytes(j, "data", ev->bytes.data, ev->bytes.len);
		break;
	case EVENT_GAP:
		json_set_int(j, "bytes", (int64_t)ev->gap.bytes);
		set_text(j, "why", ev->gap.why);
		break;
	case EVENT_MARK:
		json_set_str(j, "mark", mark_name(ev->mark.mark));
		set_text(j, "text", ev->mark.text);
		break;
	case EVENT_COMMAND:
		set_text(j, "line", ev->command.line);
		json_set_int(j, "status", ev->command.status);
		json_set_int(j, "duration", (int64_t)ev->command.duration_ns);
		set_bytes(j, "output", ev->command.output, ev->command.output_len);
		break;
	case EVENT_CHECK:
		set_text(j, "name", ev->check.name);
		json_set_bool(j, "ok", ev->check.ok);
		set_text(j, "expected", ev->check.expected);
		set_text(j, "seen", ev->check.seen);
		break;
	case EVENT_MACHINE:
		json_set_str(j, "what", machine_what_name(ev->machine.what));
		set_text(j, "text", ev->machine.text);
		break;
	case EVENT_FRAME:
		encode_frame(j, ev);
		break;
	case EVENT_SIGNAL:
		json_set_bool(j, "present", ev->signal.present);
		set_text(j, "text", ev->signal.text);
		break;
	case EVENT_PROBE:
		json_set_str(j, "what", probe_what_name(ev->probe.what));
		set_text(j, "title", ev->probe.title);
		set_text(j, "text", ev->probe.text);
		set_text(j, "file", ev->probe.file);
		break;
	case EVENT_LIMIT:
		set_text(j, "what", ev->limit.what);
		json_set_int(j, "ms", (int64_t)ev->limit.limit_ms);
		break;
	case EVENT_INFRA:
		set_text(j, "text", ev->infra.text);
		break;
	}
}

struct json *event_to_json(const struct event *ev)
{
	struct json *j = json_new_object();

	json_set_int(j, "t", (int64_t)ev->t_ns);
	json_set_str(j, "type", event_type_name(ev->type));
	encode(j, ev);
	return j;
}

void event_text_fini(struct event_text *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		buf_fini(&t->bytes[i]);
	t->n = 0;
}

static int nibble(char c)
{
	const char *p = c ? strchr(hex_digits, c) : NULL;

	return p ? (int)(p - hex_digits) : -1;
}

/* NULL when the key is absent or its value is not hex. */
static const struct buf *get_hex(const struct json *j, const char *key, struct event_text *text)
{
	char *hex_key __free(str) = xasprintf("%s_hex", key);
	const char *hex = json_get_str(j, hex_key);
	struct buf *out;
	size_t i;

	if (!hex || text->n == ARRAY_SIZE(text->bytes))
		return NULL;
	out = &text->bytes[text->n++];
	buf_init(out);
	for (i = 0; hex[i]; i += 2) {
		int high = nibble(hex[i]), low = nibble(hex[i + 1]);

		if (high < 0 || low < 0)
			return NULL;
		buf_addch(out, (char)(high << 4 | low));
	}
	return out;
}

static const char *get_text(const struct json *j, const char *key, struct event_text *text)
{
	const char *s = json_get_str(j, key);
	const struct buf *hex = s ? NULL : get_hex(j, key, text);

	return hex ? hex->data : s;
}

static const void *get_bytes(const struct json *j, const char *key, struct event_text *text,
			     size_t *ret_len)
{
	const struct json *s = json_get(j, key);
	const struct buf *hex = s ? NULL : get_hex(j, key, text);

	*ret_len = hex ? hex->len : json_str_len(s);
	return hex ? hex->data : json_str(s);
}

static unsigned int get_unsigned(const struct json *j, const char *key)
{
	int64_t n = json_get_int(j, key, 0);

	return n < 0 || n > UINT_MAX ? 0 : (unsigned int)n;
}

/* A file beside the events, not somewhere else. */
static bool is_file_name(const char *s)
{
	return *s && *s != '.' && !strchr(s, '/');
}

static int decode_frame(const struct json *j, struct event_text *text, struct event *ev)
{
	ev->frame.digest = get_text(j, "digest", text);
	if (!ev->frame.digest)
		return -EBADMSG;
	ev->frame.uncertainty_ns = (uint64_t)json_get_int(j, "uncertainty", 0);
	ev->frame.width = get_unsigned(j, "width");
	ev->frame.height = get_unsigned(j, "height");
	ev->frame.lit_ppm = get_unsigned(j, "lit_ppm");
	ev->frame.changed_ppm = get_unsigned(j, "changed_ppm");
	ev->frame.placeholder = json_get_bool(j, "placeholder", false);
	ev->frame.steady = json_get_bool(j, "steady", false);
	ev->frame.match = get_text(j, "match", text);
	ev->frame.file = get_text(j, "file", text);
	return ev->frame.file && !is_file_name(ev->frame.file) ? -EBADMSG : 0;
}

static int decode_probe(const struct json *j, struct event_text *text, struct event *ev)
{
	ev->probe.title = get_text(j, "title", text);
	ev->probe.text = get_text(j, "text", text);
	ev->probe.file = get_text(j, "file", text);
	if (!ev->probe.title || (ev->probe.file && !is_file_name(ev->probe.file)))
		return -EBADMSG;
	return probe_what_parse(json_get_str(j, "what"), &ev->probe.what) ? -EBADMSG : 0;
}

static int decode(const struct json *j, struct event_text *text, struct event *ev)
{
	switch (ev->type) {
	case EVENT_CONSOLE:
		return -EBADMSG;
	case EVENT_INPUT:
		ev->bytes.data = get_bytes(j, "data", text, &ev->bytes.len);
		return ev->bytes.data ? 0 : -EBADMSG;
	case EVENT_GAP:
		ev->gap.bytes = (uint64_t)json_get_int(j, "bytes", 0);
		ev->gap.why = get_text(j, "why", text);
		return 0;
	case EVENT_MARK:
		ev->mark.text = get_text(j, "text", text);
		return mark_parse(json_get_str(j, "mark"), &ev->mark.mark) ? -EBADMSG : 0;
	case EVENT_COMMAND:
		ev->command.line = get_text(j, "line", text);
		ev->command.status = (int)json_get_int(j, "status", 0);
		ev->command.duration_ns = (uint64_t)json_get_int(j, "duration", 0);
		ev->command.output = get_bytes(j, "output", text, &ev->command.output_len);
		return ev->command.line && ev->command.output ? 0 : -EBADMSG;
	case EVENT_CHECK:
		ev->check.name = get_text(j, "name", text);
		ev->check.ok = json_get_bool(j, "ok", false);
		ev->check.expected = get_text(j, "expected", text);
		ev->check.seen = get_text(j, "seen", text);
		return ev->check.name ? 0 : -EBADMSG;
	case EVENT_MACHINE:
		ev->machine.text = get_text(j, "text", text);
		return machine_what_parse(json_get_str(j, "what"), &ev->machine.what) ? -EBADMSG
										      : 0;
	case EVENT_FRAME:
		return decode_frame(j, text, ev);
	case EVENT_SIGNAL:
		ev->signal.present = json_get_bool(j, "present", false);
		ev->signal.text = get_text(j, "text", text);
		return 0;
	case EVENT_PROBE:
		return decode_probe(j, text, ev);
	case EVENT_LIMIT:
		ev->limit.what = get_text(j, "what", text);
		ev->limit.limit_ms = (uint64_t)json_get_int(j, "ms", 0);
		return ev->limit.what ? 0 : -EBADMSG;
	case EVENT_INFRA:
		ev->infra.text = get_text(j, "text", text);
		return ev->infra.text ? 0 : -EBADMSG;
	}
	return -EBADMSG;
}

int event_from_json(const struct json *j, struct event_text *text, struct event *ret)
{
	int64_t t_ns = json_get_int(j, "t", -1);

	memset(ret, 0, sizeof(*ret));
	if (t_ns < 0 || event_type_parse(json_get_str(j, "type"), &ret->type))
		return -EBADMSG;
	ret->t_ns = (uint64_t)t_ns;
	return decode(j, text, ret);
}
