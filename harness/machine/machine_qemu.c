// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine_qemu.c - a machine that is a QEMU process: board "qemu-virt".
 *
 * Each start is a new process with a fresh machine; the console object stays
 * the same and its last byte is handed over before down. The console never
 * hangs up while the machine is up: QEMU closes it only by ending, and down
 * says so. There is no reset button (NULL): stop and start. The debug port, if
 * one is wanted, and the RAM are of one start each.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "machine/console/console_unix.h"
#include "machine/driver.h"
#include "machine/machine_qemu.h"
#include "machine/qemu_args.h"
#include "machine/qemu_dry.h"

/* Where QEMU's virt machine has its RAM (hw/arm/virt.c, base_memmap). */
#define RAM_ADDRESS 0x40000000

static int launch(struct machine_qemu *q, const struct qemu_args *args, struct err *e)
{
	struct process_opts opts = {.argv = qemu_args_argv(args), .stdin_fd = -1, .stdout_fd = -1};
	int write_end __free(fd) = -1;
	int rc = last_words_open(&q->last_words, q->opts.loop, &write_end, e);

	if (rc)
		return rc;
	opts.stderr_fd = write_end;
	rc = process_start(&q->process, &opts, e);
	if (rc)
		return rc;
	return process_watch(&q->process, q->opts.loop, machine_qemu_ended, q, &q->watch, e);
}

/* RAM in a file, where somebody has to see it; *ret_path is *returned* or NULL. */
static int prepare_ram(struct machine_qemu *q, char **ret_path, struct err *e)
{
	int rc;

	*ret_path = NULL;
	if (!q->has_debug && !qemu_screen_sees_ram(&q->screen))
		return 0;
	rc = ram_init(&q->ram, RAM_ADDRESS, q->opts.spec->ram_bytes, e);
	if (!rc && qemu_screen_sees_ram(&q->screen))
		rc = qemu_screen_attach_ram(&q->screen, &q->ram, e);
	if (!rc)
		*ret_path = ram_path(&q->ram);
	return rc;
}

/* The command line, and what listens for those whom it tells to connect. */
static int prepare(struct machine_qemu *q, const struct machine_boot *boot, struct qemu_args *args,
		   struct err *e)
{
	char *console __free(str) = file_join(q->dir.path, "console");
	char *monitor __free(str) = file_join(q->dir.path, "monitor");
	char *debug __free(str) = q->has_debug ? file_join(q->dir.path, "debug") : NULL;
	char *ram __free(str) = NULL;
	int rc = prepare_ram(q, &ram, e);

	if (!rc)
		rc = qemu_args_machine(args, &q->opts, ram, NULL, e);
	if (rc)
		return rc;
	if (q->screen.trace_path)
		qemu_args_trace(args, q->screen.trace_path);
	qemu_args_run(args, boot, console, monitor);
	if (debug) {
		qemu_args_debug(args, debug);
		rc = machine_qemu_debug_listen(q, debug, e);
		if (rc)
			return rc;
	}
	rc = listener_new(q->opts.loop, monitor, machine_qemu_monitor, q, &q->listener, e);
	return rc ? err_prefix(e, rc, "monitor") : 0;
}

static int machine_qemu_start(struct machine *m, const struct machine_boot *boot, struct err *e)
{
	struct machine_qemu *q = to_qemu(m);
	struct qemu_args args __free_qemu_args = QEMU_ARGS_INIT;
	struct err launch_err __free_err = ERR_INIT;
	int rc;

	if (q->state != STATE_OFF)
		return err_set(e, EBUSY, "the machine is running already");
	rc = prepare(q, boot, &args, e);
	if (rc) {
		machine_qemu_clear(q);
		return rc;
	}
	q->state = STATE_STARTING;
	rc = launch(q, &args, &launch_err);
	if (!rc) {
		machine_qemu_arm_timer(q, START_PATIENCE_NS);
		return 0;
	}
	/* An event like every other way of not starting. */
	process_stop(&q->process, 0);
	q->failure = xstrdup(err_msg(&launch_err));
	rc = sd_event_add_defer(q->opts.loop, &q->deferred, machine_qemu_never_started, q);
	if (rc < 0) {
		machine_qemu_clear(q);
		return err_errno(e, -rc, "cannot start QEMU");
	}
	return 0;
}

static int machine_qemu_stop(struct machine *m, struct err *e)
{
	struct machine_qemu *q = to_qemu(m);

	if (q->state == STATE_OFF)
		return err_set(e, EINVAL, "the machine is not running");
	if (q->state == STATE_STOPPING)
		return err_set(e, EALREADY, "the machine is being stopped already");
	q->state = STATE_STOPPING;
	if (q->deferred || q->killed)
		return 0;
	if (!q->qmp_ready || qmp_command(q->qmp, "quit", NULL, NULL, NULL)) {
		q->terminated = true;
		process_signal(&q->process, SIGTERM);
	}
	machine_qemu_arm_timer(q, STOP_PATIENCE_NS);
	return 0;
}

static void machine_qemu_free(struct machine *m)
{
	struct machine_qemu *q = to_qemu(m);

	process_unwatch(steal_ptr(q->watch));
	process_stop(&q->process, 0);
	if (q->screen.display)
		display_stop(q->screen.display);
	machine_qemu_clear(q);
	qemu_screen_fini(&q->screen);
	console_free(steal_ptr(q->machine.console));
	q->dead = true;
	if (!q->busy)
		machine_qemu_destroy(q);
}

static const struct machine_ops machine_qemu_ops = {
	.name = "qemu",
	.start = machine_qemu_start,
	.stop = machine_qemu_stop,
	.free = machine_qemu_free,
};

static int machine_qemu_new(const struct machine_opts *opts, const struct machine_events *events,
			    const struct console_events *console_events, struct machine **ret,
			    struct err *e)
{
	struct machine_qemu *q;
	struct console_events relay;
	char *path __free(str) = NULL;
	int rc;

	xnew(q);
	q->machine.ops = &machine_qemu_ops;
	q->machine.events = *events;
	q->console_events = *console_events;
	q->opts = *opts;
	q->has_debug = opts->debug_events;
	if (q->has_debug)
		q->debug_events = *opts->debug_events;
	q->ram = (struct ram)RAM_INIT;
	q->process = (struct process)PROCESS_INIT;
	q->last_words = (struct last_words)LAST_WORDS_INIT;
	q->screen = (struct qemu_screen)QEMU_SCREEN_INIT;
	rc = runtime_dir_init(&q->dir, e);
	if (!rc)
		rc = qemu_screen_init(&q->screen, opts, q->dir.path, opts->display_events, e);
	if (!rc) {
		relay = machine_qemu_console_events(q);
		path = file_join(q->dir.path, "console");
		rc = console_unix_new(opts->loop, path, &relay, &q->machine.console, e);
	}
	if (rc) {
		qemu_screen_fini(&q->screen);
		machine_qemu_destroy(q);
		return rc;
	}
	q->machine.display = q->screen.display;
	q->opts.display_events = NULL; /* borrowed for this call only */
	q->opts.debug_events = NULL;
	*ret = &q->machine;
	return 0;
}

const struct machine_driver machine_driver_qemu = {
	.board = "qemu-virt",
	.new = machine_qemu_new,
	.base_dtb = qemu_base_dtb,
	.preflight = qemu_preflight,
};
