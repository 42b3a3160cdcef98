// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/buf.h"
#include "plan/yaml.h"

static struct yaml_doc *parse(const char *text, struct diag *diag)
{
	struct yaml_doc *doc = NULL;
	int rc = yaml_doc_parse("f.yaml", text, strlen(text), diag, &doc);

	assert_int_equal(!rc, doc != NULL);
	assert_int_equal(!rc, !diag->n);
	return doc;
}

static void assert_said(struct diag *diag, const char *expected)
{
	char *shown = NULL;
	size_t len;
	FILE *out = open_memstream(&shown, &len);

	diag_print(diag, out);
	fclose(out);
	assert_string_equal(shown, expected);
	free(shown);
}

/* The rest of what libyaml says may change with its version. */
static void assert_said_first(struct diag *diag, const char *expected)
{
	char *shown = NULL;
	size_t len;
	FILE *out = open_memstream(&shown, &len);

	diag_print(diag, out);
	fclose(out);
	if (strncmp(shown, expected, strlen(expected)))
		fail_msg("expected '%s', is '%s'", expected, shown);
	free(shown);
}

static void nodes_know_where_they_stand(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct yaml_doc *doc __free(yaml) =
		parse("# c\na:\n  b: [x, 'y z',\n      {c: 1}]\n", &diag);
	const struct yaml_node *b = yaml_get(yaml_get(doc->root, "a"), "b");

	assert_int_equal(b->kind, YAML_LIST);
	assert_int_equal(b->n, 3);
	assert_int_equal(b->items[1]->line, 3);
	assert_int_equal(b->items[1]->col, 10);
	assert_string_equal(b->items[1]->text, "y z");
	assert_true(b->items[1]->quoted);
	assert_int_equal(b->items[2]->keys[0]->line, 4);
	assert_int_equal(b->items[2]->keys[0]->col, 8);
	assert_null(yaml_get(doc->root, "b"));
	assert_null(yaml_get(b, "b"));
}

/* What libyaml itself refuses, and what we do on top of it. */
static void refuses_with_a_position(void **state)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{"", "f.yaml:1:1: the file is empty\n"},
		{"a: b\n\tc: d\n", "f.yaml:2:1: not YAML: found a tab"},
		{"a: [1, 2\n", "f.yaml:2:1: not YAML: did not find expected ',' or ']'"},
		{"a: 1\nb: 2\na: 3\nb: 4\n", "f.yaml:3:1: duplicate key 'a', first on line 1\n"
					     "f.yaml:4:1: duplicate key 'b', first on line 2\n"},
		{"a: &x [1]\nb: *x\n", "f.yaml:2:4: aliases (*name) are not supported\n"},
		{"a: !!int 1\n", "f.yaml:1:4: tags (!name) are not supported\n"},
		{"? [a]\n: 1\n", "f.yaml:1:3: a key must be a word\n"},
		{"--- a\n--- b\n", "f.yaml:2:1: a second document; expected one a file\n"},
		{"a: \"\\0b\"\n", "f.yaml:1:4: NUL byte in a value\n"},
		{"a: \xff\n", "f.yaml:1:1: not YAML: invalid leading UTF-8"},
		{"\"\\e[2J\": 1\n\"\\e[2J\": 1\n",
		 "f.yaml:2:1: duplicate key '\\x1b[2J', first on line 1\n"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct diag diag __free_diag = DIAG_INIT;
		struct yaml_doc *doc __free(yaml) = parse(cases[i].text, &diag);

		assert_null(doc);
		assert_said_first(&diag, cases[i].said);
	}
}

/* Of each kind a document that would take for ever, or all memory. */
static void bombs_are_bounded(void **state)
{
	struct buf deep __free_buf = BUF_INIT, wide __free_buf = BUF_INIT;
	struct diag diag __free_diag = DIAG_INIT, other __free_diag = DIAG_INIT;
	int i;

	for (i = 0; i < 5000; i++)
		buf_adds(&deep, "[");
	for (i = 0; i < 100000; i++)
		buf_addf(&wide, "k%d: 1\n", i);
	assert_null(parse(deep.data, &diag));
	assert_said(&diag, "f.yaml:1:33: nested too deeply\n");
	assert_null(parse(wide.data, &other));
	assert_said(&other, "f.yaml:4097:1: more than 4096 keys in one map\n");
}

static void getters_report_and_go_on(void **state)
{
	static const char *const keys[] = {"size", "count", "flag", "word", "text", "more"};
	static const char *const words[] = {"red", "green"};
	struct diag diag __free_diag = DIAG_INIT;
	struct yaml_doc *doc __free(yaml) = parse("size: 2X\n"
						  "count: -1\n"
						  "flag: perhaps\n"
						  "word: gren\n"
						  "text: ''\n"
						  "mroe: 1\n"
						  "zzzzzz: 1\n",
						  &diag);
	const struct yaml_node *root = doc->root;
	uint64_t n = 7;
	bool flag = true;

	yaml_check_keys(&diag, root, keys, ARRAY_SIZE(keys));
	assert_false(yaml_size(&diag, yaml_get(root, "size"), &n));
	assert_false(yaml_u64(&diag, yaml_get(root, "count"), 1, 9, &n));
	assert_false(yaml_bool(&diag, yaml_get(root, "flag"), &flag));
	assert_int_equal(yaml_word(&diag, yaml_get(root, "word"), words, 2), -1);
	assert_null(yaml_text(&diag, yaml_get(root, "text"), "text"));
	assert_null(yaml_need(&diag, root, "more"));
	assert_false(yaml_want(&diag, root, YAML_LIST, "the file"));
	assert_int_equal(n, 7);
	assert_true(flag);
	assert_said(
		&diag,
		"f.yaml:1:1: key 'more' is missing\n"
		"f.yaml:1:1: the file is a map of keys, expected a list [a, b]\n"
		"f.yaml:1:7: '2X' is not a size, expected e.g. 2G or 512M\n"
		"f.yaml:2:8: '-1' is not a whole number, expected 1 to 9\n"
		"f.yaml:3:7: 'perhaps' is not known, expected one of: off, on, false, true, no, "
		"yes\n"
		"f.yaml:4:7: 'gren' is not known, did you mean 'green'?\n"
		"f.yaml:5:7: text is empty\n"
		"f.yaml:6:1: unknown key 'mroe', did you mean 'more'?\n"
		"f.yaml:7:1: unknown key 'zzzzzz', expected one of: size, count, flag, word, "
		"text, more\n");
}

static void getters_read(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct yaml_doc *doc __free(yaml) =
		parse("size: 512G\ncount: 9\nflag: yes\none: x\nmany: [x, y]\n", &diag);
	const struct yaml_node *root = doc->root;
	uint64_t n = 0;
	bool flag = false;

	assert_true(yaml_size(&diag, yaml_get(root, "size"), &n));
	assert_int_equal(n, 512ULL << 30);
	assert_true(yaml_u64(&diag, yaml_get(root, "count"), 1, 9, &n));
	assert_int_equal(n, 9);
	assert_true(yaml_bool(&diag, yaml_get(root, "flag"), &flag));
	assert_true(flag);
	assert_int_equal(yaml_len(yaml_get(root, "one")), 1);
	assert_string_equal(yaml_item(yaml_get(root, "one"), 0)->text, "x");
	assert_string_equal(yaml_item(yaml_get(root, "many"), 1)->text, "y");
	assert_int_equal(yaml_len(NULL), 0);
	assert_int_equal(diag.n, 0);
}

static void a_file_that_is_not_there(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct yaml_doc *doc __free(yaml) = NULL;

	assert_int_equal(yaml_doc_load("/nonexistent/f.yaml", &diag, &doc), -ENOENT);
	assert_int_equal(diag.n, 1);
	assert_int_equal(diag.messages[0].line, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_know_where_they_stand),
		cmocka_unit_test(refuses_with_a_position),
		cmocka_unit_test(bombs_are_bounded),
		cmocka_unit_test(getters_report_and_go_on),
		cmocka_unit_test(getters_read),
		cmocka_unit_test(a_file_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
