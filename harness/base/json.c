// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/json.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

/* struct json is json-c's object under a name of our own; JSON null is NULL. */
static json_object *obj(const struct json *j)
{
	return (json_object *)(uintptr_t)j;
}

static struct json *wrap(json_object *o)
{
	return (struct json *)o;
}

struct json *json_new_object(void)
{
	return wrap(json_object_new_object());
}

struct json *json_new_array(void)
{
	return wrap(json_object_new_array());
}

struct json *json_new_bytes(const void *data, size_t len)
{
	struct buf clean __free_buf = BUF_INIT;
	const char *s = data;
	size_t i, n;

	for (i = 0; i < len; i += n) {
		uint32_t code;

		n = text_utf8(s + i, len - i, &code);
		if (n) {
			buf_add(&clean, s + i, n);
		} else {
			buf_adds(&clean, "\xef\xbf\xbd");
			n = 1;
		}
	}
	return wrap(json_object_new_string_len(clean.data, (int)clean.len));
}

struct json *json_new_string(const char *s)
{
	return s ? json_new_bytes(s, strlen(s)) : NULL;
}

struct json *json_new_int(int64_t v)
{
	return wrap(json_object_new_int64(v));
}

struct json *json_new_bool(bool v)
{
	return wrap(json_object_new_boolean(v));
}

struct json *json_new_double(double v)
{
	return wrap(json_object_new_double(v));
}

struct json *json_ref(struct json *j)
{
	return wrap(json_object_get(obj(j)));
}

void json_free(struct json *j)
{
	json_object_put(obj(j));
}

void json_set(struct json *object, const char *key, struct json *value)
{
	json_object_object_add(obj(object), key, obj(value));
}

void json_set_str(struct json *object, const char *key, const char *s)
{
	json_set(object, key, json_new_string(s));
}

void json_set_int(struct json *object, const char *key, int64_t v)
{
	json_set(object, key, json_new_int(v));
}

void json_set_bool(struct json *object, const char *key, bool v)
{
	json_set(object, key, json_new_bool(v));
}

void json_push(struct json *array, struct json *value)
{
	json_object_array_add(obj(array), obj(value));
}

struct json *json_get(const struct json *object, const char *key)
{
	json_object *v = NULL;

	if (json_is_object(object))
		json_object_object_get_ex(obj(object), key, &v);
	return wrap(v);
}

const char *json_str(const struct json *string)
{
	if (!json_object_is_type(obj(string), json_type_string))
		return NULL;
	return json_object_get_string(obj(string));
}

size_t json_str_len(const struct json *string)
{
	if (!json_object_is_type(obj(string), json_type_string))
		return 0;
	return (size_t)json_object_get_string_len(obj(string));
}

const char *json_get_str(const struct json *object, const char *key)
{
	return json_str(json_get(object, key));
}

int64_t json_get_int(const struct json *object, const char *key, int64_t fallback)
{
	struct json *v = json_get(object, key);

	return json_object_is_type(obj(v), json_type_int) ? json_object_get_int64(obj(v))
							  : fallback;
}

double json_get_double(const struct json *object, const char *key, double fallback)
{
	struct json *v = json_get(object, key);

	return json_object_is_type(obj(v), json_type_double) ? json_object_get_double(obj(v))
							     : fallback;
}

bool json_get_bool(const struct json *object, const char *key, bool fallback)
{
	struct json *v = json_get(object, key);

	return json_object_is_type(obj(v), json_type_boolean) ? json_object_get_boolean(obj(v))
							      : fallback;
}

bool json_is_object(const struct json *j)
{
	return json_object_is_type(obj(j), json_type_object);
}

bool json_is_array(const struct json *j)
{
	return json_object_is_type(obj(j), json_type_array);
}

size_t json_len(const struct json *array)
{
	return json_is_array(array) ? json_object_array_length(obj(array)) : 0;
}

struct json *json_at(const struct json *array, size_t i)
{
	return i < json_len(array) ? wrap(json_object_array_get_idx(obj(array), i)) : NULL;
}

static void add_unicode(struct buf *out, uint32_t code)
{
	if (code < 0x10000)
		buf_addf(out, "\\u%04x", code);
	else
		buf_addf(out, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
}

/*
 * json-c escapes the controls of ASCII; but a terminal knows others too (C1), and
 * a document may be printed on one. Only strings can hold them.
 */
static void add_printable(struct buf *out, const char *text)
{
	size_t len = strlen(text), i, n;

	for (i = 0; i < len; i += n) {
		uint32_t code = 0;

		n = text_utf8(text + i, len - i, &code);
		if (n && code >= 0x7f && text_is_format(code))
			add_unicode(out, code);
		else
			buf_add(out, text + i, n ? n : (n = 1));
	}
}

void json_print(const struct json *j, bool pretty, struct buf *out)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE;

	flags |=
		pretty ? JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED : JSON_C_TO_STRING_PLAIN;
	add_printable(out, json_object_to_json_string_ext(obj(j), flags));
}

int json_parse(const char *text, size_t len, struct json **ret, struct err *e)
{
	struct json_tokener *tok;
	enum json_tokener_error code;
	json_object *o;
	size_t end, i, line = 1;

	if (len > INT_MAX - 1)
		return err_set(e, EFBIG, "JSON document of %zu bytes is too long", len);
	tok = json_tokener_new();
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(tok, text, (int)len);
	/* A bare number ends only at a following byte. */
	if (json_tokener_get_error(tok) == json_tokener_continue)
		o = json_tokener_parse_ex(tok, "\n", 1);
	code = json_tokener_get_error(tok);
	end = json_tokener_get_parse_end(tok);
	json_tokener_free(tok);
	for (i = end; code == json_tokener_success && i < len; i++) {
		if (!strchr(" \t\r\n", text[i]))
			code = json_tokener_error_parse_unexpected;
	}
	if (code == json_tokener_success) {
		*ret = wrap(o);
		return 0;
	}
	json_object_put(o);
	for (i = 0; i < end && i < len; i++)
		line += text[i] == '\n';
	return err_set(e, EBADMSG, "JSON, line %zu: %s", line, json_tokener_error_desc(code));
}

struct json_stream {
	struct json_tokener *tok;
	size_t max_bytes;
	size_t pending; /* bytes of the unfinished document */
};

struct json_stream *json_stream_new(size_t max_bytes)
{
	struct json_stream *s;

	xnew(s);
	s->tok = json_tokener_new();
	s->max_bytes = max_bytes;
	return s;
}

void json_stream_free(struct json_stream *s)
{
	if (!s)
		return;
	json_tokener_free(s->tok);
	free(s);
}

int json_stream_feed(struct json_stream *s, const void *data, size_t len,
		     void (*document)(struct json *j, void *arg), void *arg, struct err *e)
{
	const char *p = data;

	while (len) {
		int n = len > 65536 ? 65536 : (int)len;
		json_object *o = json_tokener_parse_ex(s->tok, p, n);
		enum json_tokener_error code = json_tokener_get_error(s->tok);
		size_t used = json_tokener_get_parse_end(s->tok);

		if (code == json_tokener_continue) {
			s->pending += (size_t)n;
			if (s->pending > s->max_bytes)
				return err_set(e, EMSGSIZE, "JSON document of more than %zu bytes",
					       s->max_bytes);
			p += n;
			len -= (size_t)n;
			continue;
		}
		if (code != json_tokener_success)
			return err_set(e, EBADMSG, "JSON: %s", json_tokener_error_desc(code));
		s->pending = 0;
		p += used;
		len -= used;
		if (o) {
			document(wrap(o), arg);
			json_object_put(o);
		}
	}
	return 0;
}
