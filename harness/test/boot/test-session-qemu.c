// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-session-qemu.c - every kind of jump, really: QEMU and a Debian kernel.
 *
 * What is fetched stays in the cache, so that a second run is quick.
 */
#include "test/test.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "machine/machine.h"
#include "run/prepare.h"
#include "run/session.h"
#include "test/boot/kernels.h"

#define PATIENCE_US (300 * 1000000ULL)

static struct kernel_spec kernel = KERNEL_LATEST;

static struct machine_spec machine = {.name = (char *)"max-2G",
				      .board = (char *)"qemu-virt",
				      .ram_bytes = 2ULL << 30,
				      .cpu = (char *)"max",
				      .cpus = 1};

static char *no_graphics[] = {(char *)"no-graphics.dtbo"};
static struct profile profile_a = {.id = (char *)"minimal",
				   .options = (char *)"console=ttyAMA0 panic=-1"};
static struct profile profile_b = {.id = (char *)"no-graphics",
				   .options =
					   (char *)"console=ttyAMA0 panic=-1 dyndbg=\"file x +p\"",
				   .overlays = no_graphics,
				   .n_overlays = 1};

struct bench {
	sd_event *loop;
	bool done;
	bool marks[MARK_B_PROVEN + 1];
	unsigned int n_checks, n_wrong, n_infra, n_limits;
	uint64_t last_mark_ns;
};

static void on_event(const struct event *ev, void *arg)
{
	struct bench *b = arg;

	switch (ev->type) {
	case EVENT_CONSOLE:
		if (getenv("KJUMP_TEST_VERBOSE"))
			fwrite(ev->bytes.data, 1, ev->bytes.len, stdout);
		break;
	case EVENT_MARK:
		b->marks[ev->mark.mark] = true;
		printf("%7.3f s (+%.3f) %s %s\n", (double)ev->t_ns / 1e9,
		       (double)(ev->t_ns - b->last_mark_ns) / 1e9, mark_name(ev->mark.mark),
		       ev->mark.text ? ev->mark.text : "");
		b->last_mark_ns = ev->t_ns;
		break;
	case EVENT_CHECK:
		b->n_checks++;
		b->n_wrong += !ev->check.ok;
		printf("  %s %s: '%s', asked for '%s'\n", ev->check.ok ? "ok" : "WRONG",
		       ev->check.name, ev->check.seen ? ev->check.seen : "(nothing)",
		       ev->check.expected);
		break;
	case EVENT_COMMAND:
		printf("%7.3f s command, %.3f s, status %d\n", (double)ev->t_ns / 1e9,
		       (double)ev->command.duration_ns / 1e9, ev->command.status);
		break;
	case EVENT_INFRA:
		b->n_infra++;
		printf("infra: %s\n", ev->infra.text);
		break;
	case EVENT_LIMIT:
		b->n_limits++;
		printf("limit: %s\n", ev->limit.what);
		break;
	case EVENT_MACHINE:
		printf("machine: %s %s\n", machine_what_name(ev->machine.what),
		       ev->machine.text ? ev->machine.text : "");
		break;
	case EVENT_INPUT:
		if (getenv("KJUMP_TEST_VERBOSE"))
			printf("<<%.*s>>", (int)ev->bytes.len, (const char *)ev->bytes.data);
		break;
	case EVENT_PROBE:
		printf("%7.3f s machine state %s: %s\n%s\n", (double)ev->t_ns / 1e9,
		       probe_what_name(ev->probe.what), ev->probe.title,
		       ev->probe.text ? ev->probe.text : "");
		break;
	case EVENT_GAP:
	case EVENT_FRAME:
	case EVENT_SIGNAL:
		break;
	}
}

static bool never_settled(void *arg)
{
	return false;
}

static void on_done(void *arg)
{
	struct bench *b = arg;

	assert_false(b->done);
	b->done = true;
}

static void jump(enum jump_kind kind, enum dt_source dt, struct bench *b)
{
	struct job job = {
		.id = "0123456789ab",
		.machine = &machine,
		.from_kernel = &kernel,
		.to_kernel = &kernel,
		.from = &profile_a,
		.to = &profile_b,
		.kind = kind,
		.dt = dt,
		.limits = {180000, 120000, 180000, 120000, 60000},
		.title = (char *)"a test",
	};
	const struct plan plan = {.jobs = &job, .n_jobs = 1};
	const struct image_opts image_opts = {
		.images_dir = "images", .dt_dir = "build/dt", .userland_suite = "trixie"};
	struct image_ctx *images __free(image_ctx) = NULL;
	struct prepared *prepared __free(prepared) = NULL;
	struct err e __free_err = ERR_INIT;
	char scratch[] = "/tmp/kjump-session-XXXXXX";
	struct session_setup setup = {
		.job = &job,
		.attempt = 1,
		.scratch_dir = mkdtemp(scratch),
		.time_factor = 1.0,
		.emit = on_event,
		.settled = never_settled,
		.done = on_done,
		.arg = b,
	};
	struct session *s = NULL;
	uint64_t start = clock_ns();

	*b = (struct bench){0};
	if (image_ctx_new(&image_opts, &images, &e))
		fail_msg("%s", err_msg(&e));
	prepared = prepare(&(struct prepare_opts){.images = images, .plan = &plan});
	if (prepared_error(prepared, &job))
		fail_msg("%s", prepared_error(prepared, &job));
	printf("%s: prepared in %.3f s\n", jump_kind_name(kind),
	       (double)(clock_ns() - start) / 1e9);
	assert_true(sd_event_new(&b->loop) >= 0);
	setup.loop = b->loop;
	setup.a = prepared_a(prepared, &job);
	setup.b = prepared_b(prepared, &job);
	start = clock_ns();
	if (session_start(&setup, &s, &e))
		fail_msg("%s", err_msg(&e));
	printf("session started in %.3f s\n", (double)(clock_ns() - start) / 1e9);
	while (!b->done)
		assert_true(sd_event_run(b->loop, PATIENCE_US) > 0);
	printf("all: %.3f s\n", (double)(clock_ns() - start) / 1e9);
	session_free(s);
	sd_event_unref(b->loop);
	assert_false(file_exists(scratch));
}

static void assert_jumped(const struct bench *b)
{
	assert_int_equal(b->n_infra, 0);
	assert_int_equal(b->n_limits, 0);
	assert_true(b->marks[MARK_A_PROVEN]);
	assert_true(b->marks[MARK_JUMP]);
	assert_true(b->marks[MARK_B_PROVEN]);
	assert_true(b->n_checks >= 12);
	assert_int_equal(b->n_wrong, 0);
}

static void test_kexec(void **state)
{
	struct bench b;

	jump(JUMP_KEXEC, DT_PROFILE, &b);
	assert_jumped(&b);
}

static void test_kexec_live_tree(void **state)
{
	struct bench b;

	jump(JUMP_KEXEC, DT_LIVE, &b);
	assert_jumped(&b);
}

static void test_pivot(void **state)
{
	struct bench b;

	jump(JUMP_PIVOT, DT_PROFILE, &b);
	assert_jumped(&b);
}

static void test_reboot(void **state)
{
	struct bench b;

	jump(JUMP_REBOOT, DT_PROFILE, &b);
	assert_jumped(&b);
	assert_true(b.marks[MARK_POWER_OFF] && b.marks[MARK_B_POWER_ON]);
}

static void test_cold(void **state)
{
	struct bench b;

	jump(JUMP_COLD, DT_PROFILE, &b);
	assert_jumped(&b);
	assert_true(b.marks[MARK_POWER_OFF] && b.marks[MARK_B_POWER_ON]);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kexec), cmocka_unit_test(test_kexec_live_tree),
		cmocka_unit_test(test_pivot), cmocka_unit_test(test_reboot),
		cmocka_unit_test(test_cold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
