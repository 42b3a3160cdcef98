// SPDX-License-Identifier: GPL-2.0-or-later
#include "run/watch.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "run/watch_parts.h"

/* A CPU that happens to run a program is looked at again; A's shell waits, so it is rare. */
#define KERNEL_TRIES	20
#define KERNEL_AGAIN_MS 20

bool watch_wanted(const struct job *job)
{
	return job->kind == JUMP_KEXEC &&
	       (job->watch.phases || job->watch.check_tables || job->inject != INJECT_NONE);
}

void watch_emit(struct watch_kexec *w, enum probe_what what, const char *title, const char *text,
		const char *file)
{
	struct event ev = {.type = EVENT_PROBE,
			   .probe = {.what = what, .title = title, .text = text, .file = file}};

	session_emit(w->s, &ev);
}

/* Whatever comes of it: a target that stood because of us would look hung. */
static void let_run(struct debug *d)
{
	const struct debug_request q = {.op = DEBUG_RESUME};

	if (!d->running)
		debug_submit(d, &q);
}

void watch_lose(struct watch_kexec *w, const char *why)
{
	if (!w->debug)
		return;
	let_run(w->debug);
	w->debug = NULL;
	sd_event_source_set_enabled(w->timer, SD_EVENT_OFF);
	watch_emit(w, PROBE_LOST, why, NULL, NULL);
}

/* --- the port ------------------------------------------------------------------ */

static void on_resumed(const struct debug_reply *reply, void *arg)
{
	struct watch_kexec *w = arg;

	if (reply->error && !w->s->ending)
		watch_lose(w, reply->text ? reply->text : "the target does not run again");
}

void watch_resume(struct watch_kexec *w)
{
	const struct debug_request q = {.op = DEBUG_RESUME, .done = on_resumed, .arg = w};

	if (w->debug && debug_submit(w->debug, &q))
		watch_lose(w, "the debug port takes no request any more");
}

static void on_halted(enum debug_stop why, unsigned int cpu, void *arg)
{
	struct watch_kexec *w = ((struct session *)arg)->watch;

	if (!w || !w->debug)
		return;
	if (w->left)
		watch_stop_asking(w);
	if (why != DEBUG_STOP_BREAKPOINT || !w->phases || !kexec_phases_halted(w->phases, cpu))
		watch_resume(w);
}

static void on_lost(const char *why, void *arg)
{
	struct session *s = arg;

	/* At the end of an attempt, and where a machine goes down, that is as it should be. */
	if (s->watch && s->watch->debug && !s->ending)
		watch_lose(s->watch, why);
	else if (s->watch)
		s->watch->debug = NULL;
}

struct debug_events watch_debug_events(struct session *s)
{
	return (struct debug_events){on_halted, on_lost, s};
}

/* --- the step --------------------------------------------------------------------- */

/* What cannot be watched is jumped all the same, unless a fault was to be put in. */
static void go_on(struct watch_kexec *w)
{
	if (w->s->ending)
		return;
	if (w->debug)
		watch_resume(w);
	else if (w->s->job->inject != INJECT_NONE)
		session_infra(w->s, "without a debug port no fault can be put in");
	session_next(w->s);
}

static void give_up(struct watch_kexec *w, const char *why)
{
	watch_lose(w, why);
	go_on(w);
}

/* A request that the step waits for: refused or lost, the step goes on without it. */
static void ask(struct watch_kexec *w, struct debug_request *q,
		void (*done)(const struct debug_reply *reply, void *arg))
{
	q->done = done;
	q->arg = w;
	if (!w->debug || debug_submit(w->debug, q))
		give_up(w, "the debug port takes no request any more");
}

static void injected(struct watch_kexec *w)
{
	if (w->debug && w->s->job->watch.phases)
		watch_start_phases(w);
	go_on(w);
}

static void look(struct watch_kexec *w)
{
	struct session *s = w->s;

	watch_look_at_image(w);
	if (s->ending)
		return;
	if (s->job->inject == INJECT_NONE)
		injected(w);
	else
		watch_inject(w, injected);
}

static void read_cpu(struct watch_kexec *w);

static void on_halted_again(const struct debug_reply *reply, void *arg)
{
	struct watch_kexec *w = arg;

	if (reply->error) {
		give_up(w, "the target cannot be halted");
		return;
	}
	w->cpu = 0;
	read_cpu(w);
}

static void halt_again(struct session *s)
{
	struct debug_request q = {.op = DEBUG_HALT};

	ask(s->watch, &q, on_halted_again);
}

static void try_next_cpu(struct watch_kexec *w)
{
	if (++w->cpu < w->debug->n_cpus) {
		read_cpu(w);
	} else if (++w->tries < KERNEL_TRIES) {
		watch_resume(w);
		session_later(w->s, KERNEL_AGAIN_MS, halt_again);
	} else {
		give_up(w, "no CPU was found in A's kernel");
	}
}

static void on_regime(const struct debug_reply *reply, void *arg)
{
	struct watch_kexec *w = arg;

	if (reply->error || arm64_regime_read(reply->registers, &w->regime))
		give_up(w, "the registers of A's tables cannot be read");
	else if (watch_locate_kernel(w))
		look(w);
	else
		try_next_cpu(w);
}

static void on_cpu(const struct debug_reply *reply, void *arg)
{
	struct debug_request q = {.op = DEBUG_READ_REGISTERS,
				  .names = arm64_regime_registers,
				  .n_names = ARM64_N_REGISTERS};
	struct watch_kexec *w = arg;
	struct cpu_state c;

	if (reply->error || cpu_state_read(reply->registers, &c)) {
		give_up(w, "a CPU's registers cannot be read");
	} else if (c.el >= 1 && c.mmu_on) {
		w->regs = *reply->registers;
		q.cpu = w->cpu;
		ask(w, &q, on_regime);
	} else {
		try_next_cpu(w);
	}
}

static void read_cpu(struct watch_kexec *w)
{
	struct debug_request q = {.op = DEBUG_READ_REGISTERS,
				  .cpu = w->cpu,
				  .names = cpu_all_registers,
				  .n_names = CPU_N_ALL};

	ask(w, &q, on_cpu);
}

static void on_attached(const struct debug_reply *reply, void *arg)
{
	struct watch_kexec *w = arg;

	if (reply->error || hang_proof_new(w->s->setup.loop, w->debug, &w->proof, NULL)) {
		give_up(w, reply->text ? reply->text : "the debug port cannot be attached to");
		return;
	}
	w->cpu = 0;
	read_cpu(w);
}

static int make(struct session *s)
{
	const struct ram *ram = s->machine->ram;
	struct watch_kexec *w;
	int rc;

	xnew(w);
	s->watch = w;
	w->s = s;
	w->debug = s->machine->debug;
	w->memory = (struct phys_memory){.fd = -1};
	if (ram)
		w->memory = (struct phys_memory){.address = ram->address,
						 .size_bytes = ram->size_bytes,
						 .bytes = ram->base,
						 .fd = ram->fd};
	rc = sd_event_add_time(s->setup.loop, &w->timer, CLOCK_MONOTONIC, 0, 1000, watch_on_timer,
			       w);
	if (rc >= 0)
		rc = sd_event_source_set_enabled(w->timer, SD_EVENT_OFF);
	return rc;
}

static void start_watch(struct session *s)
{
	struct debug_request q = {.op = DEBUG_ATTACH};

	if (!watch_wanted(s->job)) {
		session_next(s);
		return;
	}
	if (make(s) < 0) {
		session_infra(s, "cannot set up a timer");
		return;
	}
	if (!s->watch->debug) {
		watch_emit(s->watch, PROBE_LOST,
			   "this machine has no debug port: only limits tell a hang", NULL, NULL);
		go_on(s->watch);
		return;
	}
	ask(s->watch, &q, on_attached);
}

const struct step step_watch = {LIMIT_LOAD, false, start_watch, NULL, NULL};

/* --- life --------------------------------------------------------------------------- */

void watch_end(struct session *s)
{
	struct watch_kexec *w = s->watch;
	char text[64];

	if (!w)
		return;
	sd_event_source_set_enabled(w->timer, SD_EVENT_OFF);
	if (!w->n_asked)
		return;
	snprintf(text, sizeof(text), "asked %u time%s whether it hangs", w->n_asked,
		 w->n_asked == 1 ? "" : "s");
	watch_emit(w, PROBE_COUNT, text, NULL, NULL);
}

void watch_free(struct watch_kexec *w)
{
	if (!w)
		return;
	sd_event_source_disable_unref(w->timer);
	kexec_phases_free(w->phases);
	hang_proof_free(w->proof);
	watch_tables_fini(w);
	free(w->suspected);
	free(w);
}
