// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/report/made_run.h"

#include "report/json.h"

/* The document as a script sees it, *returned*. */
static struct json *document(const char *dir, void (*make)(struct store *, struct made *))
{
	struct store *s __free(store) = made_open(dir);
	struct err e __free_err = ERR_INIT;
	char *text = NULL;
	size_t len = 0;
	struct json *doc = NULL;
	FILE *out = open_memstream(&text, &len);
	struct made m;

	make(s, &m);
	if (report_json_run(s, RUN, out, &e))
		fail_msg("%s", err_msg(&e));
	fclose(out);
	if (json_parse(text, len, &doc, &e))
		fail_msg("%s", err_msg(&e));
	free(text);
	return doc;
}

static void attempts_as_in_the_contract(void **state)
{
	static const char *const keys[] = {
		"job",	   "attempt",	     "from",	     "to",     "kind",	"kernel",
		"machine", "outcome",	     "expected",     "stage",  "proof", "signature",
		"stages",  "first_pixel_ms", "userspace_ms", "metrics"};
	struct json *doc __free(json) = document(*state, made_matrix);
	const struct json *attempts = json_get(doc, "attempts"), *a = json_at(attempts, 0);
	struct buf text __free_buf = BUF_INIT;
	size_t i;

	assert_string_equal(json_get_str(json_get(doc, "run"), "id"), RUN);
	assert_int_equal(json_len(attempts), 25);
	assert_int_equal(json_len(json_get(doc, "planned")), 1);
	json_print(a, false, &text);
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		char *quoted __free(str) = xasprintf("\"%s\":", keys[i]);

		assert_non_null(strstr(text.data, quoted)); /* there, if only as null */
	}
	assert_string_equal(json_get_str(a, "outcome"), "userspace-reached");
	assert_true(json_get_bool(a, "expected", false));
	assert_int_equal(json_get_int(a, "userspace_ms", -1), 1900);
	assert_null(json_get(a, "first_pixel_ms"));
	assert_null(json_get(a, "signature"));
	assert_int_equal(json_get_int(json_get(a, "stages"), "userspace-b", -1), 6500);
	assert_int_equal(json_get_int(json_get(a, "machine"), "ram", 0), 2LL << 30);
	assert_false(json_get_bool(json_get(a, "machine"), "el2", true));
	a = json_get(json_get(a, "metrics"), "kexec.load_ms");
	assert_int_equal(json_get_int(a, "value", -1), 120);
	assert_string_equal(json_get_str(a, "unit"), "ms");
}

static void failure_in_full(void **state)
{
	struct json *doc __free(json) = document(*state, made_matrix);
	const struct json *a = json_at(json_get(doc, "attempts"), 2);

	assert_string_equal(json_get_str(a, "outcome"), "hang");
	assert_false(json_get_bool(a, "expected", true));
	assert_string_equal(json_get_str(a, "proof"), "proven");
	assert_null(json_get(json_get(a, "stages"), "userspace-b"));
	assert_int_equal(json_len(json_get(a, "last_lines")), 2);
	assert_string_equal(json_str(json_at(json_get(a, "last_lines"), 1)), "[    4.2] Bye!");
}

static void planned_have_no_verdict(void **state)
{
	struct json *doc __free(json) = document(*state, made_matrix);
	const struct json *p = json_at(json_get(doc, "planned"), 0);

	assert_string_equal(json_get_str(p, "kind"), "cold");
	assert_null(json_get(p, "outcome"));
	assert_null(json_get(p, "expected"));
}

static void made_bytes(struct store *s, struct made *m)
{
	struct verdict v = made_verdict(OUTCOME_PANIC, STAGE_EARLY, 0);

	made_init(m);
	made_add(m, 0, 0, JUMP_PIVOT, 0, 1);
	made_begin(s, RUN, m);
	v.signature = (char *)"bad \xff\xfe \"quoted\" \033[0m";
	made_put(s, RUN, &m->jobs[0], 1, &v);
}

/* document() has parsed it: whatever was printed, it is valid JSON. */
static void any_byte_is_valid_json(void **state)
{
	struct json *doc __free(json) = document(*state, made_bytes);
	const struct json *a = json_at(json_get(doc, "attempts"), 0);

	assert_string_equal(json_get_str(a, "signature"),
			    "bad \xef\xbf\xbd\xef\xbf\xbd \"quoted\" \033[0m");
	assert_null(json_get(json_get(a, "metrics"), "kexec.load_ms"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(attempts_as_in_the_contract),
		MADE_TEST(failure_in_full),
		MADE_TEST(planned_have_no_verdict),
		MADE_TEST(any_byte_is_valid_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
