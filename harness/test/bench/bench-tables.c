// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-tables.c - what the table check costs on a kexec that a real kernel loaded,
 * by size of RAM: looking for it, and the check itself with all contents.
 */
#include "test/boot/tables_target.h"

#include "test/bench/bench.h"

#define RUNS 9

static const struct kernel_spec kernel = {
	.name = (char *)"debian-7.2.6-cloud",
	.source = KERNEL_DEBIAN,
	.debian = {(char *)"trixie-backports", (char *)"7.2.6", (char *)"cloud"}};

static void measure(const char *ram, uint64_t ram_bytes, const char *cpu)
{
	const struct target_spec s = {&kernel, cpu, "", ram, ram_bytes};
	double find_ms[RUNS], check_ms[RUNS];
	struct err e __free_err = ERR_INIT;
	struct tables_target t;
	struct table_check c;
	uint64_t reached = 0, taken = 0;
	unsigned int i;

	target_init(&t, &s);
	for (i = 0; i < RUNS; i++) {
		uint64_t start = clock_ns(), found;

		assert_ok(kexec_image_scan(&t.memory, &t.map->kexec, &t.kexec, &e));
		found = clock_ns();
		assert_ok(table_check(&t.in, &c, &e));
		check_ms[i] = (double)(clock_ns() - found) / 1e6;
		find_ms[i] = (double)(found - start) / 1e6;
		assert_int_equal(c.n_findings, 0);
		reached = table_check_reached(&c, &t.kexec);
		taken = c.control_pages;
		table_check_fini(&c);
	}
	printf("%-4s %-13s find %7.1f ms  check %7.1f ms (medians of %d, worst %.1f)  "
	       "control pages %llu of which %llu of use\n",
	       ram, cpu, bench_quantile(find_ms, RUNS, 0.5), bench_quantile(check_ms, RUNS, 0.5),
	       RUNS, bench_quantile(check_ms, RUNS, 1), (unsigned long long)taken,
	       (unsigned long long)reached);
	target_fini(&t);
}

static void measure_all(void **state)
{
	measure("2G", 2ull << 30, "max,lpa2=off");
	measure("2G", 2ull << 30, "max,lpa2=on");
	measure("64G", 64ull << 30, "max,lpa2=off");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(measure_all)};

	setvbuf(stdout, NULL, _IOLBF, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
