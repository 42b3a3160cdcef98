// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "test/probe/registers.h"

/* EL1h and EL2h with debug, SError, IRQ and FIQ masked. */
#define EL1_MASKED 0x3c5
#define EL2_MASKED 0x3c9

static void lists_have_no_double(void **state)
{
	unsigned int i, j;

	for (i = 0; i < CPU_N_ALL; i++) {
		assert_non_null(cpu_all_registers[i]);
		for (j = 0; j < i; j++)
			assert_string_not_equal(cpu_all_registers[i], cpu_all_registers[j]);
	}
	for (i = 0; i < CPU_N_CORE; i++)
		assert_string_equal(cpu_core_registers[i], cpu_all_registers[i]);
	assert_true(CPU_N_ALL <= DEBUG_REGS_MAX);
}

static void reads_its_own_level(void **state)
{
	struct debug_regs r;
	struct cpu_state s;

	registers_init(&r, true);
	registers_set(&r, "pc", 0x42400000);
	registers_set(&r, "sctlr_el1", 1);
	registers_set(&r, "vbar_el1", 0x1000);
	registers_set(&r, "vbar_el2", 0x2000);
	registers_set(&r, "elr_el2", 0x2004);
	registers_set(&r, "ttbr1_el1", 0x3000);
	registers_set(&r, "ttbr1_el2", 0x4000);
	registers_set(&r, "cpsr", EL2_MASKED);
	assert_int_equal(cpu_state_read(&r, &s), 0);
	assert_int_equal(s.el, 2);
	assert_true(s.masked && s.knows_system && !s.mmu_on);
	assert_int_equal(s.vbar, 0x2000);
	assert_int_equal(s.elr, 0x2004);
	assert_int_equal(s.ttbr1, 0); /* EL2 has one only as a host of guests */
	registers_set(&r, "hcr_el2", 1ull << 34);
	assert_int_equal(cpu_state_read(&r, &s), 0);
	assert_int_equal(s.ttbr1, 0x4000);
	registers_set(&r, "cpsr", EL1_MASKED);
	assert_int_equal(cpu_state_read(&r, &s), 0);
	assert_int_equal(s.el, 1);
	assert_true(s.mmu_on);
	assert_int_equal(s.vbar, 0x1000);
	assert_int_equal(s.ttbr1, 0x3000);
}

static void says_what_it_was_not_told(void **state)
{
	struct debug_regs r;
	struct cpu_state s;

	registers_init(&r, false);
	registers_set(&r, "cpsr", EL2_MASKED);
	assert_int_equal(cpu_state_read(&r, &s), 0);
	assert_false(s.knows_system);
	r.n = CPU_N_CORE;
	registers_set(&r, "cpsr", 0x345);
	assert_int_equal(cpu_state_read(&r, &s), 0);
	assert_false(s.knows_system);
	assert_false(s.masked); /* IRQs are not */
	registers_set(&r, "cpsr", 0x1d3);
	assert_int_equal(cpu_state_read(&r, &s), -ENOTSUP);
	r.present[CPU_N_CORE - 1] = false;
	assert_int_equal(cpu_state_read(&r, &s), -ENODATA);
}

static void a_vector_that_faults(void **state)
{
	struct debug_regs r;
	struct cpu_state s;

	registers_init(&r, false);
	registers_set(&r, "cpsr", EL1_MASKED);
	registers_set(&r, "pc", 0xffff800080011200);
	registers_set(&r, "elr_el1", 0xffff800080011200);
	registers_set(&r, "far_el1", 0xffff800080011200);
	registers_set(&r, "vbar_el1", 0xffff800080011000);
	registers_set(&r, "esr_el1", 0x8600000f);
	assert_int_equal(cpu_state_read(&r, &s), 0);
	assert_true(cpu_state_vector_faults(&s));
	s.esr = 0x96000007; /* a load on the vector: it came there in another way */
	assert_false(cpu_state_vector_faults(&s));
	s.esr = 0x8600000f;
	s.far += 4;
	assert_false(cpu_state_vector_faults(&s));
	s.far -= 4;
	s.elr -= 8;
	assert_false(cpu_state_vector_faults(&s));
	s.elr += 8;
	s.vbar += 0x80;
	assert_false(cpu_state_vector_faults(&s));
}

static void a_cpu_that_is_off(void **state)
{
	struct debug_regs r;

	registers_init(&r, false);
	registers_set(&r, "cpsr", EL1_MASKED);
	assert_true(cpu_state_never_started(&r));
	registers_set(&r, "x3", 1);
	assert_false(cpu_state_never_started(&r));
	assert_false(cpu_state_asked_for_off(&r));
	registers_set(&r, "x0", 0x84000002);
	assert_true(cpu_state_asked_for_off(&r));
	r.present[5] = false;
	registers_set(&r, "x0", 0);
	registers_set(&r, "x3", 0);
	assert_false(cpu_state_never_started(&r)); /* nobody said so of x5 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_have_no_double),	     cmocka_unit_test(reads_its_own_level),
		cmocka_unit_test(says_what_it_was_not_told), cmocka_unit_test(a_vector_that_faults),
		cmocka_unit_test(a_cpu_that_is_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
