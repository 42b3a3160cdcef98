// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-session.c - sessions over the fake machine, whose target is played here:
 * a shell, the agent in it, and the few commands that a session has it run.
 */
#include "test/test.h"

#include <systemd/sd-event.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "base/file.h"
#include "machine/machine_fake.h"
#include "run/base64.h"
#include "run/facts.h"
#include "run/session.h"

#define PATIENCE_US (20 * 1000000ULL)
#define ID_A	    "11111111-aaaa-4aaa-8aaa-111111111111"
#define ID_B	    "22222222-bbbb-4bbb-8bbb-222222222222"

/* What goes wrong. */
enum trouble {
	TROUBLE_NONE,
	TROUBLE_DEAF,	 /* A never answers, nor says anything */
	TROUBLE_WRONG_A, /* another profile than was asked for */
	TROUBLE_LOAD_FAILS,
	TROUBLE_NOT_LOADED,
	TROUBLE_BUSY,  /* three times, then it works */
	TROUBLE_STUCK, /* busy for good, and the kernel says why */
	TROUBLE_LOAD_HANGS,
	TROUBLE_NO_JUMP,   /* the command that leaves A returns */
	TROUBLE_LATE_JUMP, /* A answers once more before it goes */
	TROUBLE_HANG,	   /* nothing after the jump */
	TROUBLE_PANIC,
	TROUBLE_WRONG_B,
	TROUBLE_SAME_ROOT,     /* a pivot that did not move */
	TROUBLE_UNASKED_RESET, /* after the jump */
	TROUBLE_UNASKED_OFF,
	TROUBLE_DIES,
	TROUBLE_DIES_AT_START,
	TROUBLE_HANGUP,		/* the console is away for a moment */
	TROUBLE_GUEST_PANICKED, /* says the monitor */
};

enum mode { MODE_OFF, MODE_SHELL, MODE_PIECES, MODE_AGENT };

struct bench {
	/* The target. */
	struct machine *m;
	enum trouble trouble;
	enum mode mode;
	bool is_b;
	char tag[16], id[16], last[16];
	struct buf line, pieces, command;
	bool left, pivoted;
	unsigned int n_starts, n_loads;
	char *cmdline;
	bool with_dtb; /* of the last kexec -l */
	bool no_checks;
	/* The session. */
	sd_event *loop;
	struct session *session;
	bool freed;
	unsigned int n_done, n_events, n_infra, n_wrong;
	uint64_t last_ns;
	struct buf log, console, wrong, text;
	bool settled;
};

/* --- the target ----------------------------------------------------------- */

static void say(struct bench *b, const char *fmt, ...) __printf(2, 3);
static void say(struct bench *b, const char *fmt, ...)
{
	struct machine_fake_step step = {.action = FAKE_PRINT};
	char *text __free(str) = NULL;
	va_list ap;

	va_start(ap, fmt);
	assert_true(vasprintf(&text, fmt, ap) >= 0);
	va_end(ap);
	step.text = text;
	machine_fake_do(b->m, &step);
}

static void act(struct bench *b, enum machine_fake_action action, const char *text)
{
	const struct machine_fake_step step = {.action = action, .text = text};

	machine_fake_do(b->m, &step);
}

static void boot(struct bench *b, bool is_b)
{
	b->is_b = is_b;
	b->last[0] = b->id[0] = '\0';
	buf_reset(&b->line);
	b->mode = MODE_SHELL;
	say(b, "[    0.000000] Linux version 7.2.6\r\n");
	say(b, "kjump: userspace\r\n~ # ");
}

static void facts(struct bench *b, struct buf *out)
{
	const char *profile = b->is_b ? "to" : "from";

	if (b->trouble == TROUBLE_WRONG_A && !b->is_b)
		profile = "other";
	if (b->trouble == TROUBLE_WRONG_B && b->is_b)
		profile = "from";
	buf_addf(out, "release 7.2.6\ncmdline %s \nboot-id %s\nuptime %s 0.10\nprofile %s\n",
		 b->cmdline, b->is_b && !b->pivoted ? ID_B : ID_A, b->is_b ? "0.10" : "0.05",
		 profile);
	buf_addf(out, "root %s-root\ncpus 0\nroot-type rootfs\n", profile);
	if (b->is_b && b->trouble != TROUBLE_SAME_ROOT)
		buf_adds(out, "root-type tmpfs\n");
	buf_adds(out, "sh: a message that is no fact\ndevicetree\ngzip: no such file\n");
}

/* One of ours to be run; the exit status, or -1: it does not end. */
static int run(struct bench *b, const char *command, struct buf *out)
{
	if (!strcmp(command, facts_command)) {
		facts(b, out);
		return 0;
	}
	if (strstr(command, "cpio -idm")) {
		buf_adds(out, b->trouble == TROUBLE_LOAD_FAILS ? "cpio: bad magic\n" : "");
		return b->trouble == TROUBLE_LOAD_FAILS;
	}
	assert_non_null(strstr(command, "kexec --kexec-syscall -l /boot-b/linux"));
	b->n_loads++;
	b->with_dtb = strstr(command, "--dtb=/boot-b/dtb");
	b->no_checks = strstr(command, "--no-checks");
	free(b->cmdline);
	b->cmdline = xstrdup(strstr(command, "--command-line='") + 16);
	*strchr(b->cmdline, '\'') = '\0';
	switch ((int)b->trouble) {
	case TROUBLE_LOAD_HANGS:
		return -1;
	case TROUBLE_LOAD_FAILS:
		buf_adds(out, "Cannot load /boot-b/linux\n\x1b[31m");
		return 255;
	case TROUBLE_NOT_LOADED:
		buf_adds(out, "not loaded\n");
		return 1;
	case TROUBLE_BUSY:
		if (b->n_loads > 3)
			return 0;
		buf_adds(out, "kexec_load failed: Device or resource busy\n");
		return 255;
	case TROUBLE_STUCK:
		buf_adds(out,
			 "kexec_load failed: Device or resource busy\n[ 1.0] CPUs are stuck\n");
		return 255;
	}
	return 0;
}

static void leave(struct bench *b, const char *command)
{
	if (b->trouble == TROUBLE_NO_JUMP) {
		say(b, "Nothing has been loaded!\r\n");
		return;
	}
	b->left = true;
	if (b->trouble == TROUBLE_LATE_JUMP)
		return;
	b->mode = MODE_OFF;
	if (strstr(command, "kexec -e"))
		say(b, "[    9.000000] Bye!\r\n");
	switch ((int)b->trouble) {
	case TROUBLE_HANG:
		return;
	case TROUBLE_PANIC:
		say(b, "[    0.100000] Kernel panic - not syncing: test\r\n");
		say(b, "[    0.200000] ---[ end Kernel panic ]---\r\n");
		return;
	case TROUBLE_UNASKED_RESET:
		act(b, FAKE_GUEST_RESET, NULL);
		return;
	case TROUBLE_UNASKED_OFF:
		act(b, FAKE_OFF, NULL);
		return;
	case TROUBLE_DIES:
		act(b, FAKE_DIE, "killed by SIGKILL");
		return;
	case TROUBLE_HANGUP:
		act(b, FAKE_HANGUP, NULL);
		act(b, FAKE_BACK, NULL);
		break;
	case TROUBLE_GUEST_PANICKED:
		act(b, FAKE_NOTICE, "{\"event\": \"GUEST_PANICKED\"}");
		break;
	}
	if (!strcmp(command, "reboot -f")) {
		act(b, FAKE_GUEST_RESET, NULL);
		return;
	}
	b->pivoted = !strcmp(command, "exit");
	boot(b, true);
}

static void send_output(struct bench *b, int status, const struct buf *out)
{
	char hex[DIGEST_HEX_SIZE];
	size_t at;

	digest_of(out->data, out->len, hex);
	say(b, "%sb%s,%d,%zu,%.16s;\r\n", b->tag, b->id, status, out->len, hex);
	for (at = 0; at < out->len; at += 57) {
		struct buf line __free_buf = BUF_INIT;

		base64_encode(&line, out->data + at, out->len - at < 57 ? out->len - at : 57);
		say(b, "%sd%s,%zu,%s;\r\n", b->tag, b->id, at / 57 + 1, line.data);
	}
	say(b, "%se%s;\r\n", b->tag, b->id);
}

static void commit(struct bench *b, const char *line)
{
	struct buf command __free_buf = BUF_INIT, out __free_buf = BUF_INIT;
	int status;

	assert_int_equal(base64_decode(&command, b->command.data, b->command.len), 0);
	strcpy(b->last, b->id);
	say(b, "%sg%s;\r\n", b->tag, b->id);
	if (line[0] == 'l') {
		leave(b, command.data);
		return;
	}
	status = run(b, command.data, &out);
	if (status < 0)
		b->mode = MODE_OFF;
	else
		send_output(b, status, &out);
	if (b->left && b->trouble == TROUBLE_LATE_JUMP && !b->is_b)
		boot(b, true);
}

static void agent_line(struct bench *b, const char *line)
{
	char id[16] = "", word[16] = "";
	size_t offset = 0;
	int n = 0;

	if (sscanf(line, "%15s %15s %zu %n", word, id, &offset, &n) == 3 && word[0] == '+') {
		if (strcmp(id, b->id)) {
			strcpy(b->id, id);
			buf_reset(&b->command);
		}
		if (offset == b->command.len)
			buf_adds(&b->command, line + n);
	} else if (word[0] == 'r' || word[0] == 'l') {
		commit(b, line);
		return;
	} else if (!strcmp(word, "echo")) {
		b->mode = MODE_SHELL;
		say(b, "~ # ");
		return;
	}
	say(b, "%ss%s,%zu,%s;\r\n", b->tag, b->id, b->command.len, b->last);
}

static void shell_line(struct bench *b, const char *line)
{
	unsigned int number;
	char tag[16];

	if (sscanf(line, "echo %7sa$?,%u", tag, &number) == 2) {
		say(b, "%sa0,%u;\r\n", tag, number);
	} else if (!strncmp(line, " J=;", 4)) {
		assert_int_equal(sscanf(strstr(line, "echo "), "echo %7s", b->tag), 1);
		buf_reset(&b->pieces);
		b->mode = MODE_PIECES;
		say(b, "%sj0;\r\n", b->tag);
		return;
	}
	say(b, "~ # ");
}

static void on_line(struct bench *b, const char *line)
{
	switch (b->mode) {
	case MODE_OFF:
		break;
	case MODE_SHELL:
		shell_line(b, line);
		break;
	case MODE_PIECES:
		if (!strncmp(line, "e D=", 4)) {
			b->mode = MODE_AGENT;
			b->id[0] = b->last[0] = '\0';
			buf_reset(&b->command);
			say(b, "%sh;\r\n", b->tag);
			break;
		}
		buf_adds(&b->pieces, line);
		say(b, "%sj%zu;\r\n", b->tag, b->pieces.len);
		break;
	case MODE_AGENT:
		agent_line(b, line);
		break;
	}
}

static void on_typed(struct machine *m, const void *data, size_t len, void *arg)
{
	struct bench *b = arg;
	const char *p = data;
	size_t i;

	for (i = 0; i < len; i++) {
		if (b->mode != MODE_OFF)
			say(b, p[i] == '\n' ? "\r\n" : "%c", p[i]);
		if (p[i] == '\x15') {
			buf_reset(&b->line);
		} else if (p[i] != '\n') {
			buf_addch(&b->line, p[i]);
		} else {
			char *line __free(str) = buf_steal(&b->line);

			on_line(b, line);
		}
	}
}

static void on_started(struct machine *m, const struct machine_boot *boot_files, void *arg)
{
	struct bench *b = arg;

	b->m = m;
	b->n_starts++;
	assert_true(file_exists(boot_files->kernel));
	assert_true(file_exists(boot_files->initrd));
	free(b->cmdline);
	b->cmdline = xstrdup(boot_files->cmdline);
	if (b->trouble != TROUBLE_DEAF)
		boot(b, b->n_starts > 1);
}

/* --- the session ------------------------------------------------------------ */

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
		if (b->trouble == TROUBLE_PANIC && strstr(b->console.data, "Kernel panic"))
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
		break;
	case EVENT_CHECK:
		if (!ev->check.ok)
			buf_addf(&b->wrong, "%s ", ev->check.name);
		break;
	case EVENT_MACHINE:
		buf_addf(&b->log, "machine:%s ", machine_what_name(ev->machine.what));
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
	struct machine_fake_script script = {.started = on_started, .typed = on_typed, .arg = b};
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

	*b = (struct bench){.trouble = scene->trouble,
			    .line = BUF_INIT,
			    .pieces = BUF_INIT,
			    .command = BUF_INIT,
			    .log = BUF_INIT,
			    .console = BUF_INIT,
			    .wrong = BUF_INIT,
			    .text = BUF_INIT};
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
	buf_fini(&b->line);
	buf_fini(&b->pieces);
	buf_fini(&b->command);
	buf_fini(&b->log);
	buf_fini(&b->console);
	buf_fini(&b->wrong);
	buf_fini(&b->text);
	free(b->cmdline);
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
	assert_false(b.with_dtb);
	assert_true(b.no_checks);
	/* The attempt's token is what tells an old image from the one just loaded. */
	assert_string_equal(b.cmdline, "console=ttyAMA0 kjump=0123456789ab.7.b");
	bench_fini(&b);
	play(&b, SCENE(JUMP_KEXEC, TROUBLE_NONE, .kexec_checks = true));
	assert_false(b.no_checks);
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
	assert_int_equal(b.n_loads, 4);
	bench_fini(&b);
	play(&b, SCENE(JUMP_KEXEC, TROUBLE_STUCK));
	assert_string_equal(b.log.data, "power-on a-up a-proven load load-failed ");
	assert_int_equal(b.n_loads, 1);
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
