// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "probe/instruction.h"

static const struct {
	uint32_t word;
	enum instruction_kind kind;
	const char *text;
} rows[] = {
	{0x14000000, INSTRUCTION_PURE, "b ."},
	{0x97ffffff, INSTRUCTION_PURE, "bl .-4"},
	{0x54ffffe1, INSTRUCTION_PURE, "b.ne .-4"},
	{0xb4ffffe0, INSTRUCTION_PURE, "cbz x0, .-4"},
	{0x37f80000, INSTRUCTION_PURE, "tbnz w0, #31, ."},
	{0xd61f0200, INSTRUCTION_PURE, "br x16"},
	{0xd63f0100, INSTRUCTION_PURE, "blr x8"},
	{0xd65f03c0, INSTRUCTION_PURE, "ret"},
	{0xd65f0bff, INSTRUCTION_PURE, "retaa"},
	{0xd69f03e0, INSTRUCTION_SYSTEM, "eret"},
	{0x910003fd, INSTRUCTION_PURE, "mov x29, sp"},
	{0xd2800001, INSTRUCTION_PURE, "mov x1, #0"},
	{0x10000000, INSTRUCTION_PURE, "adr x0, ."},
	{0x91800000, INSTRUCTION_OTHER, "addg x0, x0, #0, #0"},
	{0x8b010000, INSTRUCTION_PURE, "add x0, x0, x1"},
	{0x9ac10800, INSTRUCTION_PURE, "udiv x0, x0, x1"},
	{0xeb01001f, INSTRUCTION_PURE, "cmp x0, x1"},
	{0xf9400000, INSTRUCTION_MEMORY, "ldr x0, [x0]"},
	{0xf9000000, INSTRUCTION_MEMORY, "str x0, [x0]"},
	{0xa9400440, INSTRUCTION_MEMORY, "ldp x0, x1, [x2]"},
	{0xa8010400, INSTRUCTION_MEMORY, "stnp x0, x1, [x0, #16]"},
	{0x885ffc00, INSTRUCTION_MEMORY, "ldaxr w0, [x0]"},
	{0x58000000, INSTRUCTION_MEMORY, "ldr x0, ."},
	{0x3dc00000, INSTRUCTION_MEMORY, "ldr q0, [x0]"},
	{0xd503201f, INSTRUCTION_PURE, "nop"},
	{0xd503203f, INSTRUCTION_PURE, "yield"},
	{0xd503205f, INSTRUCTION_WAIT, "wfe"},
	{0xd503207f, INSTRUCTION_WAIT, "wfi"},
	{0xd5031000, INSTRUCTION_WAIT, "wfet x0"},
	{0xd503221f, INSTRUCTION_OTHER, "esb"},
	{0xd503233f, INSTRUCTION_PURE, "paciasp"},
	{0xd503245f, INSTRUCTION_PURE, "bti c"},
	{0xd5033f9f, INSTRUCTION_PURE, "dsb sy"},
	{0xd5033fdf, INSTRUCTION_PURE, "isb"},
	{0xd50344ff, INSTRUCTION_SYSTEM, "msr daifclr, #4"},
	{0xd5381000, INSTRUCTION_SYSTEM, "mrs x0, sctlr_el1"},
	{0xd5181000, INSTRUCTION_SYSTEM, "msr sctlr_el1, x0"},
	{0xd508871f, INSTRUCTION_SYSTEM, "tlbi vmalle1"},
	{0xd50b7e20, INSTRUCTION_SYSTEM, "dc civac, x0"},
	{0xd4000001, INSTRUCTION_CALL, "svc #0"},
	{0xd4000002, INSTRUCTION_CALL, "hvc #0"},
	{0xd4000003, INSTRUCTION_CALL, "smc #0"},
	{0xd4200000, INSTRUCTION_OTHER, "brk #0"},
	{0x00000000, INSTRUCTION_UNDEFINED, "udf #0"},
	{0x0000dead, INSTRUCTION_UNDEFINED, "udf #0xdead"},
	{0x1e602000, INSTRUCTION_OTHER, "fcmp d0, d0"},
	{0x4e208400, INSTRUCTION_OTHER, "add v0.16b, v0.16b, v0.16b"},
	{0x04200000, INSTRUCTION_OTHER, "add z0.b, z0.b, z0.b"},
};

static void knows_what_it_depends_on(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum instruction_kind kind = instruction_kind(rows[i].word);

		if (kind != rows[i].kind)
			fail_msg("%s: kind %d, not %d", rows[i].text, kind, rows[i].kind);
		assert_int_equal(!instruction_why_not_pure(kind), kind == INSTRUCTION_PURE);
	}
}

static void knows_where_it_goes(void **state)
{
	uint64_t to = 0;
	unsigned int n = 0;

	assert_true(instruction_is_b(0x14000000, 0x1000, &to));
	assert_true(to == 0x1000);
	assert_true(instruction_is_bl(0x97ffffff, 0x1000, &to));
	assert_true(to == 0xffc);
	assert_true(instruction_is_b(0x15ffffff, 0x1000, &to));
	assert_true(to == 0x1000 + 0x7fffffc);
	assert_true(instruction_is_b(0x16000000, 0x10000000, &to));
	assert_true(to == 0x10000000 - 0x8000000);
	assert_false(instruction_is_b(0x97ffffff, 0, &to));
	assert_false(instruction_is_bl(0x14000000, 0, &to));
	assert_true(instruction_is_br(0xd61f0100, &n));
	assert_int_equal(n, 8);
	assert_false(instruction_is_br(0xd63f0100, &n)); /* blr */
	assert_false(instruction_is_br(0xd65f03c0, &n)); /* ret */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_what_it_depends_on),
		cmocka_unit_test(knows_where_it_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
