// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine_qemu.c - a machine that is a QEMU process: board "qemu-virt".
 *
 * Each start is a new process with a fresh machine; the console object stays
 * the same and its last byte is handed over before down. The console never
 * hangs up while the machine is up: QEMU closes it only by ending, and down
 * says so. There is no reset button (NULL): stop and start.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/process.h"
#include "machine/console/console_unix.h"
#include "machine/driver.h"
#include "machine/last_words.h"
#include "machine/listener.h"
#include "machine/qemu_args.h"
#include "machine/qemu_dry.h"
#include "machine/qemu_ready.h"
#include "machine/qemu_screen.h"
#include "machine/qmp.h"
#include "machine/runtime.h"

/* How long QEMU may take to connect and to answer before it is given up. */
#define START_PATIENCE_NS (120 * NS_PER_S)
/* How long it may take to end when told to, each time more firmly. */
#define STOP_PATIENCE_NS  (5 * NS_PER_S)
/*
 * How long between the end of a socket and that of QEMU: giving back the memory
 * of a large guest takes seconds.
 */
#define LINE_PATIENCE_NS  (30 * NS_PER_S)
/* Kept of what QEMU says on stderr. */
#define STDERR_MAX	  4096
/* Notices forwarded in one start: a guest can cause as many as it likes. */
#define NOTICES_MAX	  1000

enum state {
	STATE_OFF,
	STATE_STARTING, /* until cont was answered */
	STATE_UP,
	STATE_STOPPING, /* stop was called */
	STATE_FAILING,	/* we end it because of failure */
};

struct machine_qemu {
	struct machine machine;
	struct console_events console_events;
	struct machine_opts opts;
	struct runtime_dir dir;
	enum state state;
	struct process process;
	struct process_watch *watch;
	struct listener *listener; /* for the monitor, while it has not connected */
	struct qmp *qmp;
	bool qmp_ready;
	struct qemu_screen screen;
	struct qemu_ready ready;
	bool checked;	 /* the way to cont was taken */
	bool terminated; /* stop has got as far as SIGTERM */
	bool killed;	 /* we sent SIGKILL */
	struct last_words last_words;
	sd_event_source *timer;
	sd_event_source *deferred; /* down, when there never was a process */
	char *shutdown_reason;	   /* as QEMU's last SHUTDOWN event gives it */
	char *failure;		   /* why we end it ourselves */
	char *line_lost;	   /* what became of its monitor or console */
	unsigned int notices;
	unsigned int busy; /* callbacks under way; free waits for them */
	bool dead;
};

static const struct machine_ops machine_qemu_ops;

static struct machine_qemu *to_qemu(struct machine *m)
{
	return container_of(m, struct machine_qemu, machine);
}

static void destroy(struct machine_qemu *q)
{
	runtime_dir_fini(&q->dir);
	free(q);
}

/* Around all that may call back: the machine may be freed in there. */
static void enter(struct machine_qemu *q)
{
	q->busy++;
}

static void leave(struct machine_qemu *q)
{
	if (!--q->busy && q->dead)
		destroy(q);
}

/* Back to "off"; the console, the directory and the callbacks stay. */
static void clear(struct machine_qemu *q)
{
	process_unwatch(steal_ptr(q->watch));
	qemu_screen_down(&q->screen);
	qmp_free(steal_ptr(q->qmp));
	listener_free(steal_ptr(q->listener));
	last_words_close(&q->last_words);
	q->timer = sd_event_source_disable_unref(q->timer);
	q->deferred = sd_event_source_disable_unref(q->deferred);
	free(steal_ptr(q->shutdown_reason));
	free(steal_ptr(q->failure));
	free(steal_ptr(q->line_lost));
	q->qmp_ready = q->checked = q->terminated = q->killed = false;
	q->notices = 0;
	q->state = STATE_OFF;
}

static enum machine_down why_down(const struct machine_qemu *q)
{
	if (q->state == STATE_STOPPING)
		return MACHINE_DOWN_ASKED;
	if (q->state == STATE_UP && q->shutdown_reason) {
		if (!strcmp(q->shutdown_reason, "guest-reset"))
			return MACHINE_DOWN_GUEST_RESET;
		if (!strcmp(q->shutdown_reason, "guest-shutdown"))
			return MACHINE_DOWN_GUEST_OFF;
	}
	return MACHINE_DOWN_DIED;
}

static void go_down(struct machine_qemu *q, enum machine_down why, const char *text)
{
	clear(q);
	/* The display has just said that it is off, which may have been answered. */
	if (!q->dead)
		q->machine.events.down(why, text, q->machine.events.arg);
}

static void on_ended(int status, void *arg)
{
	struct machine_qemu *q = arg;
	char *text __free(str) = NULL;
	enum machine_down why;

	enter(q);
	q->timer = sd_event_source_disable_unref(q->timer);
	/* What the target and QEMU said last comes before the news that they are gone. */
	if (q->qmp)
		qmp_finish(q->qmp);
	if (!q->dead)
		console_unix_finish(q->machine.console);
	if (!q->dead) {
		last_words_read(&q->last_words);
		why = why_down(q);
		if (why == MACHINE_DOWN_DIED)
			text = last_words_explain(&q->last_words, "QEMU", status, q->killed,
						  q->failure, q->shutdown_reason);
		go_down(q, why, text);
	}
	leave(q);
}

static int on_deferred(sd_event_source *source, void *userdata)
{
	struct machine_qemu *q = userdata;
	char *text __free(str) = xstrdup(q->failure);

	enter(q);
	go_down(q, why_down(q), text);
	leave(q);
	return 0;
}

static void kill_qemu(struct machine_qemu *q)
{
	q->killed = true;
	process_signal(&q->process, SIGKILL);
}

/* Ends a QEMU that is of no use; down follows. @text is *taken*. */
static void give_up(struct machine_qemu *q, char *text)
{
	free(q->failure);
	q->failure = text;
	q->state = STATE_FAILING;
	kill_qemu(q);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata);

static void arm_timer(struct machine_qemu *q, uint64_t ns)
{
	sd_event_source_disable_unref(q->timer);
	q->timer = NULL;
	sd_event_add_time_relative(q->opts.loop, &q->timer, CLOCK_MONOTONIC, ns / 1000, 0, on_timer,
				   q);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct machine_qemu *q = userdata;

	switch (q->state) {
	case STATE_STARTING:
		give_up(q, q->line_lost ? steal_ptr(q->line_lost)
					: xasprintf("QEMU did not start within %llu s",
						    START_PATIENCE_NS / NS_PER_S));
		break;
	case STATE_UP:
		if (q->shutdown_reason)
			kill_qemu(q); /* the guest's end is known, only QEMU's is late */
		else
			give_up(q, steal_ptr(q->line_lost));
		break;
	case STATE_STOPPING:
		if (q->terminated) {
			kill_qemu(q);
			break;
		}
		q->terminated = true;
		process_signal(&q->process, SIGTERM);
		arm_timer(q, STOP_PATIENCE_NS);
		break;
	case STATE_FAILING:
	case STATE_OFF:
		break;
	}
	return 0;
}

/* QEMU closes its sockets when it ends. If it does not end, it is broken. */
static void lost_line(struct machine_qemu *q, const char *what, const char *text)
{
	if (q->line_lost || (q->state != STATE_STARTING && q->state != STATE_UP))
		return;
	q->line_lost = xasprintf("QEMU's %s failed: %s", what, text);
	arm_timer(q, LINE_PATIENCE_NS);
}

static void on_cont(const char *error, const struct json *reply, void *arg)
{
	struct machine_qemu *q = arg;

	if (q->state != STATE_STARTING)
		return;
	if (error) {
		give_up(q, xasprintf("QEMU does not run the machine: %s", error));
		return;
	}
	q->state = STATE_UP;
	qemu_screen_run(&q->screen);
	if (!q->line_lost)
		q->timer = sd_event_source_disable_unref(q->timer);
	enter(q);
	q->machine.events.up(q->machine.events.arg);
	leave(q);
}

static void on_looked_at(char *error, void *arg)
{
	struct machine_qemu *q = arg;

	if (q->state != STATE_STARTING) {
		free(error);
		return;
	}
	if (error)
		give_up(q, error);
	else
		qmp_command(q->qmp, "cont", NULL, on_cont, q);
}

/* Both lines are there: look at the machine, then let it run. */
static void proceed(struct machine_qemu *q)
{
	if (q->state != STATE_STARTING || q->checked || !q->qmp_ready ||
	    !console_unix_connected(q->machine.console))
		return;
	q->checked = true;
	q->ready = (struct qemu_ready){
		.qmp = q->qmp,
		.spec = q->opts.spec,
		.display = q->screen.by_monitor ? q->screen.display : NULL,
		.done = on_looked_at,
		.arg = q,
	};
	qemu_ready_start(&q->ready);
}

static void on_qmp_ready(int major, int minor, void *arg)
{
	struct machine_qemu *q = arg;

	if (q->state != STATE_STARTING)
		return;
	if (major < QEMU_MAJOR_MIN) {
		give_up(q, xasprintf("QEMU %d.%d is too old: kjump needs %d or later", major, minor,
				     QEMU_MAJOR_MIN));
		return;
	}
	q->qmp_ready = true;
	proceed(q);
}

static void on_qmp_event(const char *name, const struct json *event, void *arg)
{
	struct machine_qemu *q = arg;
	struct buf line __free_buf = BUF_INIT;

	if (!strcmp(name, "SHUTDOWN")) {
		free(q->shutdown_reason);
		q->shutdown_reason = xstrdup_null(json_get_str(json_get(event, "data"), "reason"));
	}
	if (!q->machine.events.notice || q->notices++ >= NOTICES_MAX)
		return;
	json_print(event, false, &line);
	enter(q);
	q->machine.events.notice(line.data, q->machine.events.arg);
	leave(q);
}

static void on_qmp_closed(int error, const char *text, void *arg)
{
	struct machine_qemu *q = arg;

	if (error == -EPIPE)
		lost_line(q, "monitor", text);
	else if (q->state == STATE_STARTING || q->state == STATE_UP)
		give_up(q, xasprintf("QEMU's monitor failed: %s", text));
}

static void on_monitor(int fd, void *arg)
{
	struct machine_qemu *q = arg;
	const struct qmp_events events = {on_qmp_ready, on_qmp_event, on_qmp_closed, q};
	struct err e __free_err = ERR_INIT;

	listener_free(steal_ptr(q->listener));
	if (qmp_new(q->opts.loop, fd, &events, &q->qmp, &e))
		give_up(q, xstrdup(err_msg(&e)));
}

static void on_console_bytes(const void *data, size_t len, void *arg)
{
	struct machine_qemu *q = arg;

	enter(q);
	q->console_events.bytes(data, len, q->console_events.arg);
	leave(q);
}

static void on_console_hangup(void *arg)
{
	lost_line(arg, "console", "closed");
}

static void on_console_back(void *arg)
{
	proceed(arg);
}

/* The process and its three lines to us. */
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
	return process_watch(&q->process, q->opts.loop, on_ended, q, &q->watch, e);
}

static int machine_qemu_start(struct machine *m, const struct machine_boot *boot, struct err *e)
{
	struct machine_qemu *q = to_qemu(m);
	struct qemu_args args __free_qemu_args = QEMU_ARGS_INIT;
	char *console __free(str) = file_join(q->dir.path, "console");
	char *monitor __free(str) = file_join(q->dir.path, "monitor");
	char *ram __free(str) = NULL;
	struct err launch_err __free_err = ERR_INIT;
	int rc;

	if (q->state != STATE_OFF)
		return err_set(e, EBUSY, "the machine is running already");
	rc = qemu_screen_prepare(&q->screen, &q->opts, e);
	if (rc)
		return rc;
	if (q->screen.ram.size_bytes)
		ram = ram_path(&q->screen.ram);
	rc = qemu_args_machine(&args, &q->opts, ram, NULL, e);
	if (rc)
		return rc;
	if (q->screen.trace_path)
		qemu_args_trace(&args, q->screen.trace_path);
	qemu_args_run(&args, boot, console, monitor);
	rc = listener_new(q->opts.loop, monitor, on_monitor, q, &q->listener, e);
	if (rc)
		return err_prefix(e, rc, "monitor");
	q->state = STATE_STARTING;
	rc = launch(q, &args, &launch_err);
	if (!rc) {
		arm_timer(q, START_PATIENCE_NS);
		return 0;
	}
	/* An event like every other way of not starting. */
	process_stop(&q->process, 0);
	q->failure = xstrdup(err_msg(&launch_err));
	rc = sd_event_add_defer(q->opts.loop, &q->deferred, on_deferred, q);
	if (rc < 0) {
		clear(q);
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
	arm_timer(q, STOP_PATIENCE_NS);
	return 0;
}

static void machine_qemu_free(struct machine *m)
{
	struct machine_qemu *q = to_qemu(m);

	process_unwatch(steal_ptr(q->watch));
	process_stop(&q->process, 0);
	if (q->screen.display)
		display_stop(q->screen.display);
	clear(q);
	qemu_screen_fini(&q->screen);
	console_free(steal_ptr(q->machine.console));
	q->dead = true;
	if (!q->busy)
		destroy(q);
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
	struct console_events relay = {on_console_bytes, on_console_hangup, on_console_back, NULL};
	char *path __free(str) = NULL;
	int rc;

	xnew(q);
	q->machine.ops = &machine_qemu_ops;
	q->machine.events = *events;
	q->console_events = *console_events;
	q->opts = *opts;
	q->process = (struct process)PROCESS_INIT;
	q->last_words = (struct last_words)LAST_WORDS_INIT;
	q->screen = (struct qemu_screen)QEMU_SCREEN_INIT;
	rc = runtime_dir_init(&q->dir, e);
	if (!rc)
		rc = qemu_screen_init(&q->screen, opts, q->dir.path, opts->display_events, e);
	if (!rc) {
		relay.arg = q;
		path = file_join(q->dir.path, "console");
		rc = console_unix_new(opts->loop, path, &relay, &q->machine.console, e);
	}
	if (rc) {
		qemu_screen_fini(&q->screen);
		destroy(q);
		return rc;
	}
	q->machine.display = q->screen.display;
	q->opts.display_events = NULL; /* borrowed for this call only */
	*ret = &q->machine;
	return 0;
}

const struct machine_driver machine_driver_qemu = {
	.board = "qemu-virt",
	.new = machine_qemu_new,
	.base_dtb = qemu_base_dtb,
	.preflight = qemu_preflight,
};
