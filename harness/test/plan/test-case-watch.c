// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a case says about watching a kexec, and about faults put into it.
 */
#include "test/temp_dir.h"

#include "plan/case.h"

static const struct plan_paths paths = {
	.kernels = "images/kernels.yaml",
	.profiles = "images/profiles",
	.boards = "board",
};

static struct plan *load(const char *text, struct diag *diag)
{
	char *path __free(str) = file_join(dir, "a.yaml");
	struct plan *p = NULL;

	assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
	plan_load(path, &paths, diag, &p);
	return p;
}

#define HEAD                                                  \
	"name: t\n"                                           \
	"machines: [{board: qemu-virt, ram: 2G, cpu: max}]\n" \
	"kernels: [debian-6.1-cloud]\n"
#define CROSS HEAD "from: [minimal]\nto: [minimal]\n"

static void refuses(const char *text, const char *message)
{
	struct diag diag __free_diag = DIAG_INIT;

	assert_null(load(text, &diag));
	assert_true(diag.n >= 1);
	if (!strstr(diag.messages[0].text, message))
		fail_msg("'%s' does not say '%s'", diag.messages[0].text, message);
}

static void kexecs_are_watched(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p __free(plan) = load(CROSS "jumps: [kexec, cold]\n", &diag);
	size_t i;

	assert_int_equal(diag.n, 0);
	for (i = 0; i < p->n_jobs; i++) {
		assert_int_equal(p->jobs[i].watch.phases, p->jobs[i].kind == JUMP_KEXEC);
		assert_false(p->jobs[i].watch.check_tables);
		assert_int_equal(p->jobs[i].inject, INJECT_NONE);
	}
}

static void faults_are_an_axis(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *p __free(plan) = load(CROSS "jumps: [kexec, cold]\n"
						 "inject: [none, unmap-source, spin-entry]\n"
						 "check: tables\non-finding: stop\n",
					   &diag);
	size_t i, injected = 0;

	assert_int_equal(diag.n, 0);
	/* A cold jump has no tables to put a fault into. */
	assert_int_equal(p->n_jobs, 3 + 1);
	for (i = 0; i < p->n_jobs; i++) {
		injected += p->jobs[i].inject != INJECT_NONE;
		if (p->jobs[i].inject == INJECT_SPIN_ENTRY)
			assert_non_null(strstr(p->jobs[i].title, ", spin-entry"));
		assert_int_equal(p->jobs[i].watch.stop_on_finding, p->jobs[i].kind == JUMP_KEXEC);
	}
	assert_int_equal(injected, 2);
}

static void watching_alone_makes_no_other_job(void **state)
{
	struct diag diag __free_diag = DIAG_INIT;
	struct plan *watched __free(plan) = load(CROSS "jumps: [kexec]\n", &diag);
	struct plan *alone __free(plan) =
		load(CROSS "jumps: [kexec]\nwatch: false\ncheck: tables\n", &diag);

	assert_int_equal(diag.n, 0);
	assert_true(alone->jobs[0].watch.check_tables);
	assert_false(alone->jobs[0].watch.phases);
	assert_string_equal(watched->jobs[0].id, alone->jobs[0].id);
}

static void mistakes_are_named(void **state)
{
	refuses(CROSS "jumps: [kexec]\ninject: [unmap-sorce]\n", "unmap-sorce");
	refuses(CROSS "jumps: [kexec]\ncheck: table\n", "table");
	refuses(CROSS "jumps: [kexec]\non-finding: stop\n", "without 'check: tables'");
	refuses(HEAD "jumps: [{from: minimal, to: minimal, jump: cold, inject: spin-entry}]\n",
		"a fault is put into a kexec only");
	refuses(HEAD "jumps: [{from: minimal, to: minimal, jump: kexec}]\ninject: [none]\n",
		"beside an explicit list");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kexecs_are_watched),
		cmocka_unit_test(faults_are_an_axis),
		cmocka_unit_test(watching_alone_makes_no_other_job),
		cmocka_unit_test(mistakes_are_named),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
