// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-debug-qemu.c - the debug port of a QEMU machine that runs a real kernel.
 *
 * Where the kernel lies is not known beforehand (KASLR): its base comes from
 * VBAR_EL1 and its own symbol table, as it does when a hang is looked at.
 */
#include "test/test.h"

#include "base/file.h"
#include "machine/bare_guest.h"
#include "test/boot/debugged.h"
#include "test/boot/kernels.h"

#define MAX_IMAGE (512u << 20)
#define CODE	  64 /* bytes of a function that no kernel patches */
#define SAMPLES	  51
#define STEPS	  64
#define LINES	  3000
#define A64_WFI	  0xd503207fu
#define UNMAPPED  0x0000800000000000ull /* between the two halves: nobody's */

static const struct kernel_spec kernel = KERNEL_OLDEST;

static void boot(struct bench *b)
{
	const struct machine_boot boot = {.kernel = b->files->image,
					  .initrd = b->initramfs,
					  .cmdline = "console=ttyAMA0 panic=-1"};
	struct err e __free_err = ERR_INIT;
	unsigned int n_up = b->n_up;

	buf_reset(&b->console);
	assert_ok(b->m->ops->start(b->m, &boot, &e));
	assert_null(b->m->debug);
	run_until(b, b->n_up > n_up);
	assert_non_null(b->m->debug);
	assert_non_null(b->m->ram);
	/* Nobody has attached: nothing stops it. */
	run_until(b, strstr(b->console.data, "built-in shell"));
	assert_int_equal(b->m->debug->n_cpus, 0);
}

static void fetch(struct bench *b)
{
	const struct image_opts opts = {.images_dir = "images", .userland_suite = "trixie"};
	const struct profile p = {.id = (char *)"debug"};
	struct err e __free_err = ERR_INIT;

	assert_ok(image_ctx_new(&opts, &b->images, &e));
	assert_ok(image_kernel(b->images, &kernel, &b->files, &e));
	assert_ok(image_initramfs(b->images, &p, b->files, &b->initramfs, NULL, &e));
	assert_ok(file_read(b->files->image, MAX_IMAGE, &b->image, &e));
	b->map = kernel_map_read(b->image.data, b->image.len);
}

static void type(struct bench *b, const char *text)
{
	assert_int_equal(console_write(b->m->console, text, strlen(text)), 0);
}

/* In user space a CPU reads no kernel memory: runs on until CPU 0 stands in the kernel. */
static void stand_in_kernel(struct bench *b)
{
	uint64_t end = clock_ns() + PATIENCE_NS;
	struct cpu_state s;

	while (!read_all(b, 0) && !cpu_state_read(&b->regs, &s) && s.el != 1) {
		assert_true(clock_ns() < end);
		assert_int_equal(ask(b, .op = DEBUG_RESUME), 0);
		assert_true(sd_event_run(b->opts.loop, 10000) >= 0);
		assert_int_equal(ask(b, .op = DEBUG_HALT), 0);
	}
	assert_int_equal(b->error, 0);
	b->base = kernel_map_base(b->map, value_of(b, "vbar_el1"));
	assert_true(b->base);
}

static void check_registers(struct bench *b)
{
	struct cpu_state s;
	unsigned int i;

	for (i = 0; i < b->m->debug->n_cpus; i++) {
		assert_int_equal(read_all(b, i), 0);
		assert_int_equal(cpu_state_read(&b->regs, &s), 0);
		assert_true(s.knows_system);
		assert_true(s.mmu_on);
		assert_true(s.ttbr1 && s.tcr && value_of(b, "mair_el1"));
		value_of(b, "esr_el1");
		value_of(b, "far_el1");
		value_of(b, "spsr_el1");
	}
	/* No EL2 was asked for: what it lacks is absent, not zero. */
	assert_false(debug_regs_get(&b->regs, "hcr_el2", &(uint64_t){0}));
	assert_int_equal(ask(b, .op = DEBUG_READ_REGISTERS, .names = cpu_core_registers,
			     .n_names = CPU_N_CORE),
			 0);
}

/* The physical address of that part of the Image, found in the file that is its RAM. */
static uint64_t find_in_ram(struct bench *b, uint64_t offset)
{
	const struct ram *ram = b->m->ram;
	uint64_t at;

	for (at = ram->address; at < ram->address + ram->size_bytes; at += 2 << 20) {
		const void *p = ram_at(ram, at + offset, CODE);

		if (p && !memcmp(p, b->image.data + offset, CODE))
			return at + offset;
	}
	fail_msg("the kernel is not in the RAM");
	return 0;
}

static void check_memory(struct bench *b)
{
	size_t len = 20000; /* several packets */
	uint64_t offset, physical;
	char saved[4];

	assert_true(kernel_map_symbol(b->map, "__pi_strlen", &offset));
	physical = find_in_ram(b, offset);
	assert_int_equal(ask(b, .op = DEBUG_READ_MEMORY, .address = b->base + offset, .len = CODE),
			 0);
	assert_int_equal(b->data.len, CODE);
	assert_memory_equal(b->data.data, b->image.data + offset, CODE);
	assert_int_equal(ask(b, .op = DEBUG_READ_MEMORY, .space = DEBUG_PHYSICAL,
			     .address = physical, .len = len),
			 0);
	assert_int_equal(b->data.len, len);
	assert_memory_equal(b->data.data, ram_at(b->m->ram, physical, len), len);
	/* And virtual ones are virtual again. */
	assert_int_equal(ask(b, .op = DEBUG_READ_MEMORY, .address = UNMAPPED, .len = 4), -EFAULT);
	assert_int_equal(ask(b, .op = DEBUG_READ_MEMORY, .address = physical, .len = 4), -EFAULT);
	memcpy(saved, b->image.data + offset, 4);
	assert_int_equal(ask(b, .op = DEBUG_WRITE_MEMORY, .space = DEBUG_PHYSICAL,
			     .address = physical, .data = "kjum", .len = 4),
			 0);
	assert_memory_equal(ram_at(b->m->ram, physical, 4), "kjum", 4);
	assert_int_equal(ask(b, .op = DEBUG_WRITE_MEMORY, .space = DEBUG_PHYSICAL,
			     .address = physical, .data = saved, .len = 4),
			 0);
	assert_memory_equal(ram_at(b->m->ram, physical, 4), saved, 4);
}

static void check_register_writes(struct bench *b)
{
	static const char *const x9 = "x9", *const sctlr = "sctlr_el1";
	uint64_t was;

	assert_int_equal(read_all(b, 0), 0);
	was = value_of(b, x9);
	assert_int_equal(ask(b, .op = DEBUG_WRITE_REGISTER, .names = &x9, .value = ~was), 0);
	assert_int_equal(read_all(b, 0), 0);
	assert_int_equal(value_of(b, x9), ~was);
	assert_int_equal(ask(b, .op = DEBUG_WRITE_REGISTER, .names = &x9, .value = was), 0);
	was = value_of(b, sctlr);
	assert_int_equal(ask(b, .op = DEBUG_WRITE_REGISTER, .names = &sctlr, .value = ~was), -EIO);
	assert_int_equal(read_all(b, 0), 0);
	assert_int_equal(value_of(b, sctlr), was);
}

/* Where it stopped, step by step, each with what the core registers are after it. */
static void check_steps(struct bench *b, uint64_t pc)
{
	unsigned int cpu = b->halted_cpu, i;
	uint64_t began = clock_ns();

	for (i = 0; i < STEPS; i++) {
		submit(b, (struct debug_request){.op = DEBUG_STEP, .cpu = cpu});
		submit(b, (struct debug_request){.op = DEBUG_READ_REGISTERS,
						 .cpu = cpu,
						 .names = cpu_core_registers,
						 .n_names = CPU_N_CORE});
		if (i)
			continue;
		run_until(b, !b->n_open);
		assert_int_equal(b->error, 0);
		assert_int_not_equal(value_of(b, "pc"), pc);
	}
	run_until(b, !b->n_open);
	assert_int_equal(b->error, 0);
	printf("NOTE %u steps, each with a reading of the core registers: %.1f ms\n", STEPS,
	       (double)(clock_ns() - began) / 1e6);
}

static void check_breakpoint(struct bench *b)
{
	uint64_t offset, pc;
	unsigned int n = b->n_halted;

	assert_true(kernel_map_symbol(b->map, "kernel_clone", &offset));
	pc = b->base + offset;
	assert_int_equal(ask(b, .op = DEBUG_SET_BREAKPOINT, .address = pc), 0);
	assert_int_equal(ask(b, .op = DEBUG_SET_BREAKPOINT, .address = pc), 0);
	assert_int_equal(ask(b, .op = DEBUG_RESUME), 0);
	assert_int_equal(read_all(b, 0), -EBUSY);
	type(b, "(echo fork''ed)\n");
	run_until(b, b->n_halted > n);
	assert_int_equal(b->why_halted, DEBUG_STOP_BREAKPOINT);
	assert_true(b->halted_cpu < b->m->debug->n_cpus);
	assert_int_equal(read_all(b, b->halted_cpu), 0);
	assert_int_equal(value_of(b, "pc"), pc);
	assert_null(strstr(b->console.data, "forked"));
	assert_int_equal(ask(b, .op = DEBUG_CLEAR_BREAKPOINT, .address = pc), 0);
	check_steps(b, pc);
	assert_int_equal(ask(b, .op = DEBUG_RESUME), 0);
	run_until(b, strstr(b->console.data, "forked"));
	assert_int_equal(b->n_halted, n + 1);
}

static int by_value(const void *x, const void *y)
{
	return (*(const double *)x > *(const double *)y) -
	       (*(const double *)x < *(const double *)y);
}

static void halted_at(const struct debug_reply *reply, void *arg)
{
	*(uint64_t *)arg = clock_ns();
	assert_int_equal(reply->error, 0);
}

/* Halts it all the time while it prints; returns with the whole of it on the console. */
static void sample_while_it_prints(struct bench *b)
{
	double ms[SAMPLES];
	unsigned int i, cpu;
	char *text __free(str) = NULL, line[32];
	uint64_t began = 0;

	text = xasprintf("i=0; while [ $i -lt %d ]; do i=$((i+1)); echo line-$i-; done;"
			 " echo all''lines\n",
			 LINES);
	type(b, text);
	run_until(b, strstr(b->console.data, "line-1-"));
	for (i = 0; i < SAMPLES; i++) {
		assert_int_equal(
			debug_submit(b->m->debug, &(struct debug_request){.op = DEBUG_HALT,
									  .done = halted_at,
									  .arg = &began}),
			0);
		cpu = i % b->m->debug->n_cpus;
		submit(b, (struct debug_request){.op = DEBUG_READ_REGISTERS,
						 .cpu = cpu,
						 .names = cpu_all_registers,
						 .n_names = CPU_N_ALL});
		submit(b, (struct debug_request){.op = DEBUG_RESUME});
		run_until(b, !b->n_open);
		assert_int_equal(b->error, 0);
		ms[i] = (double)(b->done_ns - began) / 1e6;
		assert_true(sd_event_run(b->opts.loop, 5000) >= 0);
	}
	qsort(ms, SAMPLES, sizeof(*ms), by_value);
	printf("NOTE a sample of all %d registers of one CPU halts the target for %.2f ms "
	       "(median of %d; worst %.2f)\n",
	       CPU_N_ALL, ms[SAMPLES / 2], SAMPLES, ms[SAMPLES - 1]);
	run_until(b, strstr(b->console.data, "alllines"));
	for (i = 1; i <= LINES; i++) {
		snprintf(line, sizeof(line), "line-%u-", i);
		if (!strstr(b->console.data, line))
			fail_msg("'%s' was lost", line);
	}
}

static void debug_a_kernel(struct bench *b, unsigned int cpus)
{
	struct debug *first;

	fetch(b);
	make_machine(b, cpus);
	boot(b);
	first = b->m->debug;
	assert_int_equal(ask(b, .op = DEBUG_RESUME), -EBUSY);
	assert_int_equal(ask(b, .op = DEBUG_ATTACH), 0);
	assert_int_equal(first->n_cpus, cpus);
	assert_false(first->running);
	stand_in_kernel(b);
	check_registers(b);
	check_memory(b);
	check_register_writes(b);
	check_breakpoint(b);
	sample_while_it_prints(b);
	assert_int_equal(b->n_stop_notices, 0);
	assert_int_equal(b->n_lost, 0);
	type(b, "reboot -f\n");
	run_until(b, b->n_down);
	assert_int_equal(b->why_down, MACHINE_DOWN_GUEST_RESET);
	assert_int_equal(b->n_lost, 1);
	assert_null(b->m->ram);
	/* Another start, another port. */
	boot(b);
	assert_int_equal(ask(b, .op = DEBUG_ATTACH), 0);
	assert_int_equal(b->m->debug->n_cpus, cpus);
	check_registers(b);
	/* Halted it can be ended, too. */
	assert_int_equal(b->m->ops->stop(b->m, NULL), 0);
	run_until(b, b->n_down == 2);
	assert_int_equal(b->why_down, MACHINE_DOWN_ASKED);
	assert_int_equal(b->n_lost, 2);
}

static void debugs_one_cpu(void **state)
{
	debug_a_kernel(*state, 1);
}

static void debugs_two_cpus(void **state)
{
	debug_a_kernel(*state, 2);
}

/* CPU 0 waits for an interrupt that never comes, CPU 1 is off. */
/* Does the first CPU stand behind a WFI? */
static bool waits_at(struct bench *b, uint64_t *ret_pc)
{
	const uint32_t wfi = A64_WFI;

	assert_int_equal(read_all(b, 0), 0);
	*ret_pc = value_of(b, "pc");
	return !ask(b, .op = DEBUG_READ_MEMORY, .address = *ret_pc - sizeof(wfi),
		    .len = sizeof(wfi)) &&
	       !memcmp(b->data.data, &wfi, sizeof(wfi));
}

static void a_cpu_that_waits_completes_no_step(void **state)
{
	static const uint32_t waits[] = {A64_WFI, A64_B(-1)};
	struct bench *b = *state;
	char *image __free(str) = file_join(b->dir.path, "image");
	const struct machine_boot boot = {.kernel = image};
	struct err e __free_err = ERR_INIT;
	unsigned int tries;
	uint64_t pc;

	assert_ok(file_write(image, waits, sizeof(waits), &e));
	make_machine(b, 2);
	assert_ok(b->m->ops->start(b->m, &boot, &e));
	run_until(b, b->n_up);
	/* The first to ask for a halt attaches. */
	assert_int_equal(ask(b, .op = DEBUG_HALT), 0);
	assert_int_equal(b->m->debug->n_cpus, 2);
	/* A slow host may need more than one moment until it waits. */
	for (tries = 0; tries < 100 && !waits_at(b, &pc); tries++) {
		assert_int_equal(ask(b, .op = DEBUG_RESUME), 0);
		usleep(100000);
		assert_int_equal(ask(b, .op = DEBUG_HALT), 0);
	}
	assert_true(waits_at(b, &pc));
	assert_int_equal(ask(b, .op = DEBUG_STEP, .cpu = 0), -ETIME);
	assert_int_equal(ask(b, .op = DEBUG_STEP, .cpu = 1), -ETIME);
	/* And it goes on as before. */
	assert_int_equal(read_all(b, 1), 0);
	assert_true(cpu_state_never_started(&b->regs));
	assert_int_equal(read_all(b, 0), 0);
	assert_int_equal(value_of(b, "pc"), pc);
	assert_int_equal(ask(b, .op = DEBUG_RESUME), 0);
	assert_true(b->m->debug->running);
	assert_int_equal(b->n_halted, 0);
}

#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_BENCH(a_cpu_that_waits_completes_no_step),
		WITH_BENCH(debugs_one_cpu),
		WITH_BENCH(debugs_two_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
