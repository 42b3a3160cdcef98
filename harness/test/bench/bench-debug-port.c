// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-debug-port - what a debug port costs a guest, and how long it stands for
 * what is read through it.
 *
 * The same boot up to the same line of the console, by turns: without a port,
 * with one that nobody attaches to, and with one through which a whole sample of
 * a CPU's registers is taken 20 times a second. Prints the medians and their
 * ratios, of wall time and of QEMU's CPU time, which a busy host disturbs less;
 * then how long samples and steps kept the guest halted.
 */
#include <errno.h>
#include <sys/resource.h>
#include <systemd/sd-event.h>

#include "base/clock.h"
#include "machine/machine.h"
#include "probe/cpu_state.h"
#include "test/bench/bench.h"

#define MARKER	    "kjump: userspace of profile"
#define KINDS	    3
#define EVERY_US    50000
#define STEPS	    64
#define PATIENCE_US (300 * 1000000ULL)
#define MAX_SAMPLES 4096

enum kind { WITHOUT, IDLE, SAMPLED };
static const char *const names[KINDS] = {"no port", "not attached", "sampled"};

static const char case_text[] = "name: bench\n"
				"machines: [{board: qemu-virt, ram: 2G, cpu: max, lpa2: off}]\n"
				"kernels: [debian-7.2.6-cloud]\n"
				"from: [minimal]\n"
				"to: [minimal]\n"
				"jumps: [cold]\n";

struct run {
	sd_event *loop;
	struct machine *machine;
	enum kind kind;
	struct buf console;
	uint64_t start_ns, seen_ns, halted_ns;
	sd_event_source *timer;
	double *samples; /* ms */
	size_t n_samples;
	bool attached, busy, down;
};

static void fail(const char *what)
{
	struct err e __free_err = ERR_INIT;

	err_set(&e, EIO, "%s", what);
	bench_die("bench", &e);
}

static void ask(struct run *r, struct debug_request q)
{
	q.arg = r;
	if (debug_submit(r->machine->debug, &q))
		fail("the port refuses a request");
}

static void check(const struct debug_reply *reply, void *arg)
{
	if (reply->error)
		fail(reply->text);
}

static void on_stands(const struct debug_reply *reply, void *arg)
{
	struct run *r = arg;

	check(reply, arg);
	r->halted_ns = clock_ns();
}

static void on_runs(const struct debug_reply *reply, void *arg)
{
	struct run *r = arg;

	check(reply, arg);
	/* Attaching reads the target's description, once: no sample. */
	if (r->attached && r->n_samples < MAX_SAMPLES)
		r->samples[r->n_samples++] = (double)(clock_ns() - r->halted_ns) / 1e6;
	r->attached = true;
	r->busy = false;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct run *r = userdata;

	sd_event_source_set_time_relative(source, EVERY_US);
	if (r->busy || r->seen_ns)
		return 0;
	r->busy = true;
	ask(r, (struct debug_request){.op = DEBUG_HALT, .done = on_stands});
	ask(r, (struct debug_request){.op = DEBUG_READ_REGISTERS,
				      .names = cpu_all_registers,
				      .n_names = CPU_N_ALL,
				      .done = check});
	ask(r, (struct debug_request){.op = DEBUG_RESUME, .done = on_runs});
	return 0;
}

static void on_up(void *arg)
{
	struct run *r = arg;

	if (r->kind != SAMPLED)
		return;
	if (sd_event_add_time_relative(r->loop, &r->timer, CLOCK_MONOTONIC, EVERY_US, 0, on_timer,
				       r) < 0 ||
	    sd_event_source_set_enabled(r->timer, SD_EVENT_ON) < 0)
		fail("no timer");
}

static void on_down(enum machine_down why, const char *text, void *arg)
{
	fail(text ? text : "the machine went down");
}

static void on_bytes(const void *data, size_t len, void *arg)
{
	struct run *r = arg;

	buf_add(&r->console, data, len);
	if (!r->seen_ns && memmem(r->console.data, r->console.len, MARKER, strlen(MARKER)))
		r->seen_ns = clock_ns();
}

static void turn(struct run *r)
{
	if (clock_ns() - r->start_ns > PATIENCE_US * 1000 || sd_event_run(r->loop, 1000000) < 0)
		fail("the guest does not answer");
}

/* How long 64 steps take, each with a reading of the core registers. */
static double time_steps(struct run *r)
{
	uint64_t start;
	unsigned int i;

	while (r->busy)
		turn(r);
	r->timer = sd_event_source_disable_unref(r->timer);
	r->busy = true;
	ask(r, (struct debug_request){.op = DEBUG_HALT, .done = on_stands});
	start = clock_ns();
	for (i = 0; i < STEPS; i++) {
		/* One that waits for an interrupt completes none; its time is a step's. */
		ask(r, (struct debug_request){.op = DEBUG_STEP});
		ask(r, (struct debug_request){.op = DEBUG_READ_REGISTERS,
					      .names = cpu_core_registers,
					      .n_names = CPU_N_CORE,
					      .done = check});
	}
	ask(r, (struct debug_request){.op = DEBUG_RESUME, .done = on_runs});
	while (r->busy)
		turn(r);
	return (double)(clock_ns() - (r->halted_ns > start ? r->halted_ns : start)) / 1e6;
}

/* Of all QEMUs that have ended. */
static double cpu_s(void)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static double boot(const struct bench *b, enum kind kind, double *samples, size_t *n_samples,
		   double *ret_steps_ms)
{
	const struct job *job = &b->plan->jobs[0];
	const struct boot_files *a = prepared_a(b->prepared, job);
	const struct machine_boot files = {
		.kernel = a->kernel->image, .initrd = a->initramfs, .cmdline = a->cmdline};
	struct run r = {.kind = kind, .console = BUF_INIT, .samples = samples};
	const struct machine_events events = {.up = on_up, .down = on_down, .arg = &r};
	const struct console_events console_events = {.bytes = on_bytes, .arg = &r};
	const struct debug_events debug_events = {.arg = &r};
	struct machine_opts opts = {.spec = job->machine};
	struct err e __free_err = ERR_INIT;

	if (sd_event_new(&r.loop) < 0)
		fail("no loop");
	opts.loop = r.loop;
	opts.debug_events = kind == WITHOUT ? NULL : &debug_events;
	r.n_samples = *n_samples;
	r.start_ns = clock_ns();
	if (machine_new(&opts, &events, &console_events, &r.machine, &e) ||
	    r.machine->ops->start(r.machine, &files, &e))
		bench_die("machine", &e);
	while (!r.seen_ns)
		turn(&r);
	if (kind == SAMPLED)
		*ret_steps_ms = time_steps(&r);
	*n_samples = r.n_samples;
	machine_free(r.machine);
	sd_event_unref(r.loop);
	buf_fini(&r.console);
	return (double)(r.seen_ns - r.start_ns) / 1e9;
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? (unsigned int)atoi(argv[1]) : 9, i, k;
	double *s[KINDS], *cpu[KINDS], *steps = xcalloc(rounds, sizeof(*steps)), median[KINDS],
				       cpu_median[KINDS];
	double *samples = xcalloc(MAX_SAMPLES, sizeof(*samples));
	size_t n_samples = 0;
	struct bench b = {0};

	bench_init(&b, case_text);
	for (k = 0; k < KINDS; k++) {
		s[k] = xcalloc(rounds, sizeof(**s));
		cpu[k] = xcalloc(rounds, sizeof(**cpu));
	}
	for (i = 0; i < rounds; i++) {
		/* Who comes first alternates, so that none has the warmer host. */
		for (k = 0; k < KINDS; k++) {
			enum kind kind = (i + k) % KINDS;

			cpu[kind][i] = -cpu_s();
			s[kind][i] = boot(&b, kind, samples, &n_samples, &steps[i]);
			cpu[kind][i] += cpu_s();
		}
		printf("round %2u  %s %.3f s  %s %.3f s  %s %.3f s\n", i + 1, names[0], s[0][i],
		       names[1], s[1][i], names[2], s[2][i]);
		fflush(stdout);
	}
	for (k = 0; k < KINDS; k++) {
		median[k] = bench_quantile(s[k], rounds, 0.5);
		cpu_median[k] = bench_quantile(cpu[k], rounds, 0.5);
	}
	printf("median    %s %.3f s  %s ratio %.4f  %s ratio %.4f\n", names[0], median[0], names[1],
	       median[1] / median[0], names[2], median[2] / median[0]);
	printf("QEMU CPU  %s %.3f s  %s ratio %.4f  %s ratio %.4f\n", names[0], cpu_median[0],
	       names[1], cpu_median[1] / cpu_median[0], names[2], cpu_median[2] / cpu_median[0]);
	printf("halted    a sample of %d registers: median %.2f ms, 99 %% %.2f ms, of %zu\n",
	       CPU_N_ALL, bench_quantile(samples, n_samples, 0.5),
	       bench_quantile(samples, n_samples, 0.99), n_samples);
	printf("halted    %d steps with %d registers each: median %.1f ms, of %u\n", STEPS,
	       CPU_N_CORE, bench_quantile(steps, rounds, 0.5), rounds);
	for (k = 0; k < KINDS; k++) {
		free(s[k]);
		free(cpu[k]);
	}
	free(steps);
	free(samples);
	bench_fini(&b);
	return 0;
}
