// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/json.h"

static void prints_any_bytes(void **state)
{
	struct json *j __free(json) = json_new_object();
	struct buf b __free_buf = BUF_INIT;

	json_set(j, "x", json_new_bytes("a\0\xff\xc3\xa4/", 6));
	json_set_str(j, "none", NULL);
	json_print(j, false, &b);
	assert_string_equal(b.data, "{\"x\":\"a\\u0000\xef\xbf\xbd\xc3\xa4/\",\"none\":null}");
}

static void parses_whole_documents_only(void **state)
{
	struct err e __free_err = ERR_INIT;
	struct json *j = NULL;

	assert_int_equal(json_parse("{\"a\":\n [1,2]} ", 14, &j, &e), 0);
	assert_int_equal(json_len(json_get(j, "a")), 2);
	json_free(j);
	assert_int_equal(json_parse("{}\n}", 4, &j, &e), -EBADMSG);
	assert_int_equal(json_parse("{\"a\":\n\n x}", 10, &j, &e), -EBADMSG);
	assert_non_null(strstr(err_msg(&e), "line 3"));
}

static void count(struct json *j, void *arg)
{
	*(int *)arg += (int)json_get_int(j, "n", 0);
}

static void streams_in_any_chunking(void **state)
{
	static const char text[] = "{\"n\":1}\r\n{\"n\":20}{\"n\":\n300}\r\n";
	size_t chunk, i;

	for (chunk = 1; chunk < sizeof(text); chunk++) {
		struct json_stream *s = json_stream_new(64);
		int sum = 0;

		for (i = 0; i < sizeof(text) - 1; i += chunk) {
			size_t left = sizeof(text) - 1 - i;

			assert_int_equal(json_stream_feed(s, text + i, left < chunk ? left : chunk,
							  count, &sum, NULL),
					 0);
		}
		assert_int_equal(sum, 321);
		json_stream_free(s);
	}
}

/* On a terminal no string is more than text, and it comes back as it was. */
static void prints_nothing_that_a_terminal_obeys(void **state)
{
	static const char text[] = "\x1b[2J\x7f\xc2\x9b\x33m\xe2\x80\xae\xf3\xa0\x80\x81\xc3\xa9";
	struct json *j __free(json) = json_new_object(), *back __free(json) = NULL;
	struct buf out __free_buf = BUF_INIT;

	json_set_str(j, "s", text);
	json_print(j, false, &out);
	assert_string_equal(out.data,
			    "{\"s\":\"\\u001b[2J\\u007f\\u009b3m\\u202e\\udb40\\udc01\xc3\xa9\"}");
	assert_int_equal(json_parse(out.data, out.len, &back, NULL), 0);
	assert_string_equal(json_get_str(back, "s"), text);
}

static void numbers_have_a_type(void **state)
{
	struct json *j __free(json) = json_new_object();

	json_set(j, "d", json_new_double(1.5));
	json_set_int(j, "i", 2);
	assert_true(json_get_double(j, "d", 0) == 1.5);
	assert_true(json_get_double(j, "i", 7) == 7);
	assert_true(json_get_double(NULL, "d", 7) == 7);
}

static void stream_is_bounded(void **state)
{
	struct json_stream *s = json_stream_new(64);
	int sum = 0, rc = 0, i;

	for (i = 0; i < 10 && !rc; i++)
		rc = json_stream_feed(s, "[1,2,3,4,5,6,7,8,9,", 19, count, &sum, NULL);
	assert_int_equal(rc, -EMSGSIZE);
	json_stream_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_any_bytes),
		cmocka_unit_test(parses_whole_documents_only),
		cmocka_unit_test(streams_in_any_chunking),
		cmocka_unit_test(prints_nothing_that_a_terminal_obeys),
		cmocka_unit_test(numbers_have_a_type),
		cmocka_unit_test(stream_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
