// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/loop_proof.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "probe/instruction.h"

#define ROUNDS	  2 /* after the recurrence was seen */
#define PC	  (CPU_N_CORE - 2)
#define CPSR	  (CPU_N_CORE - 1)
#define INSN_SIZE 4

static void finish(struct loop_proof *p, int error)
{
	p->error = error;
	p->done(p, p->arg);
}

static void submit(struct loop_proof *p, struct debug_request *q,
		   void (*done)(const struct debug_reply *reply, void *arg))
{
	int rc;

	q->cpu = p->cpu;
	q->done = done;
	q->arg = p;
	rc = p->stopped ? -ECANCELED : debug_submit(p->debug, q);
	if (rc)
		finish(p, rc);
}

static void read_registers(struct loop_proof *p, const char *const *names, unsigned int n,
			   void (*done)(const struct debug_reply *reply, void *arg))
{
	struct debug_request q = {.op = DEBUG_READ_REGISTERS, .names = names, .n_names = n};

	submit(p, &q, done);
}

static bool same_core(const uint64_t *state, const struct debug_regs *r)
{
	return !memcmp(state, r->value, CPU_N_CORE * sizeof(*state));
}

static bool complete(const struct debug_regs *r)
{
	unsigned int i;

	for (i = 0; i < CPU_N_CORE; i++) {
		if (!r->present[i])
			return false;
	}
	return true;
}

/* --- rounds after the recurrence ------------------------------------------ */

static void look_at_instruction(struct loop_proof *p);

static const uint64_t *expected(const struct loop_proof *p)
{
	return p->states[p->first + p->at % p->period];
}

static void doubt(struct loop_proof *p, const char *why)
{
	if (!p->doubt)
		p->doubt = why;
}

static void on_round(const struct debug_reply *reply, void *arg)
{
	struct loop_proof *p = arg;
	struct cpu_state s;

	if (reply->error) {
		finish(p, reply->error);
		return;
	}
	if (p->round && !debug_regs_equal(&p->registers, reply->registers))
		doubt(p, "changes system registers");
	p->registers = *reply->registers;
	if (!cpu_state_read(&p->registers, &s) && !s.knows_system)
		doubt(p, "is at an exception level whose registers cannot be read");
	p->at = 0;
	if (p->round++ == ROUNDS)
		finish(p, 0);
	else
		look_at_instruction(p);
}

static void end_round(struct loop_proof *p)
{
	read_registers(p, cpu_all_registers, CPU_N_ALL, on_round);
}

static void on_repeated(const struct debug_reply *reply, void *arg)
{
	struct loop_proof *p = arg;

	if (reply->error) {
		finish(p, reply->error);
		return;
	}
	p->at++;
	if (!same_core(expected(p), reply->registers)) {
		p->recurs = false;
		finish(p, 0);
	} else if (p->at == p->period) {
		end_round(p);
	} else {
		look_at_instruction(p);
	}
}

static void on_step_again(const struct debug_reply *reply, void *arg)
{
	struct loop_proof *p = arg;

	if (reply->error == -ETIME) {
		p->recurs = false;
		p->stalls = true;
		finish(p, 0);
	} else if (reply->error) {
		finish(p, reply->error);
	} else {
		p->n_steps++;
		read_registers(p, cpu_core_registers, CPU_N_CORE, on_repeated);
	}
}

static void step_again(struct loop_proof *p)
{
	struct debug_request q = {.op = DEBUG_STEP};

	submit(p, &q, on_step_again);
}

static void on_instruction(const struct debug_reply *reply, void *arg)
{
	struct loop_proof *p = arg;
	enum instruction_kind kind;
	uint32_t word;

	if (reply->error && reply->error != -EFAULT) {
		finish(p, reply->error);
		return;
	}
	if (reply->error || reply->len != sizeof(word)) {
		doubt(p, "runs where no instruction can be read");
	} else {
		memcpy(&word, reply->data, sizeof(word));
		kind = instruction_kind(le32toh(word));
		/* It always goes to a vector, whose state is compared as any other. */
		if (kind != INSTRUCTION_UNDEFINED)
			doubt(p, instruction_why_not_pure(kind));
	}
	step_again(p);
}

/* The first round reads what is executed; a vector that cannot be fetched executes nothing. */
static void look_at_instruction(struct loop_proof *p)
{
	struct debug_request q = {.op = DEBUG_READ_MEMORY,
				  .space = DEBUG_VIRTUAL,
				  .address = expected(p)[PC],
				  .len = INSN_SIZE};
	struct cpu_state s;

	if (p->round > 1 ||
	    (p->period == 1 && !cpu_state_read(&p->registers, &s) && cpu_state_vector_faults(&s)))
		step_again(p);
	else
		submit(p, &q, on_instruction);
}

/* --- until a state recurs ---------------------------------------------------- */

static void on_state(const struct debug_reply *reply, void *arg);

static void on_step(const struct debug_reply *reply, void *arg)
{
	struct loop_proof *p = arg;

	if (reply->error == -ETIME) {
		p->stalls = true;
		finish(p, 0);
	} else if (reply->error) {
		finish(p, reply->error);
	} else {
		p->n_steps++;
		read_registers(p, cpu_core_registers, CPU_N_CORE, on_state);
	}
}

static void begin_rounds(struct loop_proof *p, unsigned int first)
{
	unsigned int i;

	p->recurs = true;
	p->first = first;
	p->period = p->n_states - first;
	for (i = first; i < p->n_states; i++) {
		const uint64_t aif = 7u << 6;

		if ((p->states[i][CPSR] & aif) != aif)
			doubt(p, "can be interrupted");
	}
	end_round(p);
}

static void on_state(const struct debug_reply *reply, void *arg)
{
	struct debug_request step = {.op = DEBUG_STEP};
	struct loop_proof *p = arg;
	unsigned int i;

	if (reply->error || !complete(reply->registers)) {
		finish(p, reply->error ? reply->error : -ENODATA);
		return;
	}
	for (i = p->n_states; i-- > 0;) {
		if (same_core(p->states[i], reply->registers)) {
			begin_rounds(p, i);
			return;
		}
	}
	if (p->n_states == LOOP_MAX_PERIOD + 1) {
		finish(p, 0);
		return;
	}
	memcpy(p->states[p->n_states++], reply->registers->value, sizeof(p->states[0]));
	submit(p, &step, on_step);
}

void loop_proof_start(struct loop_proof *p, struct debug *d, unsigned int cpu,
		      void (*done)(struct loop_proof *p, void *arg), void *arg)
{
	uint64_t(*states)[CPU_N_CORE] = p->states;

	if (!states)
		states = xcalloc(LOOP_MAX_PERIOD + 1, sizeof(*states));
	*p = (struct loop_proof){
		.debug = d, .cpu = cpu, .done = done, .arg = arg, .states = states};
	read_registers(p, cpu_core_registers, CPU_N_CORE, on_state);
}

void loop_proof_stop(struct loop_proof *p)
{
	p->stopped = true;
}

bool loop_proof_has(const struct loop_proof *p, const struct debug_regs *core)
{
	unsigned int i;

	for (i = 0; p->recurs && i < p->period; i++) {
		if (same_core(p->states[p->first + i], core))
			return true;
	}
	return false;
}

void loop_proof_fini(struct loop_proof *p)
{
	free(p->states);
	*p = (struct loop_proof){0};
}
