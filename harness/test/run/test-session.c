// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-session.c - sessions over the fake machine.
 */
#include "test/test.h"

#include <systemd/sd-event.h>

#include "run/session.h"
#include "test/run/fake_target.h"

#define PATIENCE_US (20 * 1000000ULL)

struct bench {
	struct target target;
	sd_event *loop;
	struct session *session;
	bool freed;
	unsigned int n_done, n_events, n_infra, n_wrong;
	uint64_t last_ns;
	struct buf log, console, wrong, text;
	bool settled;
};

static void on_event(const struct event *ev, void *arg)
{
	struct bench *b = arg;

	assert_int_equal(b->n_done, 0);
	assert_true(ev->t_ns >= b->last_ns);
	b->last_ns = ev->t_ns;
	b->n_events++;
	switch (ev->type) {
	case EVENT_CONSOLE:
		buf_add(&b->console, ev->bytes.data, ev->bytes.len);
		if (b->target.trouble == TROUBLE_PANIC && strstr(b->console.data, "Kernel panic"))
			b->settled = true;
		break;
	case EVENT_INPUT:
		break;
	case EVENT_GAP:
		buf_adds(&b->log, "gap ");
		break;
	case EVENT_MARK:
		buf_addf(&b->log, "%s ", mark_name(ev->mark.mark));
		if (ev->mark.mark == MARK_LOAD_FAILED)
			buf_adds(&b->text, ev->mark.text);
		break;
	case EVENT_COMMAND:
	case EVENT_FRAME:
	case EVENT_SIGNAL:
		break;
	case EVENT_CHECK:
		if (!ev->check.ok)
			buf_addf(&b->wrong, "%s ", ev->check.name);
		break;
	case EVENT_MACHINE:
		buf_addf(&b->log, "machine:%s ", machine_what_name(ev->machine.what));
		break;
	case EVENT_PROBE:
		buf_addf(&b->log, "probe:%s ", probe_what_name(ev->probe.what));
		break;
	case EVENT_LIMIT:
		buf_addf(&b->log, "limit:%s ", ev->limit.what);
		break;
	case EVENT_INFRA:
		b->n_infra++;
		buf_adds(&b->log, "infra ");
		buf_adds(&b->text, ev->infra.text);
		break;
	}
}

static bool is_settled(void *arg)
{
	return ((struct bench *)arg)->settled;
}

static void on_done(void *arg)
{
	struct bench *b = arg;

	assert_int_equal(b->n_done, 0);
	b->n_done++;
	if (b->n_events % 2) { /* legal in done, and later, too */
		session_free(b->session);
		b->freed = true;
	}
}

static const struct job base_job = {
	.id = "0123456789ab",
	.limits = {200000, 200000, 200000, 200000, 200000},
};

struct scene {
	enum jump_kind kind;
	enum trouble trouble;
	struct limits limits; /* zeroes: long ones */
	const char *dtb;      /* of B */
	bool kexec_checks;
	double time_factor; /* 0: 0.05 */
	int cancel_after;   /* turns of the loop, counted from 1; 0: never */
};

static void play(struct bench *b, const struct scene *scene)
{
	static struct machine_spec machine = {
		.name = (char *)"test", .board = (char *)"fake", .cpus = 1};
	static const struct profile from = {.id = (char *)"from"}, to = {.id = (char *)"to"};
	char dir[] = "/tmp/kjump-session-XXXXXX";
	char *file __free(str) = NULL, *scratch __free(str) = NULL;
	struct kernel_files kernel = {.release = (char *)"7.2.6"};
	struct boot_files files_a = {.kernel = &kernel,
				     .cmdline = (char *)"console=ttyAMA0",
				     .root = (char *)"from-root",
				     .dtb = BUF_INIT,
				     .live_dtb = BUF_INIT};
	struct boot_files files_b = files_a;
	struct machine_fake_script script = {
		.started = target_started, .typed = target_typed, .arg = &b->target};
	struct job job = base_job;
	struct session_setup setup = {.job = &job,
				      .attempt = 7,
				      .a = &files_a,
				      .b = &files_b,
				      .time_factor =
					      scene->time_factor > 0 ? scene->time_factor : 0.05,
				      .emit = on_event,
				      .settled = is_settled,
				      .done = on_done,
				      .arg = b};
	struct err e __free_err = ERR_INIT;
	int turns = 0;

	*b = (struct bench){
		.log = BUF_INIT, .console = BUF_INIT, .wrong = BUF_INIT, .text = BUF_INIT};
	target_init(&b->target, scene->trouble);
	assert_non_null(mkdtemp(dir));
	file = file_join(dir, "file");
	scratch = file_join(dir, "scratch");
	assert_int_equal(file_write(file, "0123", 4, NULL), 0);
	kernel.image = files_a.initramfs = files_b.initramfs = file;
	files_b.root = (char *)"to-root";
	if (scene->dtb)
		buf_adds(&files_b.dtb, scene->dtb);
	job.machine = &machine;
	job.from = &from;
	job.to = &to;
	job.kind = scene->kind;
	job.kexec_checks = scene->kexec_checks;
	if (scene->limits.boot_ms)
		job.limits = scene->limits;
	if (scene->trouble == TROUBLE_DIES_AT_START)
		script.start = FAKE_START_DIES;
	machine_fake_set_default_script(&script);
	assert_true(sd_event_new(&b->loop) >= 0);
	setup.loop = b->loop;
	setup.scratch_dir = scratch;
	if (session_start(&setup, &b->session, &e))
		fail_msg("%s", err_msg(&e));
	assert_int_equal(b->n_events, 0);
	while (!b->n_done) {
		if (++turns == scene->cancel_after) {
			session_cancel(b->session, "interrupted");
			session_cancel(b->session, "and once more");
		}
		assert_true(sd_event_run(b->loop, PATIENCE_US) > 0);
	}
	/* Nothing comes after done. */
	while (sd_event_run(b->loop, 0) > 0)
		;
	assert_false(file_exists(scratch));
	if (!b->freed)
		session_free(b->session);
	sd_event_unref(b->loop);
	machine_fake_set_default_script(NULL);
	assert_int_equal(file_remove_tree(dir, NULL), 0);
	buf_fini(&files_b.dtb);
}

static void bench_fini(struct bench *b)
{
	target_fini(&b->target);
	buf_fini(&b->log);
	buf_fini(&b->console);
	buf_fini(&b->wrong);
	buf_fini(&b->text);
}

#define KEXEC_OK "power-on a-up a-proven load loaded jump b-up b-proven "

/* Plays a scene and compares marks, limits, infra and machine events, and failed checks. */
static void expect(const struct scene *scene, const char *log, const char *wrong, const char *text)
{
	struct bench b;

	play(&b, scene);
	assert_string_equal(b.log.data, log);
	assert_string_equal(b.wrong.data, wrong);
	if (!strstr(b.text.data, text))
		fail_msg("'%s' is not in '%s'", text, b.text.data);
	bench_fini(&b);
}

#define SCENE(kind_, trouble_, ...) \
	(&(const struct scene){.kind = kind_, .trouble = trouble_, __VA_ARGS__})

static void test_every_kind(void **state)
{
	expect(SCENE(JUMP_KEXEC, TROUBLE_NONE), KEXEC_OK, "", "");
	expect(SCENE(JUMP_PIVOT, TROUBLE_NONE), KEXEC_OK, "", "");
	expect(SCENE(JUMP_REBOOT, TROUBLE_NONE),
	       "power-on a-up a-proven jump power-off b-power-on b-up b-proven ", "", "");
	expect(SCENE(JUMP_COLD, TROUBLE_NONE),
	       "power-on a-up a-proven jump power-off b-power-on b-up b-proven ", "", "");
}

static void test_kexec_options(void **state)
{
	struct bench b;

	play(&b, SCENE(JUMP_KEXEC, TROUBLE_NONE));
	assert_false(b.target.with_dtb);
	assert_true(b.target.no_checks);
	/* The attempt's token is what tells an old image from the one just loaded. */
	assert_string_equal(b.target.cmdline, "console=ttyAMA0 kjump=0123456789ab.7.b");
	bench_fini(&b);
	play(&b, SCENE(JUMP_KEXEC, TROUBLE_NONE, .kexec_checks = true));
	assert_false(b.target.no_checks);
	bench_fini(&b);
}

static void test_load_fails(void **state)
{
	const char *log = "power-on a-up a-proven load load-failed ";

	expect(SCENE(JUMP_KEXEC, TROUBLE_LOAD_FAILS), log, "",
	       "exit status 255: Cannot load /boot-b/linux\\x0a\\x1b[31m");
	expect(SCENE(JUMP_KEXEC, TROUBLE_NOT_LOADED), log, "", "not loaded");
	expect(SCENE(JUMP_PIVOT, TROUBLE_LOAD_FAILS), log, "", "cpio: bad magic");
	/* Refused before it is tried: the new kernel would die without a word. */
	expect(SCENE(JUMP_KEXEC, TROUBLE_NONE, .dtb = "no tree"), log, "", "memory node");
}

static void test_busy(void **state)
{
	struct bench b;

	play(&b, SCENE(JUMP_KEXEC, TROUBLE_BUSY));
	assert_string_equal(b.log.data, KEXEC_OK);
	assert_int_equal(b.target.n_loads, 4);
	bench_fini(&b);
	play(&b, SCENE(JUMP_KEXEC, TROUBLE_STUCK));
	assert_string_equal(b.log.data, "power-on a-up a-proven load load-failed ");
	assert_int_equal(b.target.n_loads, 1);
	assert_non_null(strstr(b.text.data, "CPUs are stuck"));
	bench_fini(&b);
}

static void test_limits(void **state)
{
	const struct limits short_boot = {4000, 200000, 200000, 200000, 200000};
	const struct limits short_silence = {200000, 200000, 200000, 16000, 200000};
	const struct limits short_load = {200000, 4000, 200000, 200000, 200000};
	const struct limits short_jump = {200000, 200000, 4000, 200000, 200000};
	const struct limits short_shutdown = {200000, 200000, 200000, 200000, 4000};

	expect(SCENE(JUMP_KEXEC, TROUBLE_DEAF, .limits = short_boot), "power-on limit:boot ", "",
	       "");
	expect(SCENE(JUMP_KEXEC, TROUBLE_DEAF, .limits = short_silence), "power-on limit:silence ",
	       "", "");
	expect(SCENE(JUMP_KEXEC, TROUBLE_LOAD_HANGS, .limits = short_load),
	       "power-on a-up a-proven load limit:load ", "", "");
	expect(SCENE(JUMP_KEXEC, TROUBLE_HANG, .limits = short_jump),
	       "power-on a-up a-proven load loaded jump limit:jump ", "", "");
	expect(SCENE(JUMP_KEXEC, TROUBLE_HANG, .limits = short_silence),
	       "power-on a-up a-proven load loaded jump limit:silence ", "", "");
	expect(SCENE(JUMP_REBOOT, TROUBLE_HANG, .limits = short_shutdown),
	       "power-on a-up a-proven jump limit:shutdown ", "", "");
}

static void test_panic_settles(void **state)
{
	struct bench b;

	play(&b, SCENE(JUMP_KEXEC, TROUBLE_PANIC));
	assert_string_equal(b.log.data, "power-on a-up a-proven load loaded jump ");
	/* What came after the judge had seen enough is kept, too. */
	assert_non_null(strstr(b.console.data, "---[ end Kernel panic ]---"));
	bench_fini(&b);
	expect(SCENE(JUMP_KEXEC, TROUBLE_GUEST_PANICKED),
	       "power-on a-up a-proven load loaded jump machine:qmp machine:panic b-up b-proven ",
	       "", "");
}

static void test_wrong_systems(void **state)
{
	expect(SCENE(JUMP_KEXEC, TROUBLE_WRONG_A), "power-on a-up infra ", "a.profile a.root ",
	       "not the A that was asked for");
	expect(SCENE(JUMP_KEXEC, TROUBLE_WRONG_B), KEXEC_OK, "profile root ", "");
	/* A goes on answering: that is looked at again for a while, and then is the outcome. */
	expect(SCENE(JUMP_KEXEC, TROUBLE_NO_JUMP), KEXEC_OK, "profile root boot-id ", "");
	expect(SCENE(JUMP_KEXEC, TROUBLE_LATE_JUMP, .time_factor = 1.0), KEXEC_OK, "", "");
	expect(SCENE(JUMP_PIVOT, TROUBLE_SAME_ROOT), KEXEC_OK, "root-type ", "");
}

static void test_machine_goes_down(void **state)
{
	const char *jumped = "power-on a-up a-proven load loaded jump ";
	char log[200];

	snprintf(log, sizeof(log), "%smachine:reset ", jumped);
	expect(SCENE(JUMP_KEXEC, TROUBLE_UNASKED_RESET), log, "", "");
	snprintf(log, sizeof(log), "%smachine:shutdown ", jumped);
	expect(SCENE(JUMP_KEXEC, TROUBLE_UNASKED_OFF), log, "", "");
	snprintf(log, sizeof(log), "%smachine:died infra ", jumped);
	expect(SCENE(JUMP_KEXEC, TROUBLE_DIES), log, "", "killed by SIGKILL");
	expect(SCENE(JUMP_KEXEC, TROUBLE_DIES_AT_START), "machine:died infra ", "", "");
	/* A reboot that powers off is no reboot. */
	expect(SCENE(JUMP_REBOOT, TROUBLE_UNASKED_OFF),
	       "power-on a-up a-proven jump machine:shutdown ", "", "");
}

static void test_console_hangs_up(void **state)
{
	expect(SCENE(JUMP_KEXEC, TROUBLE_HANGUP),
	       "power-on a-up a-proven load loaded jump gap b-up b-proven ", "", "");
}

static void test_cancel_at_each_step(void **state)
{
	static const enum jump_kind kinds[] = {JUMP_KEXEC, JUMP_PIVOT, JUMP_REBOOT, JUMP_COLD};
	size_t i;

	for (i = 0; i < 4; i++) {
		int turns = 1 + (int)i * 300;
		bool cancelled = true;

		while (cancelled) {
			struct bench b;

			play(&b, SCENE(kinds[i], TROUBLE_NONE, .cancel_after = turns));
			assert_int_equal(b.n_done, 1);
			assert_true(b.n_infra <= 1);
			cancelled = b.n_infra;
			if (cancelled)
				assert_string_equal(b.text.data, "interrupted");
			bench_fini(&b);
			turns += 1201;
		}
		assert_true(turns > 200);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_kind),	 cmocka_unit_test(test_kexec_options),
		cmocka_unit_test(test_load_fails),	 cmocka_unit_test(test_busy),
		cmocka_unit_test(test_limits),		 cmocka_unit_test(test_panic_settles),
		cmocka_unit_test(test_wrong_systems),	 cmocka_unit_test(test_machine_goes_down),
		cmocka_unit_test(test_console_hangs_up), cmocka_unit_test(test_cancel_at_each_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
