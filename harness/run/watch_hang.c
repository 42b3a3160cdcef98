// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * watch_hang.c - the jump from outside: its phases, and whether it hangs.
 *
 * Nobody is asked while something is heard: a look halts the target for some
 * milliseconds. A suspicion is told when it has lasted; a proof at once.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "run/watch_parts.h"

#define QUIET_NS   (1 * NS_PER_S)
#define SUSPECT_NS (2 * NS_PER_S)
#define POLL_MS	   250
#define AGAIN_MS   1000 /* after a look that found something moving */
#define SOON_MS	   50	/* after an exception that nothing handles */

static void arm(struct watch_kexec *w, uint64_t ms)
{
	sd_event_source_set_time_relative(w->timer, ms * 1000);
	sd_event_source_set_enabled(w->timer, SD_EVENT_ONESHOT);
}

/* --- phases ------------------------------------------------------------------------ */

static void on_phase(enum kexec_phase phase, unsigned int cpu, const struct debug_regs *r,
		     uint64_t b_address, void *arg)
{
	static const enum mark marks[] = {
		[KEXEC_RELOCATE] = MARK_RELOCATE, [KEXEC_PURGATORY] = MARK_PURGATORY,
		[KEXEC_ENTRY] = MARK_ENTRY,	  [KEXEC_MMU_ON] = MARK_MMU_ON,
		[KEXEC_B_KERNEL] = MARK_B_KERNEL,
	};
	struct watch_kexec *w = arg;
	uint64_t offset;

	w->moved_ns = clock_ns();
	w->suspected_ns = 0;
	if (b_address && w->scene.b && kernel_map_symbol(w->scene.b, "__primary_switched", &offset))
		w->scene.b_base = b_address - offset;
	session_mark(w->s, marks[phase], NULL);
}

static void on_exception(unsigned int cpu, const struct debug_regs *r, void *arg)
{
	struct watch_kexec *w = arg;
	char *title __free(str) = NULL;

	w->scene.exception = *r;
	w->scene.exception_cpu = cpu;
	title = hang_card_exception(&w->scene);
	watch_emit(w, PROBE_EXCEPTION, title, NULL, NULL);
	arm(w, SOON_MS);
}

static void on_failed(int error, const char *what, void *arg)
{
	watch_lose(arg, what);
}

void watch_start_phases(struct watch_kexec *w)
{
	const struct kexec_phases_events events = {on_phase, on_exception, on_failed, w};
	const struct kernel_map *b = w->scene.b;
	const uint64_t entry = w->scene.b_image.start;
	struct kexec_route route = {.at = {[KEXEC_RELOCATE] = w->image.kern_reloc,
					   [KEXEC_PURGATORY] = w->image.start,
					   [KEXEC_ENTRY] = entry}};

	if (!w->has_image || !w->image.kern_reloc)
		return;
	if (entry && b && b->mmu_on && b->branch) {
		route.at[KEXEC_MMU_ON] = entry + b->mmu_on;
		route.at[KEXEC_B_KERNEL] = entry + b->branch;
		route.b_register = b->branch_register;
	}
	kexec_phases_start(w->debug, &route, &events, &w->phases);
}

/* --- does it hang? ---------------------------------------------------------------------- */

/* The card and every register that was read, as a file; NULL: it is not kept. */
static const char *keep_registers(struct session *s, const char *file, const struct buf *card,
				  const struct hang_evidence *e)
{
	struct buf all __free_buf = BUF_INIT;
	unsigned int i, r;

	buf_add(&all, card->data, card->len);
	for (i = 0; i < e->n_cpus; i++) {
		const struct debug_regs *regs = &e->cpus[i].registers;

		buf_addf(&all, "\nCPU %u\n", i);
		for (r = 0; r < regs->n; r++) {
			if (regs->present[r])
				buf_addf(&all, "%s\t0x%llx\n", regs->names[r],
					 (unsigned long long)regs->value[r]);
		}
	}
	if (!s->setup.keep || s->setup.keep(file, all.data, all.len, s->setup.arg))
		return NULL;
	return file;
}

static void tell_hang(struct watch_kexec *w, const struct hang_evidence *e, enum probe_what what)
{
	struct session *s = w->s;
	char *title __free(str) = hang_card_title(&w->scene, e);
	struct buf card __free_buf = BUF_INIT;
	const char *file = what == PROBE_PROVEN ? "hang.txt" : NULL;

	if (what == PROBE_SUSPECTED && w->suspected && !strcmp(w->suspected, title))
		return;
	free(w->suspected);
	w->suspected = xstrdup(title);
	hang_card_text(&w->scene, e, &card);
	if (file)
		file = keep_registers(s, file, &card, e);
	watch_emit(w, what, title, card.data, file);
}

/* One that loops for ever while the others only wait: they wait for it, or for a timer. */
static bool one_is_stuck(const struct hang_evidence *e)
{
	unsigned int i;
	bool loops = false;

	for (i = 0; i < e->n_cpus; i++) {
		if (e->cpus[i].finding == CPU_MOVES || e->cpus[i].finding == CPU_UNSEEN)
			return false;
		loops = loops || e->cpus[i].finding == CPU_LOOPS;
	}
	return loops;
}

static void on_evidence(const struct hang_evidence *e, void *arg)
{
	struct watch_kexec *w = arg;
	bool suspect = e->verdict == HANG_SUSPECTED || (!e->error && one_is_stuck(e));

	if (!w->debug)
		return;
	if (e->error) {
		watch_lose(w, "a CPU could not be looked at");
		return;
	}
	if (e->verdict == HANG_PROVEN) {
		tell_hang(w, e, PROBE_PROVEN);
		return;
	}
	watch_resume(w);
	if (!suspect)
		w->suspected_ns = 0;
	else if (!w->suspected_ns)
		w->suspected_ns = clock_ns();
	else if (clock_ns() - w->suspected_ns >= SUSPECT_NS)
		tell_hang(w, e, PROBE_SUSPECTED);
	arm(w, AGAIN_MS);
}

static bool is_quiet(const struct watch_kexec *w)
{
	const struct session *s = w->s;
	uint64_t heard = s->heard_ns > w->moved_ns ? s->heard_ns : w->moved_ns;

	/* Who took an exception that nothing handles has nothing to say. */
	return w->scene.exception.n || clock_ns() - heard >= QUIET_NS;
}

int watch_on_timer(sd_event_source *source, uint64_t usec, void *arg)
{
	struct watch_kexec *w = arg;

	if (!w->debug || w->s->ending || !w->left)
		return 0;
	if (is_quiet(w) && w->debug->running && !hang_proof_ask(w->proof, on_evidence, w))
		w->n_asked++;
	else
		arm(w, POLL_MS);
	return 0;
}

void watch_stop_asking(struct watch_kexec *w)
{
	hang_proof_cancel(w->proof);
	arm(w, POLL_MS);
}

void watch_left(struct session *s)
{
	struct watch_kexec *w = s->watch;

	if (!w || !w->debug || !s->job->watch.phases)
		return;
	w->left = true;
	w->moved_ns = clock_ns();
	arm(w, POLL_MS);
}
