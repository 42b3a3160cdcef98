// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "probe/hang_card.h"
#include "test/probe/registers.h"

#define RELOCATE    0x4d000000ull
#define PURGATORY   0x4d100000ull
#define B_ENTRY	    0x42400000ull
#define A_BASE	    0xffffb863a6000000ull
#define B_BASE	    0xffffcb90b3400000ull
#define PHYS_OFFSET 0x1000040000000ull /* va = pa - this */
#define DESTINATION (0x42500000ull - PHYS_OFFSET)
#define EL1	    0x3c5
#define EL2	    0x3c9

static struct kallsyms_symbol symbols[] = {
	{0, "_text", 'T'}, {0x10800, "vectors", 'T'}, {0x20000, "primary_entry", 'T'}};
static struct kallsyms table = {.symbols = symbols, .n = 3};
static const struct kernel_map map = {
	.symbols = &table, .image_bytes = 0x100000, .vectors = 0x10800};

static const char *role(uint64_t physical, void *arg)
{
	return (physical & ~0xfffull) == 0x42500000 ? "destination page" : NULL;
}

struct fixture {
	struct hang_scene scene;
	struct cpu_evidence cpus[2];
	struct hang_evidence e;
};

static void make(struct fixture *f, enum cpu_finding finding, uint64_t pc, bool mmu)
{
	*f = (struct fixture){
		.scene = {.a = &map,
			  .b = &map,
			  .a_base = A_BASE,
			  .relocation = {RELOCATE, 0x1000},
			  .purgatory = {PURGATORY, 0x4000},
			  .b_image = {B_ENTRY, 0x100000},
			  .phys_offset = PHYS_OFFSET,
			  .ttbr0 = 0x4e000000,
			  .ttbr1 = 0x4e001000,
			  .role = role},
		.e = {.verdict = HANG_PROVEN, .n_cpus = 1, .n_steps = 3},
	};
	f->e.cpus = f->cpus;
	f->cpus[0].finding = finding;
	f->cpus[0].period = 1;
	registers_init(&f->cpus[0].registers, false);
	registers_set(&f->cpus[0].registers, "pc", pc);
	registers_set(&f->cpus[0].registers, "cpsr", EL1);
	registers_set(&f->cpus[0].registers, "sctlr_el1", mmu);
	registers_set(&f->cpus[0].registers, "ttbr1_el1", 0x4e001000);
	registers_set(&f->cpus[0].registers, "vbar_el1", A_BASE + 0x10800);
}

static void catch (struct fixture *f, uint64_t elr, uint64_t esr, uint64_t far)
{
	f->scene.exception = f->cpus[0].registers;
	registers_set(&f->scene.exception, "pc", A_BASE + 0x10a00);
	registers_set(&f->scene.exception, "elr_el1", elr);
	registers_set(&f->scene.exception, "esr_el1", esr);
	registers_set(&f->scene.exception, "far_el1", far);
}

static void expect_title(const struct fixture *f, const char *expected)
{
	char *title __free(str) = hang_card_title(&f->scene, &f->e);

	assert_string_equal(title, expected);
}

static void by_the_first_exception(void **state)
{
	static const struct {
		uint64_t elr, esr, far;
		const char *title;
	} rows[] = {
		{RELOCATE + 0x78, 0x96000047, DESTINATION + 8,
		 "the relocation code writes a destination page, not mapped in the transitional "
		 "table (level 3)"},
		{RELOCATE + 0x78, 0x9600004f, DESTINATION,
		 "the relocation code writes a destination page, read-only in the transitional "
		 "table (level 3)"},
		{RELOCATE + 0x64, 0x96000006, DESTINATION,
		 "the relocation code reads a destination page, not mapped in the transitional "
		 "table (level 2)"},
		{RELOCATE + 0x64, 0x96000007, 0xffff000000001000,
		 "the relocation code reads an address, not mapped in the transitional table "
		 "(level 3)"},
		{RELOCATE, 0x02000000, 0, "undefined instruction in the relocation code+0x0"},
		{PURGATORY + 0x10, 0x02000000, 0, "undefined instruction in the purgatory+0x10"},
		{B_ENTRY + 0x20004, 0x02000000, 0,
		 "undefined instruction in the new kernel at primary_entry+0x4"},
		{0x1234, 0x02000000, 0, "undefined instruction in code at an unknown place"},
	};
	struct fixture f;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make(&f, CPU_LOOPS, A_BASE + 0x10a00, true);
		catch (&f, rows[i].elr, rows[i].esr, rows[i].far);
		expect_title(&f, rows[i].title);
	}
}

static void by_where_it_loops(void **state)
{
	static const struct {
		uint64_t pc;
		bool mmu;
		const char *title;
	} rows[] = {
		{RELOCATE + 4, true, "the relocation code+0x4 loops"},
		{PURGATORY, false, "the purgatory+0x0 loops, MMU off"},
		{B_ENTRY, false, "the new kernel at _text+0x0 loops, MMU off"},
		{B_ENTRY + 0x20010, true, "the new kernel at primary_entry+0x10 loops"},
		{A_BASE + 0x20010, true, "the old kernel at primary_entry+0x10 loops"},
		{A_BASE + 0x10a00, true, "exceptions without end on the vectors at vectors+0x200"},
		{0x9999, false, "code at an unknown place loops, MMU off"},
	};
	struct fixture f;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make(&f, CPU_LOOPS, rows[i].pc, rows[i].mmu);
		expect_title(&f, rows[i].title);
	}
	make(&f, CPU_LOOPS, B_BASE + 0x20010, true);
	f.scene.b_base = B_BASE;
	expect_title(&f, "the new kernel at primary_entry+0x10 loops");
}

/* The same fault of another boot: other addresses, the same title. */
static void titles_do_not_depend_on_the_boot(void **state)
{
	struct fixture f;
	char *one __free(str) = NULL, *other __free(str) = NULL;

	make(&f, CPU_LOOPS, A_BASE + 0x10a00, true);
	catch (&f, RELOCATE + 0x78, 0x96000047, DESTINATION);
	one = hang_card_title(&f.scene, &f.e);
	f.scene.relocation.start += 0x200000;
	registers_set(&f.scene.exception, "elr_el1", RELOCATE + 0x200078);
	registers_set(&f.scene.exception, "far_el1", DESTINATION + 0x40);
	other = hang_card_title(&f.scene, &f.e);
	assert_string_equal(one, other);
}

static void says_the_rest_in_lines(void **state)
{
	struct buf out __free_buf = BUF_INIT;
	struct fixture f;

	make(&f, CPU_LOOPS, A_BASE + 0x10a00, true);
	catch (&f, RELOCATE + 0x78, 0x96000047, DESTINATION);
	f.e.n_cpus = 2;
	f.e.halted_ns = 4500000;
	f.cpus[1].finding = CPU_OFF;
	hang_card_text(&f.scene, &f.e, &out);
	assert_string_equal(
		out.data,
		"nothing but a reset ends this: the relocation code writes a destination page, not "
		"mapped in the transitional table (level 3)\n"
		"place\tCPU 0, PC 0xffffb863a6010a00, the old kernel at vectors+0x200; EL1, MMU "
		"on, "
		"SError, IRQ and FIQ masked\n"
		"first exception\tCPU 0, EL1: DABT, translation fault; ESR 0x96000047, ELR "
		"0x4d000078 (the relocation code+0x78), FAR 0xffff000002500000 (a destination "
		"page)\n"
		"TTBR0\t0x0\n"
		"TTBR1\t0x4e001000, the transitional one\n"
		"CPU 0\tgoes round in a circle of 1 instruction: PC 0xffffb863a6010a00, the old "
		"kernel at vectors+0x200; EL1, MMU on, SError, IRQ and FIQ masked\n"
		"CPU 1\toff\n"
		"known by\t3 instructions stepped, halted for 4.5 ms in all\n");
}

static void a_suspicion_says_why(void **state)
{
	struct buf out __free_buf = BUF_INIT;
	struct fixture f;

	make(&f, CPU_REPEATS, PURGATORY + 8, false);
	f.e.verdict = HANG_SUSPECTED;
	f.cpus[0].doubt = "accesses memory";
	hang_card_text(&f.scene, &f.e, &out);
	assert_non_null(
		strstr(out.data, "no CPU makes progress: the purgatory+0x8 loops, MMU off\n"));
	assert_non_null(
		strstr(out.data, "repeats 1 instruction, but the loop accesses memory: PC "));
}

static void without_any_knowledge(void **state)
{
	struct buf out __free_buf = BUF_INIT;
	struct fixture f;

	make(&f, CPU_STANDS, 0x40, false);
	f.scene = (struct hang_scene){0};
	registers_set(&f.cpus[0].registers, "cpsr", EL2); /* whose registers were not read */
	expect_title(&f, "code at an unknown place stands still");
	f.cpus[0].registers.n = 0;
	expect_title(&f, "a CPU whose registers cannot be read");
	hang_card_text(&f.scene, &f.e, &out);
	assert_non_null(strstr(out.data, "CPU 0\tstands\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_the_first_exception),
		cmocka_unit_test(by_where_it_loops),
		cmocka_unit_test(titles_do_not_depend_on_the_boot),
		cmocka_unit_test(says_the_rest_in_lines),
		cmocka_unit_test(a_suspicion_says_why),
		cmocka_unit_test(without_any_knowledge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
