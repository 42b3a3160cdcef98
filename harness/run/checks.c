// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * checks.c - is what answers the system that was asked for?
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "run/steps.h"

/* What a fresh kernel's clock may be ahead of ours: it starts in its firmware. */
#define UPTIME_SLACK_MS 2000

static bool same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* The kernel's copy may end in blanks that no loader meant. */
static bool same_cmdline(const char *expected, const char *seen)
{
	size_t n, m;

	if (!seen)
		return false;
	n = strlen(expected);
	m = strlen(seen);
	while (n && expected[n - 1] == ' ')
		n--;
	while (m && seen[m - 1] == ' ')
		m--;
	return n == m && !memcmp(expected, seen, n);
}

static bool check_text(struct session *s, const char *name, const char *expected, const char *seen)
{
	bool ok = same(expected, seen);

	session_check(s, name, expected, seen, ok);
	return ok;
}

static void check_devicetree(struct session *s, const char *name, const struct buf *expected,
			     const struct buf *seen)
{
	struct buf diff __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	int rc;

	if (!expected->len)
		return;
	if (!seen->len) {
		session_check(s, name, "the tree asked for", "none", false);
		return;
	}
	rc = image_devicetree_compare(expected->data, expected->len, seen->data, seen->len, &diff,
				      &e);
	if (rc)
		session_check(s, name, "the tree asked for", err_msg(&e), false);
	else
		session_check(s, name, "the tree asked for", diff.len ? diff.data : "the same",
			      !diff.len);
}

static void check_cpus(struct session *s, const char *name, unsigned int seen)
{
	char *want_text __free(str) = xasprintf("%u", s->job->machine->cpus);
	char *seen_text __free(str) = xasprintf("%u", seen);

	check_text(s, name, want_text, seen_text);
}

static void check_boot_id(struct session *s)
{
	const char *a = s->facts_a.boot_id, *b = s->facts_b.boot_id;
	bool want_same = s->jump->same_kernel;
	char *expected __free(str) = xasprintf("%s%s", want_same ? "" : "not ", a ? a : "known");

	session_check(s, "boot-id", expected, b, a && b && same(a, b) == want_same);
}

static void check_uptime(struct session *s)
{
	uint64_t now = s->facts_b.uptime_ms, since = (clock_ns() - s->jump_ns) / NS_PER_MS;
	uint64_t bound = s->jump->same_kernel ? s->facts_a.uptime_ms : since + UPTIME_SLACK_MS;
	char *expected __free(str) = xasprintf(
		"%s %" PRIu64 " ms", s->jump->same_kernel ? "at least" : "at most", bound);
	char *seen __free(str) = xasprintf("%" PRIu64 " ms", now);
	bool known = now != UINT64_MAX && bound != UINT64_MAX;

	session_check(s, "uptime", expected, now == UINT64_MAX ? NULL : seen,
		      known && (s->jump->same_kernel ? now >= bound : now <= bound));
}

/* Of a pivot: a new file system lies on /, and it is the one that was unpacked. */
static void check_root(struct session *s)
{
	if (s->setup.b->root)
		check_text(s, "root", s->setup.b->root, s->facts_b.root);
	if (s->jump->same_kernel)
		check_text(s, "root-type", "tmpfs", s->facts_b.root_type);
}

bool session_check_a(struct session *s)
{
	const struct boot_files *a = s->setup.a;
	const struct facts *f = &s->facts_a;
	bool cmdline = same_cmdline(s->cmdline_a, f->cmdline);
	bool ok = check_text(s, "a.release", a->kernel->release, f->release);

	session_check(s, "a.cmdline", s->cmdline_a, f->cmdline, cmdline);
	ok = check_text(s, "a.profile", s->job->from->id, f->profile) && ok && cmdline;
	if (a->root)
		ok = check_text(s, "a.root", a->root, f->root) && ok;
	check_devicetree(s, "a.devicetree", &a->live_dtb, &f->devicetree);
	check_cpus(s, "a.cpus", f->cpus);
	return ok;
}

void session_check_b(struct session *s)
{
	const struct boot_files *b = s->setup.b;
	const struct facts *f = &s->facts_b;
	/* A pivot leaves kernel and device tree as they are. */
	const struct boot_files *kernel = s->jump->same_kernel ? s->setup.a : b;

	check_text(s, "release", kernel->kernel->release, f->release);
	session_check(s, "cmdline", s->cmdline_b, f->cmdline,
		      same_cmdline(s->cmdline_b, f->cmdline));
	check_text(s, "profile", s->job->to->id, f->profile);
	check_root(s);
	check_devicetree(s, "devicetree", &kernel->live_dtb, &f->devicetree);
	check_boot_id(s);
	check_uptime(s);
	check_cpus(s, "cpus", f->cpus);
}
