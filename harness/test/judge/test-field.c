// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Consoles from the field, where they are present. field-expect.tsv says what
 * this judge makes of each, whether that agrees with what a careful person
 * recorded, and why where it does not.
 */
#include "test/judge/attempt.h"

#include "base/alloc.h"
#include "base/file.h"

#define EXPECT_PATH "harness/test/judge/field-expect.tsv"

struct expectation {
	char *file, *outcome, *stage, *signature, *agrees;
};

static const char *field_dir(void)
{
	const char *dir = getenv("KJUMP_FIELD_CASES");

	return dir ? dir : "../shared/cases";
}

static char *next_field(char **line)
{
	char *field = strsep(line, "\t");

	assert_non_null(field);
	return field;
}

static bool as_expected(const char *path, const struct expectation *x)
{
	struct buf bytes __free_buf = BUF_INIT;
	struct verdict *v __free(verdict) = NULL;
	struct story s;
	const char *signature;

	assert_int_equal(file_read(path, 16 << 20, &bytes, NULL), 0);
	story_new(&s, true, JUMP_COLD);
	says_bytes(&s, bytes.data, bytes.len);
	v = ends(&s);
	signature = v->signature ? v->signature : "-";
	if (!strcmp(x->outcome, outcome_name(v->outcome)) &&
	    !strcmp(x->stage, stage_name(v->stage)) && !strcmp(x->signature, signature))
		return true;
	print_error("%s: %s\t%s\t%s\n", x->file, outcome_name(v->outcome), stage_name(v->stage),
		    signature);
	return false;
}

static void every_console_is_judged_as_argued(void **state)
{
	struct buf text __free_buf = BUF_INIT, agreeing __free_buf = BUF_INIT;
	char *dir __free(str) = NULL;
	size_t cases = 0, agree = 0, failed = 0;
	char *rest, *line;

	/* Before anything is allocated: a skip leaves by a long jump. */
	if (!file_exists(field_dir()))
		skip_because("no field cases in %s", field_dir());
	dir = file_join(field_dir(), "console");
	assert_int_equal(file_read(EXPECT_PATH, 1 << 20, &text, NULL), 0);
	for (rest = text.data; (line = strsep(&rest, "\n")) && *line;) {
		struct expectation x;
		char *path __free(str) = NULL;

		if (*line == '#')
			continue;
		x.file = next_field(&line);
		x.outcome = next_field(&line);
		x.stage = next_field(&line);
		x.signature = next_field(&line);
		x.agrees = next_field(&line);
		path = file_join(dir, x.file);
		cases++;
		if (!as_expected(path, &x))
			failed++;
		else if (!strcmp(x.agrees, "agrees") && ++agree)
			buf_addf(&agreeing, " %.*s", (int)strcspn(x.file, "-"), x.file);
		else
			printf("NOTE field case argued: %s: %s\n", x.file, next_field(&line));
	}
	printf("NOTE %zu of %zu field cases agree:%s\n", agree, cases, agreeing.data);
	assert_int_equal(failed, 0);
	assert_true(cases > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_console_is_judged_as_argued),
	};

	return cmocka_run_group_tests(tests, load_rules, drop_rules);
}
