/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - JSON values (by json-c).
 *
 * A struct json is a counted reference; json_free() drops it. Adding a value to
 * a container takes it. Strings are made valid UTF-8 on the way in: bytes that
 * are not become U+FFFD, so that whatever a guest printed gives valid JSON.
 */
#ifndef KJUMP_BASE_JSON_H
#define KJUMP_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct json;

struct json *json_new_object(void);
struct json *json_new_array(void);
struct json *json_new_string(const char *s); /* NULL gives null */
struct json *json_new_bytes(const void *data, size_t len);
struct json *json_new_int(int64_t v);
struct json *json_new_bool(bool v);
struct json *json_new_double(double v);
struct json *json_ref(struct json *j);
void json_free(struct json *j);
DEFINE_FREE(json, struct json *, json_free(_v));

/* Adds or replaces @key; @value is *taken*. NULL value: JSON null. */
void json_set(struct json *object, const char *key, struct json *value);
void json_set_str(struct json *object, const char *key, const char *s);
void json_set_int(struct json *object, const char *key, int64_t v);
void json_set_bool(struct json *object, const char *key, bool v);
/* @value is *taken*. */
void json_push(struct json *array, struct json *value);

/* Look-ups; all *borrowed*, and harmless on NULL or another type. */
struct json *json_get(const struct json *object, const char *key);
const char *json_get_str(const struct json *object, const char *key); /* NULL if absent */
int64_t json_get_int(const struct json *object, const char *key, int64_t fallback);
double json_get_double(const struct json *object, const char *key, double fallback);
bool json_get_bool(const struct json *object, const char *key, bool fallback);
size_t json_len(const struct json *array);
struct json *json_at(const struct json *array, size_t i);
const char *json_str(const struct json *string); /* NULL if it is not a string */
size_t json_str_len(const struct json *string);
bool json_is_object(const struct json *j);
bool json_is_array(const struct json *j);

/*
 * One line, or with @pretty indented. The text is appended to @out. Safe on a
 * terminal: what text_is_format() stands as \uXXXX.
 */
void json_print(const struct json *j, bool pretty, struct buf *out);

/* One whole document; -EBADMSG with line and reason. */
int json_parse(const char *text, size_t len, struct json **ret, struct err *e);

/*
 * Documents from a byte stream, as QMP sends them. Bytes of an unfinished
 * document are kept, at most @max_bytes of them (-EMSGSIZE).
 */
struct json_stream;
struct json_stream *json_stream_new(size_t max_bytes);
void json_stream_free(struct json_stream *s);
int json_stream_feed(struct json_stream *s, const void *data, size_t len,
		     void (*document)(struct json *j, void *arg), void *arg, struct err *e);

#endif
