// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jump_kexec.c - A's kernel loads B's and starts it.
 */
#include <string.h>

#include "base/text.h"
#include "run/steps.h"
#include "run/watch.h"

/* Somebody else may just be loading (a crash kernel's service): EBUSY passes. */
#define BUSY_TRIES    40
#define BUSY_DELAY_MS 100

#define STUCK	      "CPUs are stuck"

static void fail(struct session *s, const char *text)
{
	session_mark(s, MARK_LOAD_FAILED, text);
	session_end(s);
}

static bool says(const struct shell_result *r, const char *text)
{
	return memmem(r->output, r->output_len, text, strlen(text));
}

static void load(struct session *s);

static void loaded(struct session *s, const struct shell_result *r)
{
	struct buf text __free_buf = BUF_INIT;

	if (!r->status && !r->error) {
		session_mark(s, MARK_LOADED, NULL);
		session_next(s);
		return;
	}
	/* CPUs that do not stop will not stop later, either. */
	if (says(r, "busy") && !says(r, STUCK) && ++s->load_tries < BUSY_TRIES) {
		session_later(s, BUSY_DELAY_MS, load);
		return;
	}
	buf_addf(&text, "exit status %d: ", r->status);
	text_escape(&text, r->output, r->output_len);
	fail(s, text.data);
}

/*
 * A failed load leaves an older image in place, and kexec -e would start that:
 * it counts only if the kernel says that one is loaded now.
 */
static void load(struct session *s)
{
	struct buf command __free_buf = BUF_INIT;

	buf_adds(&command, "kexec --kexec-syscall -l /boot-b/linux --initrd=/boot-b/initrd");
	if (session_kexec_dtb(s)->len)
		buf_adds(&command, " --dtb=/boot-b/dtb");
	if (!s->job->kexec_checks)
		buf_adds(&command, " --no-checks");
	buf_adds(&command, " --command-line=");
	text_shell_quote(&command, s->cmdline_b);
	buf_adds(&command, "\ns=$?\n"
			   "[ $s != 0 ]||read -r n </sys/kernel/kexec_loaded\n"
			   "[ $s != 0 ]||[ $n = 1 ]||{ echo not loaded;s=1;}\n"
			   "[ $s = 0 ]||dmesg|grep '" STUCK "'\n"
			   "exit $s\n");
	session_run(s, command.data, loaded);
}

static void start_load(struct session *s)
{
	const struct buf *dtb = session_kexec_dtb(s);

	session_mark(s, MARK_LOAD, NULL);
	if (s->ending)
		return;
	/* The new kernel would die before it has a console. */
	if (dtb->len && !image_devicetree_has_memory(dtb->data, dtb->len))
		fail(s, "B's device tree has no memory node");
	else
		load(s);
}

/* All messages on the console: the last ones of A say how far it got. */
static void leave(struct session *s)
{
	session_leave(s, "dmesg -n 8;kexec -e");
	watch_left(s);
}

static const struct step step_load = {LIMIT_LOAD, false, start_load, NULL, NULL};
static const struct step step_leave = {LIMIT_JUMP, true, leave, NULL, NULL};

static const struct step *const steps[] = {
	&step_power_on_a, &step_attach_a, &step_prove_a, &step_load, &step_watch,
	&step_leave,	  &step_attach_b, &step_prove_b, NULL,
};

const struct jump jump_kexec = {.kind = JUMP_KEXEC, .carries_b = true, .steps = steps};
