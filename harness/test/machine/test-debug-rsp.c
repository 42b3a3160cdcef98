// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-debug-rsp.c - the gdb client against a stub that behaves.
 */
#include "test/test.h"

#include "test/machine/rsp_peer.h"

static const char *const names[] = {"x1", "esr_el1", "cpsr", "vbar_el1", "v0", "ttbr0_el2", "pc"};

static uint64_t value(const struct peer *p, const char *name)
{
	uint64_t v;

	assert_true(debug_regs_get(&p->regs, name, &v));
	return v;
}

static void attaching_finds_out(void **state)
{
	struct peer *p = *state;

	p->stands = true;
	ask_for(p, .op = DEBUG_ATTACH);
	assert_int_equal(p->log.len, 0);
	assert_int_equal(p->debug->n_cpus, 0);
	peer_run_dry(p);
	assert_non_null(strstr(p->log.data, "qSupported:"));
	assert_non_null(strstr(p->log.data, "qXfer:features:read:system.xml:0,"));
	assert_non_null(strstr(p->log.data, "[0]"));
	assert_int_equal(p->debug->n_cpus, 2);
	assert_false(p->debug->running);
	buf_reset(&p->log);
	ask_for(p, .op = DEBUG_ATTACH);
	peer_expect(p, "[0]");
}

/* The interrupt's stop reply comes before any answer and belongs to nobody. */
static void attaching_to_what_runs(void **state)
{
	struct peer *p = *state;

	ask_for(p, .op = DEBUG_ATTACH);
	peer_run_dry(p);
	assert_memory_equal(p->log.data, "^C qSupported", 13);
	assert_null(strstr(p->log.data, "halted"));
	assert_false(p->debug->running);
}

static void before_attach_it_runs(void **state)
{
	struct peer *p = *state;

	assert_true(p->debug->running);
	ask_for(p, .op = DEBUG_STEP);
	peer_expect(p, "[-16]");
	p->quiet = true;
	ask_for(p, .op = DEBUG_HALT);
	ask_for(p, .op = DEBUG_STEP, .cpu = 2);
	ask_for(p, .op = DEBUG_STEP, .cpu = 1);
	peer_expect(p, "[0][-22][0]");
	assert_int_equal(peer_ask(p, (struct debug_request){.op = DEBUG_STEP, .cpu = 2}), -EINVAL);
}

static void acks_are_left_out_where_possible(void **state)
{
	struct peer *p = *state;

	peer_will(p, "qSupported", "PacketSize=1000;qXfer:features:read+;QStartNoAckMode+", 0);
	peer_will(p, "QStartNoAckMode", "OK", 0);
	peer_attach(p);
	p->no_acks = true;
	ask_for(p, .op = DEBUG_RESUME);
	peer_expect(p, "[0]vCont;c ");
	assert_true(p->debug->running);
	ask_for(p, .op = DEBUG_HALT);
	peer_expect(p, "^C [0]");
}

static void registers_by_name(void **state)
{
	struct peer *p = *state;
	uint64_t v;

	peer_attach(p);
	ask_for(p, .op = DEBUG_READ_REGISTERS, .names = names, .n_names = ARRAY_SIZE(names));
	peer_expect(p, "g p4d p5a [0]");
	assert_int_equal(value(p, "x1"), 2);
	assert_int_equal(value(p, "pc"), 0x800080000000);
	assert_int_equal(value(p, "cpsr"), 0x600003c9);
	assert_int_equal(value(p, "vbar_el1"), 0x800);
	assert_int_equal(value(p, "esr_el1"), 0x8600000f);
	assert_false(debug_regs_get(&p->regs, "ttbr0_el2", &v));
	assert_false(debug_regs_get(&p->regs, "v0", &v));
}

static void registers_that_are_not_to_be_had(void **state)
{
	struct peer *p = *state;
	uint64_t v;

	peer_attach(p);
	peer_will(p, "p5a", "E14", 0);
	peer_will(p, "p4d", "0f0000860000", 0);
	peer_will(p, "g", "xxxxxxxxxxxxxxxx0200000000000000000000800080000000000000", 0);
	ask_for(p, .op = DEBUG_READ_REGISTERS, .names = names, .n_names = ARRAY_SIZE(names));
	peer_expect(p, "g p4d p5a [0]");
	assert_false(debug_regs_get(&p->regs, "vbar_el1", &v));
	assert_false(debug_regs_get(&p->regs, "esr_el1", &v));
	assert_int_equal(value(p, "x1"), 2);
}

static void each_cpu_is_chosen_once(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	ask_for(p, .op = DEBUG_READ_REGISTERS, .cpu = 1, .names = names, .n_names = 1);
	ask_for(p, .op = DEBUG_READ_REGISTERS, .cpu = 1, .names = names + 1, .n_names = 1);
	ask_for(p, .op = DEBUG_READ_REGISTERS, .cpu = 0, .names = names + 2, .n_names = 1);
	peer_expect(p, "Hgp1.2 g [0]p4d [0]Hgp1.1 g [0]");
	/* A stop may have changed it. */
	ask_for(p, .op = DEBUG_STEP);
	ask_for(p, .op = DEBUG_READ_REGISTERS, .cpu = 0, .names = names, .n_names = 1);
	peer_expect(p, "vCont;s:p1.1 [0]Hgp1.1 g [0]");
}

static void writing_a_register(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	peer_will(p, "P", "OK", 2);
	peer_will(p, "P", "E14", 0);
	peer_will(p, "p3", "78563412", 0);
	ask_for(p, .op = DEBUG_WRITE_REGISTER, .names = names + 2, .value = 0x12345678);
	ask_for(p, .op = DEBUG_WRITE_REGISTER, .names = names + 3, .value = 1);
	ask_for(p, .op = DEBUG_WRITE_REGISTER, .names = names + 3, .value = 1);
	ask_for(p, .op = DEBUG_WRITE_REGISTER, .names = names + 4, .value = 1);
	ask_for(p, .op = DEBUG_WRITE_REGISTER, .names = names + 5, .value = 1);
	peer_expect(p, "P3=78563412 p3 [0]P5a=0100000000000000 p5a [-5]P5a=0100000000000000 [-5]"
		       "[-5][-5]");
}

static void memory_in_blocks(void **state)
{
	struct peer *p = *state;
	char block[2 * 1984 + 1];
	uint8_t data[2000];

	peer_attach(p);
	memset(block, '7', sizeof(block) - 1);
	block[sizeof(block) - 1] = '\0';
	peer_will(p, "m1000,7c0", block, 0);
	/* A stub may give less than it was asked for. */
	peer_will(p, "m17c0,10", "aaaa", 0);
	peer_will(p, "m17c2,e", "bbbbbbbbbbbbbbbbbbbbbbbbbbbb", 0);
	ask_for(p, .op = DEBUG_READ_MEMORY, .address = 0x1000, .len = 2000);
	peer_expect(p, "m1000,7c0 m17c0,10 m17c2,e [0]");
	assert_int_equal(p->bytes[1983], 0x77);
	assert_memory_equal(p->bytes + 1984, "\xaa\xaa\xbb\xbb", 4);
	assert_int_equal(p->bytes[1999], 0xbb);
	memset(data, 0x5a, sizeof(data));
	p->quiet = true;
	ask_for(p, .op = DEBUG_WRITE_MEMORY, .address = 0x1000, .data = data, .len = sizeof(data));
	peer_expect(p, "[0]");
	p->quiet = false;
	ask_for(p, .op = DEBUG_WRITE_MEMORY, .address = 0xffff000012345678, .data = data, .len = 2);
	peer_expect(p, "Mffff000012345678,2:5a5a [0]");
	peer_will(p, "m2000", "E14", 0);
	peer_will(p, "M2000", "E14", 0);
	ask_for(p, .op = DEBUG_READ_MEMORY, .address = 0x2000, .len = 8);
	ask_for(p, .op = DEBUG_WRITE_MEMORY, .address = 0x2000, .data = data, .len = 1);
	peer_expect(p, "m2000,8 [-14]M2000,1:5a [-14]");
}

static void physical_memory_is_left_again(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	ask_for(p, .op = DEBUG_READ_MEMORY, .space = DEBUG_PHYSICAL, .address = 0x40, .len = 8);
	ask_for(p, .op = DEBUG_READ_MEMORY, .space = DEBUG_PHYSICAL, .address = 0x48, .len = 8);
	ask_for(p, .op = DEBUG_READ_MEMORY, .address = 0x50, .len = 8);
	ask_for(p, .op = DEBUG_READ_MEMORY, .space = DEBUG_PHYSICAL, .address = 0x48, .len = 8);
	ask_for(p, .op = DEBUG_RESUME);
	peer_expect(p, "Qqemu.PhyMemMode:1 m40,8 [0]m48,8 [0]Qqemu.PhyMemMode:0 m50,8 [0]"
		       "Qqemu.PhyMemMode:1 m48,8 [0]Qqemu.PhyMemMode:0 vCont;c [0]");
}

static void not_every_stub_knows_physical_memory(void **state)
{
	struct peer *p = *state;

	peer_will(p, "qqemu.PhyMemMode", "", 0);
	peer_attach(p);
	ask_for(p, .op = DEBUG_READ_MEMORY, .space = DEBUG_PHYSICAL, .address = 0x40, .len = 8);
	ask_for(p, .op = DEBUG_READ_MEMORY, .address = 0x40, .len = 8);
	peer_expect(p, "[-95]m40,8 [0]");
}

static void running_and_standing(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	ask_for(p, .op = DEBUG_HALT);
	ask_for(p, .op = DEBUG_RESUME);
	ask_for(p, .op = DEBUG_STEP);
	peer_expect(p, "[0]vCont;c [0][-16]");
	assert_true(p->debug->running);
	ask_for(p, .op = DEBUG_HALT);
	ask_for(p, .op = DEBUG_HALT);
	peer_expect(p, "^C [0][0]");
	assert_false(p->debug->running);
}

static void breakpoints(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	ask_for(p, .op = DEBUG_SET_BREAKPOINT, .address = 0xffff800000001000);
	ask_for(p, .op = DEBUG_SET_BREAKPOINT, .address = 0xffff800000001000);
	ask_for(p, .op = DEBUG_SET_BREAKPOINT, .address = 0x2000);
	ask_for(p, .op = DEBUG_RESUME);
	peer_expect(p, "Z1,ffff800000001000,4 [0][0]Z1,2000,4 [0]vCont;c [0]");
	peer_say(p, "T05thread:p01.02;");
	peer_expect(p, "[halted breakpoint 1]");
	ask_for(p, .op = DEBUG_CLEAR_BREAKPOINT, .address = 0xffff800000001000);
	ask_for(p, .op = DEBUG_CLEAR_BREAKPOINT, .address = 0xffff800000001000);
	peer_expect(p, "z1,ffff800000001000,4 [0][0]");
	peer_will(p, "Z1,3000", "", 0);
	peer_will(p, "Z1,4000", "E22", 0);
	ask_for(p, .op = DEBUG_SET_BREAKPOINT, .address = 0x3000);
	ask_for(p, .op = DEBUG_SET_BREAKPOINT, .address = 0x4000);
	peer_expect(p, "Z1,3000,4 [-95]Z1,4000,4 [-28]");
}

static void stops_of_other_kinds(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	ask_for(p, .op = DEBUG_RESUME);
	peer_expect(p, "vCont;c [0]");
	peer_say(p, "T03core:1;thread:p1.2;");
	peer_expect(p, "[halted other 1]");
	/* Before the packet was even acknowledged. */
	peer_will(p, "vCont;c", RAW "$T05thread:p01.02;#07", 1);
	ask_for(p, .op = DEBUG_RESUME);
	peer_expect(p, "vCont;c [0][halted breakpoint 1]");
	/* While a halt is under way: both are told. */
	ask_for(p, .op = DEBUG_RESUME);
	peer_expect(p, "vCont;c [0]");
	peer_will(p, "\x03", "T05thread:p01.01;", 0);
	ask_for(p, .op = DEBUG_HALT);
	peer_expect(p, "^C [halted breakpoint 0][0]");
	/* Text for a user means nothing here. */
	ask_for(p, .op = DEBUG_RESUME);
	peer_expect(p, "vCont;c [0]");
	peer_say(p, "O68656c6c6f");
	peer_expect(p, "");
	peer_say(p, "S02");
	peer_expect(p, "[halted other 0]");
}

static void a_step_that_completes_nothing(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	peer_will(p, "vCont;s:p1.2", SILENCE, 1);
	ask_for(p, .op = DEBUG_STEP, .cpu = 1);
	ask_for(p, .op = DEBUG_STEP, .cpu = 1);
	run_until(p, p->n_done == 3);
	peer_expect(p, "vCont;s:p1.2 ^C [-62]vCont;s:p1.2 [0]");
	/* It was late, not off. */
	peer_will(p, "vCont;s:p1.2", SILENCE, 1);
	peer_will(p, "\x03", "T05thread:p01.02;", 0);
	ask_for(p, .op = DEBUG_STEP, .cpu = 1);
	run_until(p, p->n_done == 4);
	peer_expect(p, "vCont;s:p1.2 ^C [0]");
}

static void damaged_packets_are_sent_again(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	peer_will(p, "m40", NAK, 3);
	peer_will(p, "m41", RAW "$0102#00$01$0102#c3", 0);
	ask_for(p, .op = DEBUG_READ_MEMORY, .address = 0x40, .len = 8);
	ask_for(p, .op = DEBUG_READ_MEMORY, .address = 0x41, .len = 2);
	peer_expect(p, "m40,8 m40,8 m40,8 m40,8 [0]m41,2 [0]");
	assert_memory_equal(p->bytes, "\1\2", 2);
}

static void runs_and_escapes_are_understood(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	/* Twice "0" and 3 more, then "6" with an escape, then "6". */
	peer_will(p, "m40",
		  RAW "$0* 0* }\x16"
		      "6#bd",
		  0);
	ask_for(p, .op = DEBUG_READ_MEMORY, .address = 0x40, .len = 5);
	peer_expect(p, "m40,5 [0]");
	assert_memory_equal(p->bytes, "\0\0\0\0\x66", 5);
}

static void a_description_in_pieces(void **state)
{
	struct peer *p = *state;

	peer_will(p, "qXfer:features:read:core.xml:0,", "m<feature name=\"c\"><reg name=\"x0\" ",
		  0);
	peer_will(p, "qXfer:features:read:core.xml:21,", "mbitsize=\"64\"/>", 0);
	peer_will(p, "qXfer:features:read:core.xml:2f,", "l</feature>", 0);
	peer_attach(p);
}

static void ids_without_processes(void **state)
{
	struct peer *p = *state;

	peer_will(p, "qfThreadInfo", "m1,2", 0);
	peer_will(p, "qsThreadInfo", "l", 0);
	peer_attach(p);
	assert_int_equal(p->debug->n_cpus, 2);
	ask_for(p, .op = DEBUG_STEP, .cpu = 1);
	peer_expect(p, "vCont;s:2 [0]");
}

static void free_is_legal_in_any_callback(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	ask_for(p, .op = DEBUG_READ_MEMORY, .address = 0x40, .len = 8);
	ask_for(p, .op = DEBUG_WRITE_MEMORY, .address = 0x40, .data = "x", .len = 1);
	p->free_in_done = true;
	peer_expect(p, "m40,8 [0]");
	assert_null(p->debug);
}

static void free_is_legal_in_halted(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	ask_for(p, .op = DEBUG_RESUME);
	peer_expect(p, "vCont;c [0]");
	ask_for(p, .op = DEBUG_HALT);
	peer_will(p, "\x03", "T05thread:p01.01;", 0);
	p->free_in_halted = true;
	peer_expect(p, "^C [halted breakpoint 0]");
	assert_null(p->debug);
}

static void free_is_legal_under_way(void **state)
{
	struct peer *p = *state;

	peer_attach(p);
	peer_will(p, "M", SILENCE, 0);
	ask_for(p, .op = DEBUG_WRITE_MEMORY, .address = 0x40, .data = "x", .len = 1);
	ask_for(p, .op = DEBUG_WRITE_MEMORY, .address = 0x40, .data = "x", .len = 1);
	peer_expect(p, "M40,1:78 ");
	peer_drop(p);
	peer_expect(p, "");
}

#define WITH_PEER(test) cmocka_unit_test_setup_teardown(test, peer_set_up, peer_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PEER(attaching_finds_out),
		WITH_PEER(attaching_to_what_runs),
		WITH_PEER(before_attach_it_runs),
		WITH_PEER(acks_are_left_out_where_possible),
		WITH_PEER(registers_by_name),
		WITH_PEER(registers_that_are_not_to_be_had),
		WITH_PEER(each_cpu_is_chosen_once),
		WITH_PEER(writing_a_register),
		WITH_PEER(memory_in_blocks),
		WITH_PEER(physical_memory_is_left_again),
		WITH_PEER(not_every_stub_knows_physical_memory),
		WITH_PEER(running_and_standing),
		WITH_PEER(breakpoints),
		WITH_PEER(stops_of_other_kinds),
		WITH_PEER(a_step_that_completes_nothing),
		WITH_PEER(damaged_packets_are_sent_again),
		WITH_PEER(runs_and_escapes_are_understood),
		WITH_PEER(a_description_in_pieces),
		WITH_PEER(ids_without_processes),
		WITH_PEER(free_is_legal_in_any_callback),
		WITH_PEER(free_is_legal_in_halted),
		WITH_PEER(free_is_legal_under_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
