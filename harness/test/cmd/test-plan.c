// SPDX-License-Identifier: GPL-2.0-or-later
/* kjump plan and kjump profile as a person and a script use them. */
#include "test/temp_dir.h"

#include <fcntl.h>

#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/paths.h"

static char *write_file(const char *name, const char *text)
{
	char *path = file_join(dir, name);

	assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
	return path;
}

static char *slurp(int fd, const char *name)
{
	char *path __free(str) = file_join(dir, name);
	struct buf text = BUF_INIT;

	close(fd);
	assert_int_equal(file_read(path, 1 << 20, &text, NULL), 0);
	return buf_steal(&text);
}

static int redirect(int fd, const char *name, int *ret_saved)
{
	char *path __free(str) = file_join(dir, name);
	int to = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	*ret_saved = dup(fd);
	dup2(to, fd);
	return to;
}

/* Runs the command in this process; what it wrote is *returned*. */
static int run(int (*command)(int argc, char **argv), const char *const *argv, char **ret_out,
	       char **ret_err)
{
	int argc = 0, status, saved_out, saved_err, out, err;

	while (argv[argc])
		argc++;
	fflush(stdout);
	out = redirect(STDOUT_FILENO, "out", &saved_out);
	err = redirect(STDERR_FILENO, "err", &saved_err);
	status = command(argc, (char **)argv);
	fflush(stdout);
	dup2(saved_out, STDOUT_FILENO);
	dup2(saved_err, STDERR_FILENO);
	close(saved_out);
	close(saved_err);
	*ret_out = slurp(out, "out");
	*ret_err = slurp(err, "err");
	return status;
}

#define ARGV(...) ((const char *const[]){__VA_ARGS__, NULL})

static void plan_lists_the_jobs(void **state)
{
	char *out __free(str) = NULL, *err __free(str) = NULL;

	assert_int_equal(run(cmd_plan, ARGV("plan", "cases/seven-jumps.yaml"), &out, &err),
			 EXIT_EXPECTED);
	assert_non_null(strstr(out, "  desktop -> desktop kexec (live tree), debian-7.2.9, "));
	assert_non_null(strstr(out, "\n7 jobs; about "));
	assert_string_equal(err, "");
}

static void plan_tells_what_pairwise_saves(void **state)
{
	char *out __free(str) = NULL, *err __free(str) = NULL;

	assert_int_equal(run(cmd_plan, ARGV("plan", "cases/demo.yaml"), &out, &err), EXIT_EXPECTED);
	assert_non_null(strstr(out, "(pairwise: "));
	assert_string_equal(err, "");
}

static void plan_as_json(void **state)
{
	char *out __free(str) = NULL, *err __free(str) = NULL;
	struct json *j __free(json) = NULL;

	assert_int_equal(run(cmd_plan, ARGV("plan", "--json", "cases/smoke.yaml"), &out, &err),
			 EXIT_EXPECTED);
	assert_int_equal(json_parse(out, strlen(out), &j, NULL), 0);
	assert_string_equal(json_get_str(j, "case"), "smoke");
	assert_int_equal(json_len(json_get(j, "jobs")), 2);
	assert_int_equal(strlen(json_get_str(json_at(json_get(j, "jobs"), 0), "job")), 12);
	assert_string_equal(err, "");
}

static void plan_of_a_wrong_case(void **state)
{
	char *path __free(str) = write_file("bad.yaml", "name: x\nmachines: 3\nkernels: []\n");
	char *out __free(str) = NULL, *err __free(str) = NULL;
	char *first __free(str) = xasprintf("%s:1:1: key 'from' is missing\n", path);

	assert_int_equal(run(cmd_plan, ARGV("plan", path, "--json"), &out, &err), EXIT_USAGE);
	assert_string_equal(out, "");
	assert_memory_equal(err, first, strlen(first));
}

static void usage_errors(void **state)
{
	const char *const *const plans[] = {
		(const char *const[]){"plan", NULL},
		(const char *const[]){"plan", "--jsn", "cases/smoke.yaml", NULL},
		(const char *const[]){"plan", "cases/smoke.yaml", "cases/demo.yaml", NULL},
		(const char *const[]){"plan", "cases/nowhere.yaml", NULL},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(plans); i++) {
		char *out __free(str) = NULL, *err __free(str) = NULL;

		assert_int_equal(run(cmd_plan, plans[i], &out, &err), EXIT_USAGE);
		assert_string_equal(out, "");
		assert_string_not_equal(err, "");
	}
}

static void help_is_no_error(void **state)
{
	char *out __free(str) = NULL, *err __free(str) = NULL;
	char *out2 __free(str) = NULL, *err2 __free(str) = NULL;

	assert_int_equal(run(cmd_plan, ARGV("plan", "--help"), &out, &err), EXIT_EXPECTED);
	assert_non_null(strstr(out, "usage: kjump plan"));
	assert_int_equal(run(cmd_profile, ARGV("profile", "--help"), &out2, &err2), EXIT_EXPECTED);
	assert_non_null(strstr(out2, "usage: kjump profile"));
}

static void profile_shows_how_it_is_read(void **state)
{
	char *path __free(str) = write_file("a+2.conf", "title \x1b[2Jx\nfit /f\noptions a $b\n");
	char *out __free(str) = NULL, *err __free(str) = NULL;

	assert_int_equal(run(cmd_profile, ARGV("profile", path), &out, &err), EXIT_EXPECTED);
	assert_non_null(strstr(out, "title               \\x1b[2Jx\n"));
	assert_non_null(strstr(out, "options             a\n"));
	assert_non_null(strstr(out, "boot counter        2 left\n"));
	assert_non_null(strstr(out, "only U-Boot can boot it"));
	assert_non_null(strstr(out, ":3:11: warning: '$b' is a variable"));
	assert_null(strchr(out, '\x1b'));
	assert_string_equal(err, "");
}

static void profile_as_json(void **state)
{
	char *out __free(str) = NULL, *err __free(str) = NULL;
	struct json *j __free(json) = NULL;

	assert_int_equal(run(cmd_profile,
			     ARGV("profile", "images/profiles/no-graphics.conf", "--json"), &out,
			     &err),
			 EXIT_EXPECTED);
	assert_int_equal(json_parse(out, strlen(out), &j, NULL), 0);
	assert_string_equal(json_get_str(j, "id"), "no-graphics");
	assert_true(json_get_bool(j, "bootable", false));
	assert_int_equal(json_len(json_get(j, "warnings")), 0);
	assert_int_equal(json_len(json_get(j, "devicetree_overlay")), 1);
}

static void profile_with_mistakes(void **state)
{
	char *path __free(str) = write_file("b.conf", "linux /a\nx-kjump-display 1\n");
	char *out __free(str) = NULL, *err __free(str) = NULL;
	char *none __free(str) = NULL, *why __free(str) = NULL;

	/* A person still sees how it is read. */
	assert_int_equal(run(cmd_profile, ARGV("profile", path), &out, &err), EXIT_USAGE);
	assert_non_null(strstr(out, "linux               /a\n"));
	assert_non_null(strstr(err, ":2:17: 'x-kjump-display' is '1', expected yes, no or dark\n"));
	assert_int_equal(run(cmd_profile, ARGV("profile", "nowhere.conf"), &none, &why),
			 EXIT_USAGE);
	assert_string_equal(none, "");
	assert_non_null(strstr(why, "nowhere.conf"));
}

static void paths_by_environment(void **state)
{
	struct paths *p __free(paths) = NULL, *none __free(paths) = NULL;
	struct err e __free_err = ERR_INIT;

	setenv("KJUMP_ROOT", ".", 1);
	assert_int_equal(paths_find(&p, &e), 0);
	assert_string_equal(p->profiles, "./images/profiles");
	setenv("KJUMP_ROOT", dir, 1);
	assert_int_equal(paths_find(&none, &e), -ENOENT);
	assert_non_null(strstr(err_msg(&e), dir));
	unsetenv("KJUMP_ROOT");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plan_lists_the_jobs),
		cmocka_unit_test(plan_tells_what_pairwise_saves),
		cmocka_unit_test(plan_as_json),
		cmocka_unit_test(plan_of_a_wrong_case),
		cmocka_unit_test(usage_errors),
		cmocka_unit_test(help_is_no_error),
		cmocka_unit_test(profile_shows_how_it_is_read),
		cmocka_unit_test(profile_as_json),
		cmocka_unit_test(profile_with_mistakes),
		cmocka_unit_test(paths_by_environment),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
