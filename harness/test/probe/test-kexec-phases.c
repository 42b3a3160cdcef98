// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "machine/debug/debug_fake.h"
#include "probe/kexec_phases.h"

#define RELOCATE  0x4d000000ull
#define PURGATORY 0x4d100000ull
#define ENTRY	  0x42400000ull
#define MMU_ON	  (ENTRY + 0x1f39868)
#define BRANCH	  (ENTRY + 0x1f398a0)
#define B_VIRTUAL 0xffffb863a6001234ull
#define VBAR_EL1  0xffffb86300011000ull
#define VBAR_EL2  0x4da7a000ull

struct fixture {
	sd_event *loop;
	struct debug *d;
	struct kexec_phases *phases;
	struct buf log;
	enum debug_op fails; /* DEBUG_ATTACH: none */
	bool foreign;	     /* the last stop was not one of these */
};

static int fails(const struct debug_request *q, void *arg)
{
	const struct fixture *f = arg;

	return f->fails != DEBUG_ATTACH && q->op == f->fails ? -EIO : 0;
}

static void on_phase(enum kexec_phase phase, unsigned int cpu, const struct debug_regs *r,
		     uint64_t b_address, void *arg)
{
	struct fixture *f = arg;

	assert_int_equal(r->n, CPU_N_ALL);
	assert_false(f->d->running);
	buf_addf(&f->log, "[%d cpu%u", phase, cpu);
	if (b_address)
		buf_addf(&f->log, " %lx", b_address);
	buf_adds(&f->log, "]");
}

static void on_exception(unsigned int cpu, const struct debug_regs *r, void *arg)
{
	uint64_t elr = 0;

	debug_regs_get(r, "elr_el1", &elr);
	buf_addf(&((struct fixture *)arg)->log, "[exception cpu%u %lx]", cpu, elr);
}

static void on_failed(int error, const char *what, void *arg)
{
	buf_addf(&((struct fixture *)arg)->log, "[failed %d]", error);
}

static void on_halted(enum debug_stop why, unsigned int cpu, void *arg)
{
	struct fixture *f = arg;

	f->foreign = !kexec_phases_halted(f->phases, cpu);
}

static void settle(struct fixture *f)
{
	while (sd_event_run(f->loop, 0) > 0)
		;
}

static const struct kexec_route whole = {.at = {RELOCATE, PURGATORY, ENTRY, MMU_ON, BRANCH},
					 .b_register = 8};

static void start(struct fixture *f, const struct kexec_route *route, bool el2)
{
	const struct debug_fake_script script = {.n_cpus = 2, .fails = fails, .arg = f};
	const struct debug_events events = {on_halted, NULL, f};
	const struct kexec_phases_events on = {on_phase, on_exception, on_failed, f};
	unsigned int i;

	assert_int_equal(debug_fake_new(f->loop, &script, &events, &f->d, NULL), 0);
	for (i = 0; i < CPU_N_ALL; i++) {
		if (el2 || !strstr(cpu_all_registers[i], "_el2"))
			debug_fake_set(f->d, 0, cpu_all_registers[i], 0);
	}
	debug_fake_set(f->d, 0, "vbar_el1", VBAR_EL1);
	debug_fake_set(f->d, 0, "elr_el1", RELOCATE + 0x78);
	debug_fake_set(f->d, 0, "x8", B_VIRTUAL);
	if (el2)
		debug_fake_set(f->d, 0, "vbar_el2", VBAR_EL2);
	debug_submit(f->d, &(struct debug_request){.op = DEBUG_ATTACH});
	assert_int_equal(kexec_phases_start(f->d, route, &on, &f->phases), 0);
	debug_submit(f->d, &(struct debug_request){.op = DEBUG_RESUME});
	settle(f);
	assert_true(f->d->running);
}

/* A breakpoint that is set there is hit. */
static void hit(struct fixture *f, uint64_t pc)
{
	assert_true(debug_fake_has_breakpoint(f->d, pc));
	debug_fake_set(f->d, 0, "pc", pc);
	debug_fake_stop(f->d, DEBUG_STOP_BREAKPOINT, 0);
	settle(f);
}

static void expect(struct fixture *f, const char *log)
{
	assert_string_equal(f->log.data, log);
	buf_reset(&f->log);
}

static bool any_breakpoint(struct fixture *f)
{
	static const uint64_t at[] = {RELOCATE,		PURGATORY,	  ENTRY,
				      MMU_ON,		BRANCH,		  VBAR_EL1 + 0x200,
				      VBAR_EL1 + 0x380, VBAR_EL2 + 0x200, VBAR_EL2 + 0x380,
				      VBAR_EL2 + 0x400};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		if (debug_fake_has_breakpoint(f->d, at[i]))
			return true;
	}
	return false;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	buf_init(&f->log);
	sd_event_new(&f->loop);
	f->fails = DEBUG_ATTACH;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	debug_free(f->d);
	kexec_phases_free(f->phases);
	sd_event_unref(f->loop);
	buf_fini(&f->log);
	free(f);
	return 0;
}

static void a_healthy_jump(void **state)
{
	struct fixture *f = *state;

	start(f, &whole, false);
	/* A's life goes on as before: its vectors are its own. */
	assert_false(debug_fake_has_breakpoint(f->d, VBAR_EL1 + 0x200));
	assert_false(debug_fake_has_breakpoint(f->d, ENTRY));
	hit(f, RELOCATE);
	assert_true(debug_fake_has_breakpoint(f->d, VBAR_EL1 + 0x200));
	assert_true(debug_fake_has_breakpoint(f->d, VBAR_EL1 + 0x380));
	assert_false(debug_fake_has_breakpoint(f->d, RELOCATE));
	hit(f, PURGATORY);
	assert_false(debug_fake_has_breakpoint(f->d, MMU_ON)); /* B's code may not be there yet */
	hit(f, ENTRY);
	hit(f, MMU_ON);
	assert_true(kexec_phases_pending(f->phases));
	hit(f, BRANCH);
	expect(f, "[0 cpu0][1 cpu0][2 cpu0][3 cpu0][4 cpu0 ffffb863a6001234]");
	assert_false(kexec_phases_pending(f->phases));
	assert_false(any_breakpoint(f));
	assert_true(f->d->running);
}

static void el2_has_vectors_too(void **state)
{
	struct fixture *f = *state;

	start(f, &whole, true);
	hit(f, RELOCATE);
	assert_true(debug_fake_has_breakpoint(f->d, VBAR_EL2 + 0x200));
	assert_false(debug_fake_has_breakpoint(f->d, VBAR_EL2 + 0x400));
	hit(f, ENTRY); /* the purgatory was not seen */
	hit(f, BRANCH);
	expect(f, "[0 cpu0][2 cpu0][4 cpu0 ffffb863a6001234]");
	assert_false(any_breakpoint(f));
}

static void the_first_exception_only(void **state)
{
	struct fixture *f = *state;

	start(f, &whole, false);
	hit(f, RELOCATE);
	hit(f, VBAR_EL1 + 0x200);
	expect(f, "[0 cpu0][exception cpu0 4d000078]");
	assert_false(debug_fake_has_breakpoint(f->d, VBAR_EL1 + 0x200));
	assert_false(debug_fake_has_breakpoint(f->d, VBAR_EL1 + 0x380));
	assert_true(f->d->running);
	hit(f, PURGATORY); /* it went on all the same */
	expect(f, "[1 cpu0]");
}

static void no_purgatory(void **state)
{
	const struct kexec_route route = {.at = {RELOCATE, ENTRY, ENTRY, 0, 0}};
	struct fixture *f = *state;

	start(f, &route, false);
	hit(f, RELOCATE);
	hit(f, ENTRY);
	expect(f, "[0 cpu0][2 cpu0]");
	/* Nothing is known of B: what it does with its vectors is not seen. */
	assert_false(any_breakpoint(f));
	assert_false(kexec_phases_pending(f->phases));
}

static void what_is_not_its_own(void **state)
{
	struct fixture *f = *state;

	start(f, &whole, false);
	debug_fake_set(f->d, 0, "pc", 0x1234);
	debug_fake_stop(f->d, DEBUG_STOP_BREAKPOINT, 0);
	settle(f);
	expect(f, "");
	assert_true(f->d->running); /* a breakpoint just cleared: nothing to say of it */
	hit(f, RELOCATE);
	hit(f, PURGATORY);
	hit(f, ENTRY);
	hit(f, BRANCH);
	buf_reset(&f->log);
	debug_fake_stop(f->d, DEBUG_STOP_BREAKPOINT, 0);
	settle(f);
	assert_true(f->foreign);
	assert_false(f->d->running);
}

static void errors_end_it(void **state)
{
	static const enum debug_op ops[] = {DEBUG_SET_BREAKPOINT, DEBUG_CLEAR_BREAKPOINT,
					    DEBUG_READ_REGISTERS};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		start(f, &whole, false);
		f->fails = ops[i];
		hit(f, RELOCATE);
		if (ops[i] == DEBUG_READ_REGISTERS)
			expect(f, "[failed -5]");
		else
			expect(f, "[0 cpu0][failed -5]");
		f->fails = DEBUG_ATTACH;
		debug_free(f->d);
		kexec_phases_free(f->phases);
	}
	f->phases = NULL;
	f->d = NULL;
	assert_int_equal(kexec_phases_start(NULL, &(struct kexec_route){0}, NULL, &f->phases),
			 -EINVAL);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_healthy_jump), T(el2_has_vectors_too), T(the_first_exception_only),
		T(no_purgatory),   T(what_is_not_its_own), T(errors_end_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
