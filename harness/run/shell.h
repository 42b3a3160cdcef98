/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shell.h - a POSIX shell on a console line that lies, loses and interrupts.
 *
 * Input is typed in short pieces, each checked by its echo, and the whole is
 * checked by a digest in the target before it runs: a damaged command is never
 * executed. Output comes back base64, numbered and digested between markers
 * that cannot occur in an echo; kernel messages may stand anywhere in it. What
 * reads it never assumes a prompt, nor that one ends a line.
 *
 * One request at a time; each ends in exactly one callback from the loop, in
 * which the shell may be freed or given the next request.
 *
 * Attaching leaves a small reader in the target (see shell_agent.h), which
 * needs base64, sha256sum and a writable /run or /tmp there.
 */
#ifndef KJUMP_RUN_SHELL_H
#define KJUMP_RUN_SHELL_H

#include <systemd/sd-event.h>

#include "base/err.h"
#include "machine/console/console.h"

struct shell;

struct shell_result {
	/*
	 * 0, -ETIMEDOUT (no answer in time), -EIO (the line is too damaged), -ECANCELED,
	 * -EMSGSIZE (it ran, but wrote more than 1 MiB; there is no output then).
	 */
	int error;
	int status;	    /* exit status of the command */
	const void *output; /* borrowed */
	size_t output_len;
	uint64_t duration_ns; /* of the command, from its start to its end in the target */
};

typedef void (*shell_done_fn)(const struct shell_result *r, void *arg);

struct shell_opts {
	sd_event *loop;
	/* Types to the console; 0 or -errno, which ends the request. Must not free the shell. */
	int (*write)(const void *data, size_t len, void *arg);
	void *arg;
	unsigned int chunk_bytes; /* typed between two echo checks; 0: 56, at most 1024 */
	unsigned int max_resends; /* of one line, and of one command; 0: 5 */
	uint64_t echo_timeout_ms; /* 0: 2000 */
};

int shell_new(const struct shell_opts *opts, struct shell **ret, struct err *e);
void shell_free(struct shell *s);

/* Console bytes, as they come, all of them. */
void shell_feed(struct shell *s, const void *data, size_t len);

/*
 * Waits until a shell answers a handshake; never types a command into anything
 * that has not answered. Until there is text on the console that is no kernel
 * message, only a newline is typed now and then, first at once and then after
 * @poll_ms and growing times (shell_ask.c says why); a question follows when
 * such text ends.
 */
int shell_attach(struct shell *s, uint64_t poll_ms, uint64_t timeout_ms, shell_done_fn done,
		 void *arg);

/*
 * Runs @command; any text, also with newlines, in a subshell with stdin from
 * /dev/null. Never runs it twice. -ENOTCONN: attach first; also after any
 * request that ended in an error other than -EMSGSIZE.
 */
int shell_run(struct shell *s, const char *command, uint64_t timeout_ms, shell_done_fn done,
	      void *arg);

/*
 * Enters a command that does not come back (kexec -e, exit): done is called
 * when the target confirmed that it has it, whole, and is about to run it. It
 * runs in the shell itself, on the console. The target is forgotten.
 */
int shell_leave(struct shell *s, const char *command, uint64_t timeout_ms, shell_done_fn done,
		void *arg);

/*
 * Ends the request under way and forgets the target. This is the exception:
 * done gets -ECANCELED before the call returns.
 */
void shell_reset(struct shell *s);

#endif
