// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "machine/qemu_args.h"
#include "machine/qemu_dry.h"

static struct machine_spec spec_of(const char *cpu, uint64_t ram_bytes)
{
	return (struct machine_spec){.name = (char *)"test",
				     .board = (char *)"qemu-virt",
				     .ram_bytes = ram_bytes,
				     .cpu = (char *)cpu,
				     .cpus = 2};
}

/* The argument after @name, or NULL. */
static const char *value_of(const struct qemu_args *a, const char *name)
{
	size_t i;

	for (i = 0; i + 1 < a->n; i++) {
		if (!strcmp(a->argv[i], name))
			return a->argv[i + 1];
	}
	return NULL;
}

static void describes_the_machine(void **state)
{
	struct machine_spec spec = spec_of("max", 512ULL << 30);
	const struct machine_opts opts = {.spec = &spec};
	struct qemu_args a __free_qemu_args = QEMU_ARGS_INIT;

	spec.el2 = true;
	spec.lpa2 = LPA2_OFF;
	assert_int_equal(qemu_args_machine(&a, &opts, NULL, NULL, NULL), 0);
	assert_string_equal(value_of(&a, "-machine"), "virt,gic-version=2,dtb-randomness=off,"
						      "memory-backend=ram,virtualization=on");
	assert_string_equal(value_of(&a, "-cpu"), "max,lpa2=off");
	assert_string_equal(value_of(&a, "-m"), "size=549755813888B");
	assert_string_equal(value_of(&a, "-object"),
			    "memory-backend-ram,id=ram,size=549755813888B,reserve=off");
	assert_string_equal(value_of(&a, "-smp"), "2");
	assert_string_equal(value_of(&a, "-nic"), "none");
	assert_null(value_of(&a, "-device"));
	assert_ptr_equal(qemu_args_argv(&a)[a.n], NULL);
}

static void lpa2_is_always_explicit(void **state)
{
	static const struct {
		const char *cpu;
		enum lpa2 lpa2;
		int rc;
		const char *expect;
	} cases[] = {
		{"max", LPA2_DEFAULT, 0, "max"},
		{"max", LPA2_ON, 0, "max,lpa2=on"},
		{"max", LPA2_OFF, 0, "max,lpa2=off"},
		{"max,pauth=off", LPA2_OFF, 0, "max,pauth=off,lpa2=off"},
		{"cortex-a72", LPA2_OFF, 0, "cortex-a72"},
		{"cortex-a72", LPA2_ON, -ENOTSUP, NULL},
		{"maximal", LPA2_ON, -ENOTSUP, NULL},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct machine_spec spec = spec_of(cases[i].cpu, 1 << 30);
		const struct machine_opts opts = {.spec = &spec};
		struct qemu_args a __free_qemu_args = QEMU_ARGS_INIT;

		spec.lpa2 = cases[i].lpa2;
		assert_int_equal(qemu_args_machine(&a, &opts, NULL, NULL, NULL), cases[i].rc);
		if (cases[i].expect)
			assert_string_equal(value_of(&a, "-cpu"), cases[i].expect);
	}
}

static void names_stay_names(void **state)
{
	struct machine_spec spec = spec_of("max", 1 << 30);
	const struct machine_opts opts = {.spec = &spec};
	const struct machine_boot boot = {
		.kernel = "/a b/Image,1", .initrd = "/i", .dtb = "/d", .cmdline = "x=\"a b\",c"};
	struct qemu_args a __free_qemu_args = QEMU_ARGS_INIT;

	assert_int_equal(qemu_args_machine(&a, &opts, NULL, "/t,mp/x.dtb", NULL), 0);
	assert_non_null(strstr(value_of(&a, "-machine"), "dumpdtb=/t,,mp/x.dtb"));
	qemu_args_run(&a, &boot, "/run/u,1/console", "/m");
	assert_string_equal(value_of(&a, "-chardev"),
			    "socket,id=console,path=/run/u,,1/console,server=off");
	/* These are whole arguments, no option lists: nothing is doubled. */
	assert_string_equal(value_of(&a, "-kernel"), "/a b/Image,1");
	assert_string_equal(value_of(&a, "-initrd"), "/i");
	assert_string_equal(value_of(&a, "-dtb"), "/d");
	assert_string_equal(value_of(&a, "-append"), "x=\"a b\",c");
}

static void stub_is_a_line_like_the_others(void **state)
{
	struct qemu_args a __free_qemu_args = QEMU_ARGS_INIT;

	qemu_args_debug(&a, "/run/u,1/debug");
	assert_string_equal(value_of(&a, "-chardev"),
			    "socket,id=debug,path=/run/u,,1/debug,server=off");
	assert_string_equal(value_of(&a, "-gdb"), "chardev:debug");
}

static void absent_files_are_not_named(void **state)
{
	struct machine_spec spec = spec_of("max", 1 << 30);
	const struct machine_opts opts = {.spec = &spec};
	const struct machine_boot boot = {.kernel = "/k"};
	struct qemu_args a __free_qemu_args = QEMU_ARGS_INIT;

	assert_int_equal(qemu_args_machine(&a, &opts, NULL, NULL, NULL), 0);
	qemu_args_run(&a, &boot, "/c", "/m");
	assert_null(value_of(&a, "-initrd"));
	assert_null(value_of(&a, "-dtb"));
	assert_null(value_of(&a, "-append"));
}

static void host_memory_is_estimated(void **state)
{
	const uint64_t gib = 1ULL << 30;
	struct machine_spec spec = spec_of("max", 64 * gib);

	/* Never below the measured peaks, and not far above them. */
	assert_in_range(qemu_boot_bytes(2 * gib), gib * 6 / 10, 2 * gib);
	assert_in_range(qemu_boot_bytes(512 * gib), 9786ULL << 20, 11 * gib);
	assert_true(qemu_boot_bytes(64 << 20) < gib);
	/* A loaded kernel's copy of the page tables: once, or 16 times. */
	assert_int_equal(qemu_jump_bytes(&spec) - qemu_boot_bytes(64 * gib), gib / 8);
	spec.lpa2 = LPA2_OFF;
	assert_int_equal(qemu_jump_bytes(&spec) - qemu_boot_bytes(64 * gib), 2 * gib);
	spec.lpa2 = LPA2_DEFAULT;
	spec.cpu = (char *)"cortex-a72";
	assert_int_equal(qemu_jump_bytes(&spec) - qemu_boot_bytes(64 * gib), 2 * gib);
}

static void unknown_boards_are_refused(void **state)
{
	struct machine_spec spec = spec_of("max", 1 << 30);
	const struct machine_opts opts = {.spec = &spec};
	const struct machine_events events = {.arg = NULL};
	const struct console_events console_events = {.arg = NULL};
	struct err e __free_err = ERR_INIT;
	struct buf dtb __free_buf = BUF_INIT;
	struct machine *m = NULL;
	uint64_t bytes;

	spec.board = (char *)"toaster";
	assert_int_equal(machine_new(&opts, &events, &console_events, &m, &e), -ENOTSUP);
	assert_non_null(strstr(err_msg(&e), "toaster"));
	assert_int_equal(machine_base_dtb(&opts, &dtb, &e), -ENOTSUP);
	assert_int_equal(machine_preflight(&spec, &bytes, &e), -ENOTSUP);
	assert_null(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(describes_the_machine),
		cmocka_unit_test(lpa2_is_always_explicit),
		cmocka_unit_test(names_stay_names),
		cmocka_unit_test(stub_is_a_line_like_the_others),
		cmocka_unit_test(absent_files_are_not_named),
		cmocka_unit_test(host_memory_is_estimated),
		cmocka_unit_test(unknown_boards_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
