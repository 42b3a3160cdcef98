// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jump_pivot.c - the kernel stays, the root changes.
 *
 * B's root is unpacked below /run/nextroot; PID 1 moves there when the shell
 * on the console ends.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "run/steps.h"

static const char unpack_command[] = "mkdir -p /run/nextroot&&\n"
				     "mount -t tmpfs -o mode=0755 tmpfs /run/nextroot&&\n"
				     "cd /run/nextroot&&\n"
				     "cpio -idm </boot-b/initrd&&\n"
				     "[ -x init ]\n";

static void unpacked(struct session *s, const struct shell_result *r)
{
	struct buf text __free_buf = BUF_INIT;

	if (!r->status) {
		session_mark(s, MARK_LOADED, NULL);
		session_next(s);
		return;
	}
	text_escape(&text, r->output, r->output_len);
	session_mark(s, MARK_LOAD_FAILED, text.data);
	session_end(s);
}

static void unpack(struct session *s)
{
	session_mark(s, MARK_LOAD, NULL);
	session_run(s, unpack_command, unpacked);
}

static void leave(struct session *s)
{
	session_leave(s, "exit");
}

static const struct step step_unpack = {LIMIT_LOAD, false, unpack, NULL, NULL};
static const struct step step_leave = {LIMIT_JUMP, true, leave, NULL, NULL};

static const struct step *const steps[] = {
	&step_power_on_a, &step_attach_a, &step_prove_a, &step_unpack,
	&step_leave,	  &step_attach_b, &step_prove_b, NULL,
};

const struct jump jump_pivot = {
	.kind = JUMP_PIVOT, .carries_b = true, .same_kernel = true, .steps = steps};
