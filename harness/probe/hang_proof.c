// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/hang_proof.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "probe/instruction.h"

#define FREE_RUN_US 20000
#define ROUNDS	    2 /* of running freely, after all CPUs were found to go nowhere */

struct cpu {
	struct debug_regs sample; /* of the core registers, the newest */
	bool stood;		  /* the same before and after a free run */
	struct loop_proof loop;
};

struct hang_proof {
	struct debug *debug;
	sd_event_source *timer;
	struct cpu *cpus;
	struct cpu_evidence *evidence;
	unsigned int n_cpus;
	unsigned int cpu; /* the one that is looked at */
	unsigned int round;
	unsigned int n_steps;
	uint64_t halted_at_ns, halted_ns;
	bool cancelled, waits; /* for an answer of the port */
	/* All CPUs were read once more; what comes next. */
	void (*sampled)(struct hang_proof *p);
	void (*done)(const struct hang_evidence *e, void *arg);
	void *arg;
};

const char *cpu_finding_name(enum cpu_finding f)
{
	static const char *const names[] = {
		[CPU_UNSEEN] = "unseen",   [CPU_MOVES] = "moves",   [CPU_LOOPS] = "loops",
		[CPU_REPEATS] = "repeats", [CPU_STANDS] = "stands", [CPU_PARKED] = "parked",
		[CPU_IDLE] = "idle",	   [CPU_OFF] = "off",
	};

	return names[f];
}

/* --- the end ----------------------------------------------------------------- */

static void finish(struct hang_proof *p, int error, enum hang_verdict verdict)
{
	void (*done)(const struct hang_evidence *e, void *arg) = p->done;
	struct hang_evidence e = {
		.error = error,
		.verdict = verdict,
		.n_cpus = p->n_cpus,
		.cpus = p->evidence,
		.n_steps = p->n_steps,
		.halted_ns = p->halted_ns + (clock_ns() - p->halted_at_ns),
	};

	p->done = NULL;
	done(&e, p->arg);
}

static bool goes_nowhere(enum cpu_finding f)
{
	switch (f) {
	case CPU_LOOPS:
	case CPU_REPEATS:
	case CPU_STANDS:
	case CPU_PARKED:
	case CPU_OFF:
		return true;
	case CPU_UNSEEN:
	case CPU_MOVES:
	case CPU_IDLE:
		return false;
	}
	return false;
}

static enum hang_verdict judge(const struct hang_proof *p)
{
	bool all_off = true, proven = true;
	unsigned int i;

	for (i = 0; i < p->n_cpus; i++) {
		enum cpu_finding f = p->evidence[i].finding;

		if (!goes_nowhere(f))
			return HANG_NO;
		all_off = all_off && f == CPU_OFF;
		proven = proven && (f == CPU_LOOPS || f == CPU_OFF);
	}
	/* With every CPU off somebody is just about to switch the machine off. */
	return proven && !all_off ? HANG_PROVEN : HANG_SUSPECTED;
}

/* --- asking ------------------------------------------------------------------- */

/* False: the answer is to a question that was cancelled. */
static bool answered(struct hang_proof *p, const struct debug_reply *reply)
{
	p->waits = false;
	if (p->cancelled || !p->done)
		return false;
	if (!reply->error)
		return true;
	finish(p, reply->error, HANG_NO);
	return false;
}

static int try_submit(struct hang_proof *p, struct debug_request *q,
		      void (*done)(const struct debug_reply *reply, void *arg))
{
	int rc;

	q->done = done;
	q->arg = p;
	rc = debug_submit(p->debug, q);
	p->waits = !rc;
	return rc;
}

static void submit(struct hang_proof *p, struct debug_request *q,
		   void (*done)(const struct debug_reply *reply, void *arg))
{
	int rc = try_submit(p, q, done);

	if (rc)
		finish(p, rc, HANG_NO);
}

/* --- a sample of all CPUs, before and after they ran ---------------------------- */

static void read_next(struct hang_proof *p);

static void on_sample(const struct debug_reply *reply, void *arg)
{
	struct hang_proof *p = arg;
	struct cpu *c = &p->cpus[p->cpu];

	if (!answered(p, reply))
		return;
	c->stood = debug_regs_equal(&c->sample, reply->registers);
	c->sample = *reply->registers;
	p->cpu++;
	read_next(p);
}

static void read_next(struct hang_proof *p)
{
	struct debug_request q = {.op = DEBUG_READ_REGISTERS,
				  .cpu = p->cpu,
				  .names = cpu_core_registers,
				  .n_names = CPU_N_CORE};

	if (p->cpu == p->n_cpus)
		p->sampled(p);
	else
		submit(p, &q, on_sample);
}

static void on_halted(const struct debug_reply *reply, void *arg)
{
	struct hang_proof *p = arg;

	if (!answered(p, reply))
		return;
	p->halted_at_ns = clock_ns();
	p->cpu = 0;
	read_next(p);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *arg)
{
	struct debug_request q = {.op = DEBUG_HALT};
	struct hang_proof *p = arg;

	if (p->done && !p->cancelled)
		submit(p, &q, on_halted);
	return 0;
}

static void on_resumed(const struct debug_reply *reply, void *arg)
{
	struct hang_proof *p = arg;

	if (!answered(p, reply))
		return;
	p->halted_ns += clock_ns() - p->halted_at_ns;
	p->halted_at_ns = clock_ns();
	sd_event_source_set_time_relative(p->timer, FREE_RUN_US);
	sd_event_source_set_enabled(p->timer, SD_EVENT_ONESHOT);
}

/* Lets all run for a moment, reads all again, then @sampled. */
static void run_freely(struct hang_proof *p, void (*sampled)(struct hang_proof *p))
{
	struct debug_request q = {.op = DEBUG_RESUME};

	p->sampled = sampled;
	submit(p, &q, on_resumed);
}

/* --- what each CPU does ----------------------------------------------------------- */

static void examine(struct hang_proof *p);

static void found(struct hang_proof *p, enum cpu_finding f)
{
	struct cpu_evidence *e = &p->evidence[p->cpu];

	e->finding = f;
	if (!e->registers.n)
		e->registers = p->cpus[p->cpu].sample;
	p->cpu++;
	if (f == CPU_MOVES)
		finish(p, 0, HANG_NO);
	else
		examine(p);
}

static void on_loop(struct loop_proof *l, void *arg)
{
	struct hang_proof *p = arg;
	struct cpu_evidence *e = &p->evidence[p->cpu];

	p->n_steps += l->n_steps;
	if (!answered(p, &(struct debug_reply){.error = l->error}))
		return;
	e->period = l->period;
	e->doubt = l->doubt;
	if (l->recurs)
		e->registers = l->registers;
	if (l->stalls)
		found(p, CPU_STANDS);
	else if (!l->recurs)
		found(p, CPU_MOVES);
	else
		found(p, l->doubt ? CPU_REPEATS : CPU_LOOPS);
}

static void prove_loop(struct hang_proof *p)
{
	p->waits = true;
	loop_proof_start(&p->cpus[p->cpu].loop, p->debug, p->cpu, on_loop, p);
}

/* Two words: the instruction before PC, which may be one that waits, and that at PC. */
static void on_words(const struct debug_reply *reply, void *arg)
{
	const struct debug_reply unreadable = {0};
	const struct debug_regs *regs;
	struct hang_proof *p = arg;
	struct cpu_state s;
	uint32_t words[2] = {0};
	bool waits, calls;

	if (!answered(p, reply->error == -EFAULT ? &unreadable : reply))
		return;
	if (!reply->error && reply->len == sizeof(words))
		memcpy(words, reply->data, sizeof(words));
	regs = &p->cpus[p->cpu].sample;
	waits = instruction_kind(le32toh(words[0])) == INSTRUCTION_WAIT ||
		instruction_kind(le32toh(words[1])) == INSTRUCTION_WAIT;
	calls = instruction_kind(le32toh(words[0])) == INSTRUCTION_CALL ||
		instruction_kind(le32toh(words[1])) == INSTRUCTION_CALL;
	if (calls && cpu_state_asked_for_off(regs))
		found(p, CPU_OFF);
	else if (waits && !cpu_state_read(regs, &s))
		found(p, s.masked ? CPU_PARKED : CPU_IDLE);
	else
		prove_loop(p);
}

/* One that stood may wait, or be off: a step of it would not end. */
static void examine_standing(struct hang_proof *p)
{
	const struct debug_regs *regs = &p->cpus[p->cpu].sample;
	struct debug_request q = {
		.op = DEBUG_READ_MEMORY, .cpu = p->cpu, .space = DEBUG_VIRTUAL, .len = 8};

	if (cpu_state_never_started(regs)) {
		found(p, CPU_OFF);
	} else if (!debug_regs_get(regs, "pc", &q.address)) {
		finish(p, -ENODATA, HANG_NO);
	} else {
		q.address -= 4;
		submit(p, &q, on_words);
	}
}

static void end_round(struct hang_proof *p);

static void examine(struct hang_proof *p)
{
	if (p->cpu < p->n_cpus) {
		if (p->cpus[p->cpu].stood)
			examine_standing(p);
		else
			prove_loop(p);
	} else if (judge(p) == HANG_NO) {
		finish(p, 0, HANG_NO);
	} else {
		run_freely(p, end_round);
	}
}

static void begin_examination(struct hang_proof *p)
{
	p->cpu = 0;
	examine(p);
}

/* --- the same once more, after all ran freely ---------------------------------------- */

static bool still_so(const struct hang_proof *p, unsigned int i)
{
	const struct cpu *c = &p->cpus[i];

	switch (p->evidence[i].finding) {
	case CPU_LOOPS:
	case CPU_REPEATS:
		return loop_proof_has(&c->loop, &c->sample);
	case CPU_STANDS:
	case CPU_PARKED:
	case CPU_OFF:
		return c->stood;
	case CPU_UNSEEN:
	case CPU_MOVES:
	case CPU_IDLE:
		break;
	}
	return false;
}

static void on_all_registers(const struct debug_reply *reply, void *arg);

/* Of those that were not stepped only the core registers are known so far. */
static void complete_registers(struct hang_proof *p)
{
	struct debug_request q = {
		.op = DEBUG_READ_REGISTERS, .names = cpu_all_registers, .n_names = CPU_N_ALL};

	while (p->cpu < p->n_cpus && p->evidence[p->cpu].registers.n == CPU_N_ALL)
		p->cpu++;
	q.cpu = p->cpu;
	if (p->cpu == p->n_cpus)
		finish(p, 0, judge(p));
	else
		submit(p, &q, on_all_registers);
}

static void on_all_registers(const struct debug_reply *reply, void *arg)
{
	struct hang_proof *p = arg;

	if (!answered(p, reply))
		return;
	p->evidence[p->cpu++].registers = *reply->registers;
	complete_registers(p);
}

static void end_round(struct hang_proof *p)
{
	unsigned int i;

	for (i = 0; i < p->n_cpus; i++) {
		if (!still_so(p, i)) {
			p->evidence[i].finding = CPU_MOVES;
			finish(p, 0, HANG_NO);
			return;
		}
	}
	if (++p->round < ROUNDS) {
		run_freely(p, end_round);
	} else {
		p->cpu = 0;
		complete_registers(p);
	}
}

/* --- life --------------------------------------------------------------------------- */

static void after_first_sample(struct hang_proof *p)
{
	run_freely(p, begin_examination);
}

static void make_cpus(struct hang_proof *p)
{
	if (p->n_cpus != p->debug->n_cpus) {
		p->n_cpus = p->debug->n_cpus;
		p->cpus = xcalloc(p->n_cpus, sizeof(*p->cpus));
		p->evidence = xcalloc(p->n_cpus, sizeof(*p->evidence));
	}
	memset(p->evidence, 0, p->n_cpus * sizeof(*p->evidence));
}

int hang_proof_ask(struct hang_proof *p, void (*done)(const struct hang_evidence *e, void *arg),
		   void *arg)
{
	struct debug_request q = {.op = DEBUG_HALT};
	int rc;

	if (p->done || p->waits)
		return -EBUSY;
	if (!p->debug->n_cpus)
		return -ENOTCONN;
	make_cpus(p);
	p->done = done;
	p->arg = arg;
	p->cancelled = false;
	p->round = p->n_steps = 0;
	p->halted_ns = 0;
	p->halted_at_ns = clock_ns();
	p->sampled = after_first_sample;
	rc = try_submit(p, &q, on_halted);
	if (rc)
		p->done = NULL;
	return rc;
}

void hang_proof_cancel(struct hang_proof *p)
{
	p->cancelled = true;
	p->done = NULL;
	if (p->cpu < p->n_cpus)
		loop_proof_stop(&p->cpus[p->cpu].loop);
	sd_event_source_set_enabled(p->timer, SD_EVENT_OFF);
}

int hang_proof_new(sd_event *loop, struct debug *d, struct hang_proof **ret, struct err *e)
{
	struct hang_proof *p;
	int rc;

	xnew(p);
	p->debug = d;
	rc = sd_event_add_time(loop, &p->timer, CLOCK_MONOTONIC, 0, 1000, on_timer, p);
	if (rc < 0) {
		hang_proof_free(p);
		return err_errno(e, -rc, "cannot set up the proof of a hang");
	}
	sd_event_source_set_enabled(p->timer, SD_EVENT_OFF);
	*ret = p;
	return 0;
}

void hang_proof_free(struct hang_proof *p)
{
	unsigned int i;

	if (!p)
		return;
	sd_event_source_disable_unref(p->timer);
	for (i = 0; i < p->n_cpus; i++)
		loop_proof_fini(&p->cpus[i].loop);
	free(p->cpus);
	free(p->evidence);
	free(p);
}
