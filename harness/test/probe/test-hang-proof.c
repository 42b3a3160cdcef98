// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/alloc.h"
#include "machine/debug/debug_fake.h"
#include "probe/hang_proof.h"

#define MASKED	 0x3c5
#define UNMASKED 0x305 /* SError and IRQ are not */
#define CODE	 0x40000000ull
#define VBAR	 0xffff800080011000ull

#define NOP	 0xd503201f
#define B_SELF	 0x14000000
#define WFI	 0xd503207f
#define HVC	 0xd4000002
#define MRS	 0xd5381000 /* mrs x0, sctlr_el1 */
#define LOAD	 0xf9400000

enum { MAX_CPUS = 3 };

/* What a CPU does when it steps; its code is a loop of @length instructions at CODE. */
struct program {
	unsigned int length; /* 0: it completes no instruction */
	bool counts;	     /* and x12 grows with each round */
	uint64_t counts_to;  /* but no further, unless 0 */
	bool faults;	     /* at the vector, for ever */
	bool ticks;	     /* ESR_EL1 changes with each round */
	bool leaves;	     /* PC is elsewhere after it ran freely */
	bool leaves_late;    /* only the second time */
};

struct fixture {
	sd_event *loop;
	struct debug *d;
	struct hang_proof *proof;
	struct program cpu[MAX_CPUS];
	unsigned int n_cpus, n_ran, n_steps;
	enum debug_op fails; /* that request, with -EIO; DEBUG_ATTACH: none */
	bool answered;
	struct hang_evidence e;
	struct cpu_evidence cpus[MAX_CPUS];
};

static void add(struct debug *d, unsigned int cpu, const char *name, uint64_t by)
{
	debug_fake_set(d, cpu, name, debug_fake_get(d, cpu, name) + by);
}

static int step(struct debug *d, unsigned int cpu, void *arg)
{
	struct fixture *f = arg;
	const struct program *p = &f->cpu[cpu];
	uint64_t pc = debug_fake_get(d, cpu, "pc");

	f->n_steps++;
	if (!p->length)
		return -ETIME;
	if (p->faults)
		return 0; /* to where it is, with the same syndrome */
	if (pc == CODE + 4 * (p->length - 1)) {
		debug_fake_set(d, cpu, "pc", CODE);
		if (p->counts && (!p->counts_to || debug_fake_get(d, cpu, "x12") < p->counts_to))
			add(d, cpu, "x12", 1);
		if (p->ticks)
			add(d, cpu, "esr_el1", 1);
	} else {
		debug_fake_set(d, cpu, "pc", pc + 4);
	}
	return 0;
}

static void ran(struct debug *d, void *arg)
{
	struct fixture *f = arg;
	unsigned int i, n;

	f->n_ran++;
	for (i = 0; i < f->n_cpus; i++) {
		const struct program *p = &f->cpu[i];

		if (p->leaves || (p->leaves_late && f->n_ran == 4))
			debug_fake_set(d, i, "pc", CODE + 0x2000 + 4 * f->n_ran);
		for (n = 0; p->length && n < 5 + f->n_ran; n++)
			step(d, i, f);
	}
}

static int fails(const struct debug_request *q, void *arg)
{
	const struct fixture *f = arg;

	return f->fails != DEBUG_ATTACH && q->op == f->fails ? -EIO : 0;
}

static void poke(struct fixture *f, uint64_t address, uint32_t word)
{
	debug_fake_poke(f->d, DEBUG_VIRTUAL, address, &word, sizeof(word));
}

static void make(struct fixture *f, unsigned int n_cpus)
{
	const struct debug_fake_script script = {
		.n_cpus = n_cpus, .step = step, .ran = ran, .fails = fails, .arg = f};
	const struct debug_events events = {NULL, NULL, NULL};
	const struct debug_request attach = {.op = DEBUG_ATTACH}, resume = {.op = DEBUG_RESUME};
	unsigned int i, r;

	f->n_cpus = n_cpus;
	assert_int_equal(debug_fake_new(f->loop, &script, &events, &f->d, NULL), 0);
	for (i = 0; i < n_cpus; i++) {
		for (r = 0; r < CPU_N_ALL; r++) {
			if (!strstr(cpu_all_registers[r], "_el2"))
				debug_fake_set(f->d, i, cpu_all_registers[r], 0);
		}
		debug_fake_set(f->d, i, "pc", CODE);
		debug_fake_set(f->d, i, "cpsr", MASKED);
		debug_fake_set(f->d, i, "vbar_el1", VBAR);
		f->cpu[i].length = 1;
	}
	for (i = 0; i < 200; i++)
		poke(f, CODE - 4 + 4 * i, NOP);
	assert_int_equal(debug_submit(f->d, &attach), 0);
	assert_int_equal(debug_submit(f->d, &resume), 0);
	while (sd_event_run(f->loop, 0) > 0)
		;
	assert_int_equal(hang_proof_new(f->loop, f->d, &f->proof, NULL), 0);
}

static void on_evidence(const struct hang_evidence *e, void *arg)
{
	struct fixture *f = arg;

	assert_false(f->answered);
	f->answered = true;
	f->e = *e;
	memcpy(f->cpus, e->cpus, e->n_cpus * sizeof(*e->cpus));
	if (!e->error)
		assert_false(f->d->running);
}

static const struct hang_evidence *ask(struct fixture *f)
{
	f->answered = false;
	assert_int_equal(hang_proof_ask(f->proof, on_evidence, f), 0);
	assert_int_equal(hang_proof_ask(f->proof, on_evidence, f), -EBUSY);
	assert_false(f->answered);
	while (!f->answered)
		assert_true(sd_event_run(f->loop, 2000000) > 0);
	return &f->e;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	sd_event_new(&f->loop);
	f->fails = DEBUG_ATTACH;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	debug_free(f->d);
	hang_proof_free(f->proof);
	sd_event_unref(f->loop);
	free(f);
	return 0;
}

static void a_branch_to_itself(void **state)
{
	struct fixture *f = *state;
	uint64_t pc;

	make(f, 1);
	poke(f, CODE, B_SELF);
	assert_int_equal(ask(f)->verdict, HANG_PROVEN);
	assert_int_equal(f->cpus[0].finding, CPU_LOOPS);
	assert_int_equal(f->cpus[0].period, 1);
	assert_null(f->cpus[0].doubt);
	assert_int_equal(f->cpus[0].registers.n, CPU_N_ALL);
	assert_true(debug_regs_get(&f->cpus[0].registers, "pc", &pc));
	assert_true(pc == CODE);
	assert_int_equal(f->e.n_steps, 3);
	assert_int_equal(f->n_ran, 4); /* before it was asked, and three times more */
}

static void the_longest_loop(void **state)
{
	struct fixture *f = *state;

	make(f, 1);
	f->cpu[0].length = LOOP_MAX_PERIOD;
	assert_int_equal(ask(f)->verdict, HANG_PROVEN);
	assert_int_equal(f->cpus[0].period, LOOP_MAX_PERIOD);
}

static void a_longer_one_is_not_seen(void **state)
{
	struct fixture *f = *state;

	make(f, 1);
	f->cpu[0].length = LOOP_MAX_PERIOD + 2;
	assert_int_equal(ask(f)->verdict, HANG_NO);
	assert_int_equal(f->cpus[0].finding, CPU_MOVES);
}

static void a_counter_is_progress(void **state)
{
	struct fixture *f = *state;

	make(f, 1);
	f->cpu[0] = (struct program){.length = 3, .counts = true};
	assert_int_equal(ask(f)->verdict, HANG_NO);
	assert_int_equal(f->cpus[0].finding, CPU_MOVES);
}

/* What comes before the first state of the circle is progress; then it is over. */
static void a_counter_that_ends(void **state)
{
	struct fixture *f = *state;

	make(f, 1);
	f->cpu[0] = (struct program){.length = 2, .counts = true, .counts_to = 20};
	assert_int_equal(ask(f)->verdict, HANG_PROVEN);
}

static void a_vector_that_faults(void **state)
{
	struct fixture *f = *state;

	make(f, 1);
	f->cpu[0].faults = true;
	debug_fake_set(f->d, 0, "pc", VBAR + 0x200);
	debug_fake_set(f->d, 0, "elr_el1", VBAR + 0x200);
	debug_fake_set(f->d, 0, "far_el1", VBAR + 0x200);
	debug_fake_set(f->d, 0, "esr_el1", 0x86000004);
	assert_int_equal(ask(f)->verdict, HANG_PROVEN);
	/* Without the syndrome nobody knows what runs there. */
	hang_proof_free(f->proof);
	debug_free(f->d);
	make(f, 1);
	debug_fake_set(f->d, 0, "pc", VBAR + 0x200);
	f->cpu[0].faults = true;
	assert_int_equal(ask(f)->verdict, HANG_SUSPECTED);
	assert_string_equal(f->cpus[0].doubt, "runs where no instruction can be read");
}

static void what_may_end_from_outside(void **state)
{
	static const struct {
		uint32_t word;
		const char *doubt;
	} rows[] = {
		{MRS, "accesses system registers"},
		{LOAD, "accesses memory"},
		{WFI, "waits for an event"},
		{HVC, "calls another exception level"},
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		hang_proof_free(f->proof);
		debug_free(f->d);
		make(f, 1);
		f->cpu[0].length = 5;
		poke(f, CODE + 8, rows[i].word);
		assert_int_equal(ask(f)->verdict, HANG_SUSPECTED);
		assert_int_equal(f->cpus[0].finding, CPU_REPEATS);
		assert_int_equal(f->cpus[0].period, 5);
		assert_string_equal(f->cpus[0].doubt, rows[i].doubt);
	}
}

static void what_an_interrupt_may_end(void **state)
{
	struct fixture *f = *state;

	make(f, 1);
	debug_fake_set(f->d, 0, "cpsr", UNMASKED);
	assert_int_equal(ask(f)->verdict, HANG_SUSPECTED);
	assert_string_equal(f->cpus[0].doubt, "can be interrupted");
}

static void system_registers_count(void **state)
{
	struct fixture *f = *state;

	make(f, 1);
	f->cpu[0] = (struct program){.length = 2, .ticks = true};
	assert_int_equal(ask(f)->verdict, HANG_SUSPECTED);
	assert_string_equal(f->cpus[0].doubt, "changes system registers");
}

static void what_a_step_cannot_show(void **state)
{
	struct fixture *f = *state;

	make(f, 1);
	f->cpu[0].leaves = true;
	assert_int_equal(ask(f)->verdict, HANG_NO);
	assert_int_equal(f->cpus[0].finding, CPU_MOVES);
	hang_proof_free(f->proof);
	debug_free(f->d);
	make(f, 1);
	f->n_ran = 0;
	f->cpu[0].leaves_late = true;
	assert_int_equal(ask(f)->verdict, HANG_NO);
}

static void all_cpus_count(void **state)
{
	struct fixture *f = *state;

	make(f, 3);
	/* One loops, one was switched off, one never started. */
	f->cpu[1].length = 0;
	poke(f, CODE + 0x100, HVC);
	debug_fake_set(f->d, 1, "pc", CODE + 0x104);
	debug_fake_set(f->d, 1, "x0", 0x84000002);
	f->cpu[2].length = 0;
	debug_fake_set(f->d, 2, "pc", 0);
	assert_int_equal(ask(f)->verdict, HANG_PROVEN);
	assert_int_equal(f->cpus[0].finding, CPU_LOOPS);
	assert_int_equal(f->cpus[1].finding, CPU_OFF);
	assert_int_equal(f->cpus[2].finding, CPU_OFF);
	assert_int_equal(f->cpus[1].registers.n, CPU_N_ALL);
}

static void one_that_waits_is_no_hang(void **state)
{
	struct fixture *f = *state;

	make(f, 2);
	f->cpu[1].length = 0;
	poke(f, CODE + 0x100, WFI);
	debug_fake_set(f->d, 1, "pc", CODE + 0x104);
	debug_fake_set(f->d, 1, "cpsr", UNMASKED);
	assert_int_equal(ask(f)->verdict, HANG_NO);
	assert_int_equal(f->cpus[0].finding, CPU_LOOPS);
	assert_int_equal(f->cpus[1].finding, CPU_IDLE);
}

/* WFI wakes up for what is masked, too: who parks there may come back. */
static void one_that_is_parked_is_no_proof(void **state)
{
	struct fixture *f = *state;

	make(f, 2);
	f->cpu[1].length = 0;
	poke(f, CODE + 0x100, WFI);
	debug_fake_set(f->d, 1, "pc", CODE + 0x104);
	assert_int_equal(ask(f)->verdict, HANG_SUSPECTED);
	assert_int_equal(f->cpus[1].finding, CPU_PARKED);
}

static void one_that_moves_is_enough(void **state)
{
	struct fixture *f = *state;

	make(f, 2);
	f->cpu[0] = (struct program){.length = 3, .counts = true};
	assert_int_equal(ask(f)->verdict, HANG_NO);
	assert_int_equal(f->cpus[0].finding, CPU_MOVES);
	assert_int_equal(f->cpus[1].finding, CPU_UNSEEN);
}

/* A switched-off machine, and one whose CPU completes nothing. */
static void nothing_runs_at_all(void **state)
{
	struct fixture *f = *state;

	make(f, 1);
	f->cpu[0].length = 0;
	assert_int_equal(ask(f)->verdict, HANG_SUSPECTED);
	assert_int_equal(f->cpus[0].finding, CPU_STANDS);
	debug_fake_set(f->d, 0, "pc", 0);
	assert_int_equal(debug_submit(f->d, &(struct debug_request){.op = DEBUG_RESUME}), 0);
	assert_int_equal(ask(f)->verdict, HANG_SUSPECTED);
	assert_int_equal(f->cpus[0].finding, CPU_OFF);
}

static void errors_of_the_port(void **state)
{
	static const enum debug_op ops[] = {DEBUG_HALT, DEBUG_RESUME, DEBUG_READ_REGISTERS,
					    DEBUG_STEP, DEBUG_READ_MEMORY};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		hang_proof_free(f->proof);
		debug_free(f->d);
		f->fails = DEBUG_ATTACH;
		make(f, 1);
		f->fails = ops[i];
		assert_int_equal(ask(f)->error, -EIO);
		assert_int_equal(f->e.verdict, HANG_NO);
	}
}

/* Cancelled at each point it can be: nothing is reported, and it can be asked anew. */
static void can_be_cancelled(void **state)
{
	struct fixture *f = *state;
	unsigned int at, i;

	make(f, 1);
	for (at = 0; at < 40; at++) {
		f->answered = false;
		assert_int_equal(hang_proof_ask(f->proof, on_evidence, f), 0);
		for (i = 0; i < at && !f->answered; i++)
			sd_event_run(f->loop, 50000);
		if (f->answered)
			break;
		hang_proof_cancel(f->proof);
		for (i = 0; i < 200; i++)
			sd_event_run(f->loop, 0);
		assert_false(f->answered);
		debug_submit(f->d, &(struct debug_request){.op = DEBUG_HALT});
		debug_submit(f->d, &(struct debug_request){.op = DEBUG_RESUME});
		while (sd_event_run(f->loop, 0) > 0)
			;
	}
	assert_in_range(at, 10, 39);
	assert_int_equal(f->e.verdict, HANG_PROVEN);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_branch_to_itself),
		T(the_longest_loop),
		T(a_longer_one_is_not_seen),
		T(a_counter_is_progress),
		T(a_counter_that_ends),
		T(a_vector_that_faults),
		T(what_may_end_from_outside),
		T(what_an_interrupt_may_end),
		T(system_registers_count),
		T(what_a_step_cannot_show),
		T(all_cpus_count),
		T(one_that_waits_is_no_hang),
		T(one_that_is_parked_is_no_proof),
		T(one_that_moves_is_enough),
		T(nothing_runs_at_all),
		T(errors_of_the_port),
		T(can_be_cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
