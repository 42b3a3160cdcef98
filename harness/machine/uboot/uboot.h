/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uboot.h - U-Boot's command line on a console that loses and garbles bytes.
 *
 * Stops the countdown, whatever its wording; types each command in bursts, looks
 * at their echo, and enters only a line that was seen whole: a damaged one is
 * dropped with Ctrl-C and typed anew. A command's exit status comes back behind
 * a random marker. A command whose marker is lost is run again, so those given
 * here must be such that twice is no harm.
 *
 * One request at a time; each ends in exactly one callback from the loop, in
 * which the object may be freed or given the next one.
 */
#ifndef KJUMP_MACHINE_UBOOT_UBOOT_H
#define KJUMP_MACHINE_UBOOT_UBOOT_H

#include <systemd/sd-event.h>

#include "base/buf.h"
#include "base/err.h"

struct uboot;

struct uboot_opts {
	sd_event *loop;
	/* Types to the console; an error there shows as silence. */
	int (*write)(const void *data, size_t len, void *arg);
	void *arg;
	const char *prompt; /* borrowed */
	unsigned int burst;
};

/*
 * @error: 0; -ETIMEDOUT: no answer; -EIO: the line is too damaged. @status: of
 * the command. @output: what it printed, cleaned; borrowed.
 */
typedef void (*uboot_done_fn)(int error, int status, const char *output, void *arg);

struct uboot *uboot_new(const struct uboot_opts *opts);
void uboot_free(struct uboot *u);

/* Console bytes, as they come, all of them. */
void uboot_feed(struct uboot *u, const void *data, size_t len);

/* Waits for the countdown, or for a prompt, until a command is answered. */
void uboot_stop_countdown(struct uboot *u, uint64_t timeout_ms, uboot_done_fn done, void *arg);

/* Runs @line; @timeout_ms is for one run of it. */
void uboot_run(struct uboot *u, const char *line, uint64_t timeout_ms, uboot_done_fn done,
	       void *arg);

/* Runs @line, which starts a kernel: success is that one starts, failure that it returns. */
void uboot_boot(struct uboot *u, const char *line, uint64_t timeout_ms, uboot_done_fn done,
		void *arg);

/* Forgets the request under way; no callback. */
void uboot_reset(struct uboot *u);

/*
 * The key that stops a countdown, if @text announces one that can be stopped;
 * else 0. "Hit any key to stop autoboot", vendors' "Hit key to stop
 * autoboot('CTRL+C')", "Autoboot in 1 seconds, to stop use 's' key".
 */
char uboot_countdown_key(const char *text, size_t len);

#endif
