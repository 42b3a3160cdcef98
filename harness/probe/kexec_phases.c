// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/kexec_phases.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cleanup.h"

/* Synchronous exceptions and SErrors, from the level that takes them. */
#define VECTOR_SYNC   0x200
#define VECTOR_SERROR 0x380

#define MAX_TRAPS     4

struct kexec_phases {
	struct debug *debug;
	struct kexec_route route;
	struct kexec_phases_events events;
	bool pending[N_KEXEC_PHASES]; /* its breakpoint is set */
	uint64_t traps[MAX_TRAPS];
	unsigned int n_traps;
	unsigned int cpu; /* the one that stopped */
	bool failed;
};

static void fail(struct kexec_phases *p, int error, const char *what)
{
	if (p->failed)
		return;
	p->failed = true;
	p->events.failed(error, what, p->events.arg);
}

static void on_done(const struct debug_reply *reply, void *arg)
{
	if (reply->error)
		fail(arg, reply->error, reply->text ? reply->text : "the debug port refused");
}

static void submit(struct kexec_phases *p, struct debug_request *q)
{
	int rc;

	if (!q->done)
		q->done = on_done;
	q->arg = p;
	rc = debug_submit(p->debug, q);
	if (rc)
		fail(p, rc, "the debug port takes no request");
}

/* --- breakpoints -------------------------------------------------------------- */

static void breakpoint(struct kexec_phases *p, enum debug_op op, uint64_t address)
{
	struct debug_request q = {.op = op, .address = address};

	submit(p, &q);
}

static void set_phase(struct kexec_phases *p, enum kexec_phase phase)
{
	if (!p->route.at[phase] || p->pending[phase])
		return;
	p->pending[phase] = true;
	breakpoint(p, DEBUG_SET_BREAKPOINT, p->route.at[phase]);
}

static bool shared(const struct kexec_phases *p, uint64_t address)
{
	unsigned int i;

	for (i = 0; i < N_KEXEC_PHASES; i++) {
		if (p->pending[i] && p->route.at[i] == address)
			return true;
	}
	for (i = 0; i < p->n_traps; i++) {
		if (p->traps[i] == address)
			return true;
	}
	return false;
}

static void clear_phase(struct kexec_phases *p, enum kexec_phase phase)
{
	if (!p->pending[phase])
		return;
	p->pending[phase] = false;
	if (!shared(p, p->route.at[phase]))
		breakpoint(p, DEBUG_CLEAR_BREAKPOINT, p->route.at[phase]);
}

static void set_trap(struct kexec_phases *p, uint64_t address)
{
	p->traps[p->n_traps++] = address;
	breakpoint(p, DEBUG_SET_BREAKPOINT, address);
}

static void set_traps(struct kexec_phases *p, const struct debug_regs *r)
{
	uint64_t vbar;

	if (debug_regs_get(r, "vbar_el1", &vbar) && vbar) {
		set_trap(p, vbar + VECTOR_SYNC);
		set_trap(p, vbar + VECTOR_SERROR);
	}
	if (debug_regs_get(r, "vbar_el2", &vbar) && vbar) {
		set_trap(p, vbar + VECTOR_SYNC);
		set_trap(p, vbar + VECTOR_SERROR);
	}
}

static void clear_traps(struct kexec_phases *p)
{
	while (p->n_traps) {
		uint64_t address = p->traps[--p->n_traps];

		if (!shared(p, address))
			breakpoint(p, DEBUG_CLEAR_BREAKPOINT, address);
	}
}

/* --- stops ---------------------------------------------------------------------- */

static uint64_t b_address(const struct kexec_phases *p, const struct debug_regs *r)
{
	return p->route.b_register < 31 ? r->value[p->route.b_register] : 0;
}

/* What is behind is not waited for any more; what comes next is. */
static void enter(struct kexec_phases *p, enum kexec_phase phase, const struct debug_regs *r)
{
	enum kexec_phase i;

	if (phase == KEXEC_RELOCATE)
		set_traps(p, r);
	for (i = KEXEC_RELOCATE; i <= phase; i++)
		clear_phase(p, i);
	for (; i < N_KEXEC_PHASES; i++) {
		/* B's code is in place only once it was entered. */
		if (i <= KEXEC_ENTRY || phase >= KEXEC_ENTRY)
			set_phase(p, i);
	}
	/* B has vectors of its own soon, maybe at the very addresses of A's. */
	if (phase == KEXEC_B_KERNEL || (phase == KEXEC_ENTRY && !p->route.at[KEXEC_B_KERNEL]))
		clear_traps(p);
	p->events.phase(phase, p->cpu, r, phase == KEXEC_B_KERNEL ? b_address(p, r) : 0,
			p->events.arg);
}

static bool is_trap(const struct kexec_phases *p, uint64_t pc)
{
	unsigned int i;

	for (i = 0; i < p->n_traps; i++) {
		if (p->traps[i] == pc)
			return true;
	}
	return false;
}

static void on_registers(const struct debug_reply *reply, void *arg)
{
	struct debug_request resume = {.op = DEBUG_RESUME};
	struct kexec_phases *p = arg;
	uint64_t pc;
	int i;

	if (reply->error || !debug_regs_get(reply->registers, "pc", &pc)) {
		fail(p, reply->error ? reply->error : -ENODATA,
		     "a CPU that stopped does not say where");
		return;
	}
	if (is_trap(p, pc)) {
		clear_traps(p);
		p->events.exception(p->cpu, reply->registers, p->events.arg);
	} else {
		/* The last that begins here: without a purgatory its first is B's. */
		for (i = N_KEXEC_PHASES - 1; i >= 0; i--) {
			if (p->pending[i] && p->route.at[i] == pc) {
				enter(p, i, reply->registers);
				break;
			}
		}
	}
	if (!p->failed)
		submit(p, &resume);
}

bool kexec_phases_halted(struct kexec_phases *p, unsigned int cpu)
{
	struct debug_request q = {.op = DEBUG_READ_REGISTERS,
				  .cpu = cpu,
				  .names = cpu_all_registers,
				  .n_names = CPU_N_ALL,
				  .done = on_registers};

	if (p->failed || !kexec_phases_pending(p))
		return false;
	p->cpu = cpu;
	submit(p, &q);
	return true;
}

bool kexec_phases_pending(const struct kexec_phases *p)
{
	unsigned int i;

	for (i = 0; i < N_KEXEC_PHASES; i++) {
		if (p->pending[i])
			return true;
	}
	return p->n_traps;
}

int kexec_phases_start(struct debug *d, const struct kexec_route *route,
		       const struct kexec_phases_events *events, struct kexec_phases **ret)
{
	struct kexec_phases *p;

	if (!route->at[KEXEC_RELOCATE])
		return -EINVAL;
	xnew(p);
	p->debug = d;
	p->route = *route;
	p->events = *events;
	set_phase(p, KEXEC_RELOCATE);
	*ret = p;
	return 0;
}

void kexec_phases_free(struct kexec_phases *p)
{
	free(p);
}
