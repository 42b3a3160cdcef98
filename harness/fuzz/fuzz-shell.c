// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-shell.c - a console that says anything while a shell is attached and used.
 *
 * Some bytes stand for what only a real target knows: 1 for the shell's tag, 2
 * for the number that it asked for last, 3 for all that was typed since the
 * last 3 (an echo), 4 for "now let time pass".
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "run/shell.h"

struct target {
	struct shell *shell;
	struct buf typed, output;
	char tag[8];
	char number[8];
	unsigned int requests;
};

static int type(const void *data, size_t len, void *arg)
{
	struct target *t = arg;
	char *line __free(str) = xstrndup(data, len);
	const char *echo = strstr(line, "echo _");

	buf_add(&t->typed, data, len);
	if (echo && sscanf(echo, "echo %7sa$?,%7[0-9]", t->tag, t->number) < 1)
		t->tag[0] = '\0';
	return 0;
}

static void next(struct target *t);

static void on_done(const struct shell_result *r, void *arg)
{
	struct target *t = arg;

	buf_reset(&t->output);
	buf_add(&t->output, r->output, r->output_len);
	if (r->error != -ECANCELED)
		next(t);
}

static void next(struct target *t)
{
	int rc = -ENOTCONN;

	if (++t->requests > 8)
		return;
	if (t->requests == 4)
		rc = shell_leave(t->shell, "exit", 1000, on_done, t);
	else
		rc = shell_run(t->shell, "echo some command that is not too short; true", 1000,
			       on_done, t);
	if (rc == -ENOTCONN)
		shell_attach(t->shell, 1, 1000, on_done, t);
}

static void say(struct target *t, unsigned char c)
{
	struct buf echo __free_buf = BUF_INIT;

	switch (c) {
	case 1:
		shell_feed(t->shell, t->tag, strlen(t->tag));
		break;
	case 2:
		shell_feed(t->shell, t->number, strlen(t->number));
		break;
	case 3:
		echo = t->typed;
		buf_init(&t->typed);
		shell_feed(t->shell, echo.data, echo.len);
		break;
	default:
		shell_feed(t->shell, &c, 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct target t = {.typed = BUF_INIT, .output = BUF_INIT};
	struct shell_opts opts = {.write = type, .arg = &t, .echo_timeout_ms = 1};
	static sd_event *loop;
	size_t i;

	if (!loop && sd_event_new(&loop) < 0)
		return 0;
	opts.loop = loop;
	if (shell_new(&opts, &t.shell, NULL))
		return 0;
	next(&t);
	for (i = 0; i < size; i++) {
		if (data[i] == 4)
			sd_event_run(loop, 1000);
		else
			say(&t, data[i]);
		/* What has ended is told. */
		while (sd_event_run(loop, 0) > 0)
			;
	}
	shell_free(t.shell);
	buf_fini(&t.typed);
	buf_fini(&t.output);
	return 0;
}
