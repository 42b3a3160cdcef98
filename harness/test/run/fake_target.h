/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake_target.h - what a session meets behind a fake machine's console: a
 * shell, the agent in it, and the few commands that a session has it run.
 */
#ifndef KJUMP_TEST_RUN_FAKE_TARGET_H
#define KJUMP_TEST_RUN_FAKE_TARGET_H

#include "base/alloc.h"
#include "base/digest.h"
#include "base/file.h"
#include "machine/machine_fake.h"
#include "base/base64.h"
#include "run/facts.h"

#define ID_A "11111111-aaaa-4aaa-8aaa-111111111111"
#define ID_B "22222222-bbbb-4bbb-8bbb-222222222222"

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

/* Starts as all zeroes but for trouble and the buffers. */
struct target {
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
};

static void target_say(struct target *t, const char *fmt, ...) __printf(2, 3);
static void target_say(struct target *t, const char *fmt, ...)
{
	struct machine_fake_step step = {.action = FAKE_PRINT};
	char *text __free(str) = NULL;
	va_list ap;

	va_start(ap, fmt);
	assert_true(vasprintf(&text, fmt, ap) >= 0);
	va_end(ap);
	step.text = text;
	machine_fake_do(t->m, &step);
}

static void target_act(struct target *t, enum machine_fake_action action, const char *text)
{
	const struct machine_fake_step step = {.action = action, .text = text};

	machine_fake_do(t->m, &step);
}

static void target_boot(struct target *t, bool is_b)
{
	t->is_b = is_b;
	t->last[0] = t->id[0] = '\0';
	buf_reset(&t->line);
	t->mode = MODE_SHELL;
	target_say(t, "[    0.000000] Linux version 7.2.6\r\n");
	target_say(t, "kjump: userspace\r\n~ # ");
}

static void target_facts(struct target *t, struct buf *out)
{
	const char *profile = t->is_b ? "to" : "from";

	if (t->trouble == TROUBLE_WRONG_A && !t->is_b)
		profile = "other";
	if (t->trouble == TROUBLE_WRONG_B && t->is_b)
		profile = "from";
	buf_addf(out, "release 7.2.6\ncmdline %s \nboot-id %s\nuptime %s 0.10\nprofile %s\n",
		 t->cmdline, t->is_b && !t->pivoted ? ID_B : ID_A, t->is_b ? "0.10" : "0.05",
		 profile);
	buf_addf(out, "root %s-root\ncpus 0\nroot-type rootfs\n", profile);
	if (t->is_b && t->trouble != TROUBLE_SAME_ROOT)
		buf_adds(out, "root-type tmpfs\n");
	buf_adds(out, "sh: a message that is no fact\ndevicetree\ngzip: no such file\n");
}

/* One of ours to be run; the exit status, or -1: it does not end. */
static int target_run(struct target *t, const char *command, struct buf *out)
{
	if (!strcmp(command, facts_command)) {
		target_facts(t, out);
		return 0;
	}
	if (strstr(command, "cpio -idm")) {
		buf_adds(out, t->trouble == TROUBLE_LOAD_FAILS ? "cpio: bad magic\n" : "");
		return t->trouble == TROUBLE_LOAD_FAILS;
	}
	assert_non_null(strstr(command, "kexec --kexec-syscall -l /boot-b/linux"));
	t->n_loads++;
	t->with_dtb = strstr(command, "--dtb=/boot-b/dtb");
	t->no_checks = strstr(command, "--no-checks");
	free(t->cmdline);
	t->cmdline = xstrdup(strstr(command, "--command-line='") + 16);
	*strchr(t->cmdline, '\'') = '\0';
	switch ((int)t->trouble) {
	case TROUBLE_LOAD_HANGS:
		return -1;
	case TROUBLE_LOAD_FAILS:
		buf_adds(out, "Cannot load /boot-b/linux\n\x1b[31m");
		return 255;
	case TROUBLE_NOT_LOADED:
		buf_adds(out, "not loaded\n");
		return 1;
	case TROUBLE_BUSY:
		if (t->n_loads > 3)
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

static void target_leave(struct target *t, const char *command)
{
	if (t->trouble == TROUBLE_NO_JUMP) {
		target_say(t, "Nothing has been loaded!\r\n");
		return;
	}
	t->left = true;
	if (t->trouble == TROUBLE_LATE_JUMP)
		return;
	t->mode = MODE_OFF;
	if (strstr(command, "kexec -e"))
		target_say(t, "[    9.000000] Bye!\r\n");
	switch ((int)t->trouble) {
	case TROUBLE_HANG:
		return;
	case TROUBLE_PANIC:
		target_say(t, "[    0.100000] Kernel panic - not syncing: test\r\n");
		target_say(t, "[    0.200000] ---[ end Kernel panic ]---\r\n");
		return;
	case TROUBLE_UNASKED_RESET:
		target_act(t, FAKE_GUEST_RESET, NULL);
		return;
	case TROUBLE_UNASKED_OFF:
		target_act(t, FAKE_OFF, NULL);
		return;
	case TROUBLE_DIES:
		target_act(t, FAKE_DIE, "killed by SIGKILL");
		return;
	case TROUBLE_HANGUP:
		target_act(t, FAKE_HANGUP, NULL);
		target_act(t, FAKE_BACK, NULL);
		break;
	case TROUBLE_GUEST_PANICKED:
		target_act(t, FAKE_NOTICE, "{\"event\": \"GUEST_PANICKED\"}");
		break;
	}
	if (!strcmp(command, "reboot -f")) {
		target_act(t, FAKE_GUEST_RESET, NULL);
		return;
	}
	t->pivoted = !strcmp(command, "exit");
	target_boot(t, true);
}

static void target_send_output(struct target *t, int status, const struct buf *out)
{
	char hex[DIGEST_HEX_SIZE];
	size_t at;

	digest_of(out->data, out->len, hex);
	target_say(t, "%sb%s,%d,%zu,%.16s;\r\n", t->tag, t->id, status, out->len, hex);
	for (at = 0; at < out->len; at += 57) {
		struct buf line __free_buf = BUF_INIT;

		base64_encode(&line, out->data + at, out->len - at < 57 ? out->len - at : 57);
		target_say(t, "%sd%s,%zu,%s;\r\n", t->tag, t->id, at / 57 + 1, line.data);
	}
	target_say(t, "%se%s;\r\n", t->tag, t->id);
}

static void target_commit(struct target *t, const char *line)
{
	struct buf command __free_buf = BUF_INIT, out __free_buf = BUF_INIT;
	int status;

	assert_int_equal(base64_decode(&command, t->command.data, t->command.len), 0);
	strcpy(t->last, t->id);
	target_say(t, "%sg%s;\r\n", t->tag, t->id);
	if (line[0] == 'l') {
		target_leave(t, command.data);
		return;
	}
	status = target_run(t, command.data, &out);
	if (status < 0)
		t->mode = MODE_OFF;
	else
		target_send_output(t, status, &out);
	if (t->left && t->trouble == TROUBLE_LATE_JUMP && !t->is_b)
		target_boot(t, true);
}

static void target_agent_line(struct target *t, const char *line)
{
	char id[16] = "", word[16] = "";
	size_t offset = 0;
	int n = 0;

	if (sscanf(line, "%15s %15s %zu %n", word, id, &offset, &n) == 3 && word[0] == '+') {
		if (strcmp(id, t->id)) {
			strcpy(t->id, id);
			buf_reset(&t->command);
		}
		if (offset == t->command.len)
			buf_adds(&t->command, line + n);
	} else if (word[0] == 'r' || word[0] == 'l') {
		target_commit(t, line);
		return;
	} else if (!strcmp(word, "echo")) {
		t->mode = MODE_SHELL;
		target_say(t, "~ # ");
		return;
	}
	target_say(t, "%ss%s,%zu,%s;\r\n", t->tag, t->id, t->command.len, t->last);
}

static void target_shell_line(struct target *t, const char *line)
{
	unsigned int number;
	char tag[16];

	if (sscanf(line, "echo %7sa$?,%u", tag, &number) == 2) {
		target_say(t, "%sa0,%u;\r\n", tag, number);
	} else if (!strncmp(line, " J=;", 4)) {
		assert_int_equal(sscanf(strstr(line, "echo "), "echo %7s", t->tag), 1);
		buf_reset(&t->pieces);
		t->mode = MODE_PIECES;
		target_say(t, "%sj0;\r\n", t->tag);
		return;
	}
	target_say(t, "~ # ");
}

static void target_line(struct target *t, const char *line)
{
	switch (t->mode) {
	case MODE_OFF:
		break;
	case MODE_SHELL:
		target_shell_line(t, line);
		break;
	case MODE_PIECES:
		if (!strncmp(line, "e D=", 4)) {
			t->mode = MODE_AGENT;
			t->id[0] = t->last[0] = '\0';
			buf_reset(&t->command);
			target_say(t, "%sh;\r\n", t->tag);
			break;
		}
		buf_adds(&t->pieces, line);
		target_say(t, "%sj%zu;\r\n", t->tag, t->pieces.len);
		break;
	case MODE_AGENT:
		target_agent_line(t, line);
		break;
	}
}

static void target_typed(struct machine *m, const void *data, size_t len, void *arg)
{
	struct target *t = arg;
	const char *p = data;
	size_t i;

	for (i = 0; i < len; i++) {
		if (t->mode != MODE_OFF)
			target_say(t, p[i] == '\n' ? "\r\n" : "%c", p[i]);
		if (p[i] == '\x15') {
			buf_reset(&t->line);
		} else if (p[i] != '\n') {
			buf_addch(&t->line, p[i]);
		} else {
			char *line __free(str) = buf_steal(&t->line);

			target_line(t, line);
		}
	}
}

static void target_started(struct machine *m, const struct machine_boot *boot_files, void *arg)
{
	struct target *t = arg;

	t->m = m;
	t->n_starts++;
	assert_true(file_exists(boot_files->kernel));
	assert_true(file_exists(boot_files->initrd));
	free(t->cmdline);
	t->cmdline = xstrdup(boot_files->cmdline);
	if (t->trouble != TROUBLE_DEAF)
		target_boot(t, t->n_starts > 1);
}

static void target_init(struct target *t, enum trouble trouble)
{
	*t = (struct target){
		.trouble = trouble, .line = BUF_INIT, .pieces = BUF_INIT, .command = BUF_INIT};
}

static void target_fini(struct target *t)
{
	buf_fini(&t->line);
	buf_fini(&t->pieces);
	buf_fini(&t->command);
	free(t->cmdline);
}

#endif
