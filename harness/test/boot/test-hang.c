// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-hang.c - a kexec that hangs, really: faults put into the tables and the
 * code of a real kernel's jump, and what the program says of them.
 */
#include "test/boot/kjump.h"

#include "base/alloc.h"

static const char faults[] = "name: faults\n"
			     "machines: [{board: qemu-virt, ram: 2G, cpu: max, lpa2: off}]\n"
			     "kernels: [debian-7.2.6-cloud]\n"
			     "from: [minimal]\n"
			     "to: [minimal]\n"
			     "jumps: [kexec]\n"
			     "check: tables\n"
			     "inject: [none, unmap-destination, spin-entry]\n";

static const char stops[] = "name: stops\n"
			    "machines: [{board: qemu-virt, ram: 2G, cpu: max, lpa2: off}]\n"
			    "kernels: [debian-7.2.6-cloud]\n"
			    "from: [minimal]\n"
			    "to: [minimal]\n"
			    "jumps: [kexec]\n"
			    "check: tables\n"
			    "on-finding: stop\n"
			    "inject: [unmap-source]\n";

/* The attempt whose title ends in @inject; the healthy one for "none". */
static const struct json *attempt_of(const struct json *run, const char *inject)
{
	const struct json *attempts = json_get(run, "attempts");
	size_t i;

	for (i = 0; i < json_len(attempts); i++) {
		const struct json *a = json_at(attempts, i);
		const char *title = json_get_str(a, "title");
		bool fault = strstr(title, "unmap") || strstr(title, "spin");

		if (strcmp(inject, "none") ? !!strstr(title, inject) : !fault)
			return a;
	}
	fail_msg("no attempt has %s", inject);
	return NULL;
}

static void expect(const struct json *run, const char *inject, const char *outcome,
		   const char *stage, const char *signature)
{
	const struct json *a = attempt_of(run, inject);

	assert_string_equal(json_get_str(a, "outcome"), outcome);
	assert_string_equal(json_get_str(a, "stage"), stage);
	if (signature)
		assert_string_equal(json_get_str(a, "signature"), signature);
}

static void faults_are_placed_and_proven(void **state)
{
	struct bench *b = *state;
	char *path __free(str) = bench_file(b, "faults.yaml", faults);
	struct json *run __free(json) = NULL;
	const struct json *healthy, *a;

	assert_int_equal(bench_run(b, &run, ARGV("run", path, "--json")), 1);
	assert_int_equal(json_len(json_get(run, "attempts")), 3);
	expect(run, "none", "userspace-reached", "userspace-b", NULL);
	expect(run, "unmap-destination", "hang", "relocate",
	       "hang: the relocation code writes a destination page, not mapped in the "
	       "transitional table (level 3)");
	expect(run, "spin-entry", "hang", "entry", NULL);
	a = attempt_of(run, "spin-entry");
	assert_string_equal(json_get_str(a, "proof"), "proven");
	assert_non_null(strstr(json_get_str(a, "signature"), "the new kernel at"));
	a = attempt_of(run, "unmap-destination");
	assert_string_equal(json_get_str(a, "proof"), "proven");
	/* It was seen coming: the check before the jump names the same page. */
	assert_string_equal(json_str(json_at(json_get(a, "degradations"), 0)),
			    "destination page not mapped in the transitional table (level 3)");
	healthy = attempt_of(run, "none");
	assert_true(json_get_int(json_get(healthy, "stages"), "relocate", -1) > 0);
	assert_true(json_get_int(json_get(healthy, "stages"), "entry", -1) > 0);
	assert_int_equal(json_len(json_get(healthy, "degradations")), 0);
}

static void a_finding_can_stop_the_jump(void **state)
{
	struct bench *b = *state;
	char *path __free(str) = bench_file(b, "stops.yaml", stops);
	struct json *run __free(json) = NULL;
	const struct json *a;

	assert_int_equal(bench_run(b, &run, ARGV("run", path, "--json")), 1);
	a = json_at(json_get(run, "attempts"), 0);
	assert_string_equal(json_get_str(a, "outcome"), "load-failed");
	assert_non_null(strstr(json_get_str(a, "signature"), "source page not mapped"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(faults_are_placed_and_proven, bench_setup,
						bench_teardown),
		cmocka_unit_test_setup_teardown(a_finding_can_stop_the_jump, bench_setup,
						bench_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
