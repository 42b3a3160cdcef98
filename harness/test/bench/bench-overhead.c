// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-overhead - what an attempt costs over bare QEMU.
 *
 * Interleaved pairs of the same boot up to the same line of the console: QEMU
 * run by hand with its console on a pipe, and an attempt as `kjump run` makes
 * it (monitor, console, evidence, judge, shell). The same virtual hardware,
 * kernel, initramfs and command line. Prints both medians and their ratio.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/process.h"
#include "cmd/attempt.h"
#include "evidence/evidence.h"
#include "machine/qemu_args.h"
#include "test/bench/bench.h"

#define MARKER "kjump: userspace of profile"

struct rig {
	struct bench bench;
	struct rule_set *rules;
};

/* Finds MARKER in a stream that comes in pieces. */
struct finder {
	size_t matched;
};

static bool find(struct finder *f, const char *data, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (data[i] == MARKER[f->matched])
			f->matched++;
		else
			f->matched = data[i] == MARKER[0];
		if (f->matched == sizeof(MARKER) - 1)
			return true;
	}
	return false;
}

static uint64_t run_bare(const struct rig *r)
{
	const struct job *job = &r->bench.plan->jobs[0];
	const struct boot_files *a = prepared_a(r->bench.prepared, job);
	const struct machine_opts opts = {.spec = job->machine, .display = true};
	char *cmdline __free(str) = xasprintf("%s kjump=bench.1.a", a->cmdline);
	struct qemu_args args __free_qemu_args = QEMU_ARGS_INIT;
	struct err e __free_err = ERR_INIT;
	const char *const tail[] = {"-serial", "stdio",	     "-kernel", a->kernel->image,
				    "-initrd", a->initramfs, "-append", cmdline};
	const char *const *head;
	const char *argv[96];
	struct process_opts run = {.argv = argv, .stdin_fd = -1, .stderr_fd = STDERR_FILENO};
	struct process p = PROCESS_INIT;
	struct finder f = {0};
	uint64_t start;
	size_t n = 0, i;
	int fds[2];

	/* The profile runs on the machine's own tree: there is none to hand over. */
	if (qemu_args_machine(&args, &opts, NULL, NULL, &e) || pipe(fds))
		bench_die("bare", &e);
	for (head = qemu_args_argv(&args); *head; head++)
		argv[n++] = *head;
	for (i = 0; i < ARRAY_SIZE(tail); i++)
		argv[n++] = tail[i];
	argv[n] = NULL;
	run.stdout_fd = fds[1];
	start = clock_ns();
	if (process_start(&p, &run, &e))
		bench_die("bare", &e);
	close(fds[1]);
	for (;;) {
		char block[4096];
		ssize_t got = read(fds[0], block, sizeof(block));

		if (got <= 0) {
			err_set(&e, EIO, "QEMU ended before the marker");
			bench_die("bare", &e);
		}
		if (find(&f, block, (size_t)got))
			break;
	}
	start = clock_ns() - start;
	process_stop(&p, 0);
	close(fds[0]);
	return start;
}

struct watched {
	struct finder finder;
	struct evidence_writer *evidence;
	struct judge *judge;
	struct session *session;
	sd_event *loop;
	uint64_t seen_ns;
};

static void on_event(const struct event *ev, void *arg)
{
	struct watched *w = arg;

	evidence_write(w->evidence, ev, NULL);
	judge_feed(w->judge, ev);
	if (!w->seen_ns && ev->type == EVENT_CONSOLE &&
	    find(&w->finder, ev->bytes.data, ev->bytes.len))
		w->seen_ns = clock_ns();
}

static bool is_settled(void *arg)
{
	struct watched *w = arg;

	return w->seen_ns || judge_settled(w->judge);
}

static void on_done(void *arg)
{
	struct watched *w = arg;

	sd_event_exit(w->loop, 0);
}

static uint64_t run_attempt(const struct rig *r, unsigned int number)
{
	const struct evidence_limits limits = EVIDENCE_LIMITS_DEFAULT;
	const struct judge_opts judge_opts = {.kind = r->bench.plan->jobs[0].kind};
	char *evidence __free(str) = xasprintf("%s/evidence.%u", r->bench.dir, number);
	char *scratch __free(str) = xasprintf("%s/scratch.%u", r->bench.dir, number);
	struct err e __free_err = ERR_INIT;
	struct watched w = {0};
	struct session_setup setup = {
		.job = &r->bench.plan->jobs[0],
		.attempt = 1,
		.a = prepared_a(r->bench.prepared, &r->bench.plan->jobs[0]),
		.b = prepared_b(r->bench.prepared, &r->bench.plan->jobs[0]),
		.scratch_dir = scratch,
		.time_factor = 2,
		.emit = on_event,
		.settled = is_settled,
		.done = on_done,
		.arg = &w,
	};
	uint64_t start = clock_ns();

	if (sd_event_new(&w.loop) < 0 || judge_new(r->rules, &judge_opts, &w.judge, &e) ||
	    evidence_create(evidence, &limits, &w.evidence, &e))
		bench_die("attempt", &e);
	setup.loop = w.loop;
	if (session_start(&setup, &w.session, &e))
		bench_die("attempt", &e);
	sd_event_loop(w.loop);
	session_free(w.session);
	evidence_close(w.evidence, NULL);
	judge_free(w.judge);
	sd_event_unref(w.loop);
	if (!w.seen_ns) {
		err_set(&e, EIO, "no marker; see %s", evidence);
		bench_die("attempt", &e);
	}
	return w.seen_ns - start;
}

static const char case_text[] = "name: bench\n"
				"machines: [{board: qemu-virt, ram: 2G, cpu: max, lpa2: off}]\n"
				"kernels: [debian-7.2.6-cloud]\n"
				"from: [minimal]\n"
				"to: [minimal]\n"
				"jumps: [cold]\n";

static void set_up(struct rig *r)
{
	struct diag diag __free_diag = DIAG_INIT;

	bench_init(&r->bench, case_text);
	if (rule_set_load(r->bench.paths->symptoms, &diag, &r->rules)) {
		diag_print(&diag, stderr);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	unsigned int pairs = argc > 1 ? (unsigned int)atoi(argv[1]) : 9, i;
	double *bare = xcalloc(pairs, sizeof(*bare)), *ours = xcalloc(pairs, sizeof(*ours));
	struct rig r = {0};
	double x, y;

	set_up(&r);
	for (i = 0; i < pairs; i++) {
		/* Which comes first alternates, so that neither has the warmer host. */
		if (i & 1)
			ours[i] = (double)run_attempt(&r, i) / 1e9;
		bare[i] = (double)run_bare(&r) / 1e9;
		if (!(i & 1))
			ours[i] = (double)run_attempt(&r, i) / 1e9;
		printf("pair %2u  bare %.3f s  kjump %.3f s\n", i + 1, bare[i], ours[i]);
		fflush(stdout);
	}
	x = bench_quantile(bare, pairs, 0.5);
	y = bench_quantile(ours, pairs, 0.5);
	printf("median   bare %.3f s  kjump %.3f s  ratio %.4f\n", x, y, y / x);
	rule_set_free(r.rules);
	bench_fini(&r.bench);
	free(bare);
	free(ours);
	return 0;
}
