// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-judge.c - how fast the judge reads, beside `grep -E -c` with the same
 * patterns over the same bytes in the same run.
 *
 * The logs: an ordinary one (a boot, again and again), lines that say nothing,
 * lines that all match (and settle it, or do not) or almost, lines of two bytes, no line
 * end at all, nothing but terminal control, lines that all look wrapped, noise.
 * bench-judge-flood mixes such things in one long flood. Time is that of the
 * processor, so that neighbours count little.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/process.h"
#include "judge/judge.h"
#include "test/bench/grep_patterns.h"

#define LOG_BYTES   (64UL << 20)
#define CHUNK_BYTES 65536
#define ROUNDS	    3

static const char *const boot[] = {
	"[    0.000000] Booting Linux on physical CPU 0x0000000000 [0x410fd083]",
	"[    0.000000] Linux version 7.2.6 (builder@host) (gcc 14.2.0) #1 SMP PREEMPT",
	"[    0.000000] KASLR enabled",
	"[    0.000000] random: crng init done",
	"[    0.000000] efi: UEFI not found.",
	"[    0.000000]   DMA      [mem 0x0000000040000000-0x00000000bfffffff]",
	"[    0.000000] psci: PSCIv1.1 detected in firmware.",
	"[    0.000000] percpu: Embedded 31 pages/cpu s86248 r8192 d32536 u126976",
	"[    0.000000] Kernel command line: console=ttyAMA0 panic=-1",
	"[    0.045672] SLUB: HWalign=64, Order=0-3, MinObjects=0, CPUs=1, Nodes=1",
	"[    0.112233] rcu: Hierarchical RCU implementation.",
	"[    0.213001] GICv2m: range[mem 0x08020000-0x08020fff], SPI[80:143]",
	"[    0.334455] clocksource: arch_sys_counter: mask: 0x1ffffffffffffff max_cycles",
	"[    0.445566] smp: Brought up 1 node, 1 CPU",
	"[    0.556677] audit: type=2000 audit(0.324:1): state=initialized audit_enabled=0 res=1",
	"[    0.667788] pci_bus 0000:00: root bus resource [bus 00-ff]",
	"[    0.778899] tcp_listen_portaddr_hash hash table entries: 1024 (order: 2, 16384 bytes)",
	"[    0.889900] virtio_blk virtio1: [vda] 20971520 512-byte logical blocks (10.7 GB)",
	"[    1.001122] usbcore: registered new interface driver usbfs",
	"[    1.112233] input: gpio-keys as /devices/platform/gpio-keys/input/input0",
	"[    1.223344] Run /init as init process",
	"[  OK  ] Started systemd-journald.service - Journal Service.",
	"         Starting systemd-udevd.service - Rule-based Manager for Device Events...",
	"Jul 07 00:27:08 host systemd[1]: Mounted sys-kernel-config.mount.",
};

/* A log of LOG_BYTES made of @lines. */
static void repeat(struct buf *out, const char *const *lines, size_t n, const char *end)
{
	size_t i;

	for (i = 0; out->len < LOG_BYTES; i++) {
		buf_adds(out, lines[i % n]);
		buf_adds(out, end);
	}
	buf_truncate(out, LOG_BYTES);
}

static void make_ordinary(struct buf *out)
{
	repeat(out, boot, ARRAY_SIZE(boot), "\r\n");
}

static void make_dull(struct buf *out)
{
	static const char *const line[] = {"y and again y, for ever and ever, as yes would do it"};

	repeat(out, line, 1, "\n");
}

static void make_panics(struct buf *out)
{
	static const char *const lines[] = {
		"Unable to handle kernel paging request at virtual address ffff000000000000",
		"Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)",
		"WARNING: CPU: 0 PID: 1 at kernel/foo.c:12 foo+0x1/0x2",
		"pc : foo+0x1/0x2",
	};

	repeat(out, lines, ARRAY_SIZE(lines), "\n");
}

/* The same, and none of it settles anything. */
static void make_failures(struct buf *out)
{
	static const char *const lines[] = {
		"Unable to handle kernel paging request at virtual address ffff000000000000",
		"watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [x:1]",
		"WARNING: CPU: 0 PID: 1 at kernel/foo.c:12 foo+0x1/0x2",
		"pc : foo+0x1/0x2",
		" bar+0x10/0x20",
	};

	repeat(out, lines, ARRAY_SIZE(lines), "\n");
}

/* Each has the words that the filter looks for, none of them matches. */
static void make_almost(struct buf *out)
{
	static const char *const lines[] = {
		"WARNING: CPU: PID: at kernel/foo.c",
		"BUG: soft lockup - CPU#x stuck for s",
		"INFO: task blocked for more than seconds",
		"Internal error: Oops without an end",
		"Unable to handle kernel anything at virtual address 0",
		"rcu: INFO: rcu_preempt detected stall on no CPU",
	};

	repeat(out, lines, ARRAY_SIZE(lines), "\n");
}

static void make_short(struct buf *out)
{
	static const char *const line[] = {"y"};

	repeat(out, line, 1, "\n");
}

static void make_endless(struct buf *out)
{
	static const char *const line[] = {"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"};

	repeat(out, line, 1, "");
}

static void make_control(struct buf *out)
{
	static const char *const line[] = {"\x1b[0;32m\x1b[2K\b\x1b]0;t\x07"};

	repeat(out, line, 1, "");
}

static void make_wrapped(struct buf *out)
{
	static const char *const line[] = {
		"0123456789 23456789 123456789 123456789 123456789 123456789 123456789 1234567890"};

	repeat(out, line, 1, "\n");
}

/* Bytes of any value. The same ones each time (xorshift). */
static void make_noise(struct buf *out)
{
	uint64_t x = 88172645463325252;

	while (out->len < LOG_BYTES) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		buf_add(out, &x, sizeof(x));
	}
}

static const struct log {
	const char *name;
	void (*make)(struct buf *out);
} logs[] = {
	{"ordinary", make_ordinary}, {"dull", make_dull},	{"panics", make_panics},
	{"failures", make_failures}, {"short", make_short},	{"endless", make_endless},
	{"control", make_control},   {"wrapped", make_wrapped}, {"noise", make_noise},
	{"almost", make_almost},
};

static double cpu_seconds(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void feed(struct judge *j, const struct buf *log)
{
	struct event ev = {.type = EVENT_CONSOLE};
	size_t i;

	for (i = 0; i < log->len; i += CHUNK_BYTES) {
		ev.bytes.data = log->data + i;
		ev.bytes.len = log->len - i < CHUNK_BYTES ? log->len - i : CHUNK_BYTES;
		judge_feed(j, &ev);
	}
}

static double judge_seconds(const struct rule_set *rules, const struct buf *log)
{
	const struct judge_opts opts = {.bare = true};
	struct judge *j = NULL;
	double start;

	if (judge_new(rules, &opts, &j, NULL))
		exit(1);
	start = cpu_seconds(RUSAGE_SELF);
	feed(j, log);
	verdict_free(judge_finish(j));
	judge_free(j);
	return cpu_seconds(RUSAGE_SELF) - start;
}

/* Into a file: grep stops at the first match when its output goes to /dev/null. */
static double grep_seconds(const char *patterns, const char *log, int out)
{
	const char *const argv[] = {"env", "LC_ALL=C", "grep",	 "-a", "-E",
				    "-c",  "-f",       patterns, log,  NULL};
	struct process_opts opts = {.argv = argv, .stdin_fd = -1, .stdout_fd = out, .stderr_fd = 2};
	struct process p = PROCESS_INIT;
	double start = cpu_seconds(RUSAGE_CHILDREN);
	int status;

	if (process_start(&p, &opts, NULL) || process_wait(&p, 600 * NS_PER_S, &status) ||
	    WEXITSTATUS(status) > 1)
		exit(1);
	return cpu_seconds(RUSAGE_CHILDREN) - start;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2];
}

static void bench(const struct rule_set *rules, const struct log *l, const char *dir)
{
	char *path __free(str) = file_join(dir, "log");
	char *patterns __free(str) = file_join(dir, "patterns");
	int out __free(fd) = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	struct buf log __free_buf = BUF_INIT;
	double ours[ROUNDS], theirs[ROUNDS], mb = LOG_BYTES / 1e6;
	size_t i;

	l->make(&log);
	if (file_write(path, log.data, log.len, NULL))
		exit(1);
	for (i = 0; i < ROUNDS; i++) {
		ours[i] = judge_seconds(rules, &log);
		theirs[i] = grep_seconds(patterns, path, out);
	}
	printf("%-10s judge %7.0f MB/s   grep -E %7.0f MB/s   ratio %6.1f\n", l->name,
	       mb / median(ours, ROUNDS), mb / median(theirs, ROUNDS),
	       median(theirs, ROUNDS) / median(ours, ROUNDS));
	fflush(stdout);
}

static bool is_chosen(const struct log *l, char **names)
{
	char **name;

	for (name = names; *name; name++)
		if (!strcmp(*name, l->name))
			return true;
	return !*names;
}

/* Arguments: names of the logs to read; none: all of them. */
int main(int argc, char **argv)
{
	char dir[] = "/tmp/kjump-bench-XXXXXX";
	char *patterns __free(str) = NULL;
	struct diag diag __free_diag = DIAG_INIT;
	struct rule_set *rules __free(rule_set) = NULL;
	size_t i;

	if (rule_set_load("cases/symptoms.yaml", &diag, &rules) || !mkdtemp(dir)) {
		diag_print(&diag, stderr);
		return 1;
	}
	patterns = file_join(dir, "patterns");
	printf("%zu rules, %zu of them as grep can say them; %lu MB a log, median of %d\n",
	       rules->n, grep_write_patterns(rules, patterns), LOG_BYTES >> 20, ROUNDS);
	for (i = 0; i < ARRAY_SIZE(logs); i++)
		if (is_chosen(&logs[i], argv + 1))
			bench(rules, &logs[i], dir);
	return file_remove_tree(dir, NULL) ? 1 : 0;
}
