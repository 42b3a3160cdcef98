// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine_board.c - a machine that is a board at a place of the lab: console,
 * relays, and U-Boot as its loader.
 *
 * A relay that clicked proves nothing: after off the console must be silent,
 * also when it is typed to, and after on the firmware's banner must come. The
 * banner of a board that runs says that it was reset; its countdown is stopped
 * then, and the next start goes on from that prompt without a power cycle.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/process.h"
#include "machine/board_loader.h"
#include "machine/board_power.h"
#include "machine/console/console_place.h"
#include "machine/driver.h"

#define DTB_MAX	     (2U << 20)
#define SETTLE_MS    500   /* after off: what was under way still comes */
#define COUNTDOWN_MS 60000 /* from power-on to U-Boot's prompt */
#define MASKROM_MS   2000  /* how long its button is held after power-on */
#define LINE_MAX_LEN 120   /* of a line, as far as a banner matters */
#define BURST	     56	   /* what a kernel's terminal takes between two echoes */

enum state {
	STATE_OFF,
	STATE_CUTTING,	  /* relays are being switched off */
	STATE_SETTLING,	  /* the last bytes */
	STATE_SILENT,	  /* must be silent now */
	STATE_POWERING,	  /* the relay is being switched on */
	STATE_BANNER,	  /* the firmware must say something */
	STATE_LOADING,	  /* at U-Boot's prompt, or on the way to it */
	STATE_UP,	  /* a kernel was started */
	STATE_HELD,	  /* it reset itself; its countdown is being stopped, or is */
	STATE_RECOVERING, /* MaskROM: it is being flashed */
};

struct machine_board {
	struct machine machine;
	struct machine_opts opts;
	const struct hardware *hardware;
	const struct lab_place *place;
	struct console_events console_events;
	struct console_place console_place;
	struct board_power *power;
	struct uboot *uboot;
	struct board_loader loader;
	enum state state;
	bool stopping;	 /* cutting for stop, not for start */
	bool proven_off; /* as stop left it */
	bool at_prompt;	 /* HELD: the countdown is stopped */
	bool wants_load; /* HELD: start came before that */
	bool connected;	 /* the console's line */
	bool heard;	 /* a byte since this was cleared */
	bool recovered;	 /* at most once in this machine's life */
	char line[LINE_MAX_LEN];
	size_t n_line;
	struct process recovery;
	struct process_watch *recovery_watch;
	sd_event_source *timer;
	unsigned int busy; /* callbacks under way; free waits for them */
	bool dead;
};

static const struct machine_ops machine_board_ops;

static struct machine_board *to_board(struct machine *m)
{
	return container_of(m, struct machine_board, machine);
}

static void destroy(struct machine_board *b)
{
	console_place_fini(&b->console_place);
	free(b);
}

static void enter(struct machine_board *b)
{
	b->busy++;
}

static void leave(struct machine_board *b)
{
	if (!--b->busy && b->dead)
		destroy(b);
}

static void arm(struct machine_board *b, uint64_t ms)
{
	sd_event_source_set_time_relative(b->timer, ms * 1000);
	sd_event_source_set_enabled(b->timer, SD_EVENT_ONESHOT);
}

static void disarm(struct machine_board *b)
{
	sd_event_source_set_enabled(b->timer, SD_EVENT_OFF);
}

static void go_down(struct machine_board *b, enum machine_down why, const char *text)
{
	disarm(b);
	uboot_reset(b->uboot);
	b->state = STATE_OFF;
	enter(b);
	b->machine.events.down(why, text, b->machine.events.arg);
	leave(b);
}

static void die(struct machine_board *b, const char *text)
{
	char *whole __free(str) = xasprintf("board '%s': %s", b->place->name, text);

	go_down(b, MACHINE_DOWN_DIED, whole);
}

static void notice(struct machine_board *b, const char *event, const char *text, int status)
{
	struct json *j __free(json) = json_new_object();
	struct json *data = json_new_object();
	struct buf line __free_buf = BUF_INIT;

	if (!b->machine.events.notice)
		return;
	json_set_str(j, "event", event);
	json_set_str(data, "text", text);
	json_set_int(data, "status", status);
	json_set(j, "data", data);
	json_print(j, false, &line);
	enter(b);
	b->machine.events.notice(line.data, b->machine.events.arg);
	leave(b);
}

static int type(const void *data, size_t len, void *arg)
{
	struct machine_board *b = arg;

	return console_write(b->machine.console, data, len);
}

/* --- loading ------------------------------------------------------------------- */

static void on_said(const char *line, int status, void *arg)
{
	notice(arg, "LOADER_COMMAND", line, status);
}

static void on_loaded(int error, const char *text, void *arg)
{
	struct machine_board *b = arg;

	if (error == -ENOEXEC) {
		go_down(b, MACHINE_DOWN_LOAD_FAILED, text);
		return;
	}
	if (error) {
		die(b, text);
		return;
	}
	b->state = STATE_UP;
	enter(b);
	b->machine.events.up(b->machine.events.arg);
	leave(b);
}

static void on_prompt(int error, int status, const char *output, void *arg)
{
	struct machine_board *b = arg;

	disarm(b);
	if (b->state == STATE_HELD) {
		b->at_prompt = !error;
		if (error && !b->wants_load)
			b->state = STATE_OFF; /* the next start cuts the power */
		if (!b->wants_load)
			return;
	}
	if (error) {
		die(b, error == -EIO ? "its console damages all that is typed"
				     : "U-Boot's countdown could not be stopped");
		return;
	}
	b->state = STATE_LOADING;
	board_loader_run(&b->loader);
}

/* --- power --------------------------------------------------------------------- */

static void cut(struct machine_board *b);

static void on_powered(const char *error, void *arg)
{
	struct machine_board *b = arg;

	if (error) {
		die(b, error);
		return;
	}
	b->state = STATE_BANNER;
	arm(b, b->hardware->banner_ms);
}

static void power_on(struct machine_board *b)
{
	static const struct board_power_step on = {LAB_POWER, true};

	if (!b->connected) {
		die(b, "its console is not connected");
		return;
	}
	b->state = STATE_POWERING;
	b->heard = false;
	b->proven_off = false;
	b->n_line = 0;
	uboot_stop_countdown(b->uboot, b->hardware->banner_ms + COUNTDOWN_MS, on_prompt, b);
	board_power_apply(b->power, &on, 1, on_powered, b);
}

static void on_cut(const char *error, void *arg)
{
	struct machine_board *b = arg;

	if (error) {
		die(b, error);
		return;
	}
	b->state = STATE_SETTLING;
	arm(b, SETTLE_MS);
}

static void cut(struct machine_board *b)
{
	static const struct board_power_step off[] = {
		{LAB_RESET, false}, {LAB_MASKROM, false}, {LAB_POWER, false}};

	uboot_reset(b->uboot);
	disarm(b);
	b->state = STATE_CUTTING;
	board_power_apply(b->power, off, ARRAY_SIZE(off), on_cut, b);
}

/* A board that idles is as silent as one that is off, until it is typed to. */
static void listen_for_silence(struct machine_board *b)
{
	b->state = STATE_SILENT;
	b->heard = false;
	console_write(b->machine.console, "\n", 1);
	arm(b, b->hardware->off_ms);
}

static void was_silent(struct machine_board *b)
{
	if (b->heard) {
		die(b, "relay stuck: the console still talks after the power was cut");
		return;
	}
	if (b->stopping) {
		b->stopping = false;
		b->proven_off = true;
		go_down(b, MACHINE_DOWN_ASKED, NULL);
		return;
	}
	power_on(b);
}

/* --- MaskROM ------------------------------------------------------------------- */

static void on_recovered(int status, void *arg)
{
	struct machine_board *b = arg;
	char text[64];

	b->recovery_watch = NULL;
	process_describe(status, text, sizeof(text));
	notice(b, "RECOVERY_ENDED", text, status);
	if (status)
		die(b, "silent after power-on, and its recovery failed");
	else
		cut(b);
}

static void flash(struct machine_board *b)
{
	const struct process_opts opts = {.argv = (const char *const *)b->place->recovery,
					  .stdin_fd = -1,
					  .stdout_fd = -1,
					  .stderr_fd = -1};
	struct err e __free_err = ERR_INIT;
	int rc = process_start(&b->recovery, &opts, &e);

	if (!rc)
		rc = process_watch(&b->recovery, b->opts.loop, on_recovered, b, &b->recovery_watch,
				   &e);
	if (rc)
		die(b, err_msg(&e));
}

static void on_maskrom(const char *error, void *arg)
{
	struct machine_board *b = arg;

	if (error)
		die(b, error);
	else
		arm(b, MASKROM_MS);
}

/* Power comes while the button is held: the boot ROM waits on USB then. */
static void recover(struct machine_board *b)
{
	static const struct board_power_step steps[] = {
		{LAB_POWER, false}, {LAB_MASKROM, true}, {LAB_POWER, true}};

	b->recovered = true;
	uboot_reset(b->uboot);
	notice(b, "RECOVERY", "silent after power-on: into MaskROM, to be flashed", 0);
	b->state = STATE_RECOVERING;
	board_power_apply(b->power, steps, ARRAY_SIZE(steps), on_maskrom, b);
}

static void no_banner(struct machine_board *b)
{
	if (!b->connected)
		die(b, "its console is not connected");
	else if (b->heard)
		die(b, "relay stuck: after power-on the console goes on without a banner");
	else if (b->place->recovery && b->place->roles[LAB_MASKROM] && !b->recovered)
		recover(b);
	else
		die(b, "relay stuck, or no firmware: silent after power-on");
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct machine_board *b = userdata;

	switch (b->state) {
	case STATE_SETTLING:
		listen_for_silence(b);
		break;
	case STATE_SILENT:
		was_silent(b);
		break;
	case STATE_BANNER:
		no_banner(b);
		break;
	case STATE_RECOVERING:
		flash(b);
		break;
	case STATE_OFF:
	case STATE_CUTTING:
	case STATE_POWERING:
	case STATE_LOADING:
	case STATE_UP:
	case STATE_HELD:
		break;
	}
	return 0;
}

/* --- the console ---------------------------------------------------------------- */

static void on_banner(struct machine_board *b)
{
	switch (b->state) {
	case STATE_BANNER:
		disarm(b);
		break;
	case STATE_LOADING:
		die(b, "it reset itself while its firmware loaded the system");
		break;
	case STATE_UP:
		b->state = STATE_HELD;
		b->at_prompt = b->wants_load = false;
		uboot_stop_countdown(b->uboot, COUNTDOWN_MS, on_prompt, b);
		b->machine.events.down(MACHINE_DOWN_GUEST_RESET, NULL, b->machine.events.arg);
		break;
	case STATE_OFF:
	case STATE_CUTTING:
	case STATE_SETTLING:
	case STATE_SILENT:
	case STATE_POWERING:
	case STATE_HELD:
	case STATE_RECOVERING:
		break;
	}
}

/* The line so far is just a banner: one that becomes longer is not looked at again. */
static bool is_banner(const struct machine_board *b)
{
	size_t i;

	for (i = 0; i < b->hardware->n_banners; i++) {
		const char *banner = b->hardware->banners[i];

		if (strlen(banner) == b->n_line && !memcmp(banner, b->line, b->n_line))
			return true;
	}
	return false;
}

static void look_for_banner(struct machine_board *b, const char *data, size_t len)
{
	size_t i;

	for (i = 0; i < len && !b->dead; i++) {
		if (data[i] == '\n' || data[i] == '\r') {
			b->n_line = 0;
			continue;
		}
		if (b->n_line == sizeof(b->line))
			continue;
		b->line[b->n_line++] = data[i];
		if (is_banner(b))
			on_banner(b);
	}
}

static void on_bytes(const void *data, size_t len, void *arg)
{
	struct machine_board *b = arg;

	enter(b);
	b->heard = true;
	b->console_events.bytes(data, len, b->console_events.arg);
	if (!b->dead)
		uboot_feed(b->uboot, data, len);
	if (!b->dead)
		look_for_banner(b, data, len);
	leave(b);
}

static void on_hangup(void *arg)
{
	struct machine_board *b = arg;

	b->connected = false;
	if (b->console_events.hangup)
		b->console_events.hangup(b->console_events.arg);
}

static void on_back(void *arg)
{
	struct machine_board *b = arg;

	b->connected = true;
	if (b->console_events.back)
		b->console_events.back(b->console_events.arg);
}

/* --- the port ------------------------------------------------------------------- */

static int machine_board_start(struct machine *m, const struct machine_boot *boot, struct err *e)
{
	struct machine_board *b = to_board(m);
	int rc;

	if (b->state != STATE_OFF && b->state != STATE_HELD)
		return err_set(e, EBUSY, "the board is running already");
	rc = board_loader_prepare(&b->loader, boot, e);
	if (rc)
		return rc;
	b->stopping = false;
	if (b->state == STATE_OFF) {
		cut(b);
		return 0;
	}
	b->wants_load = true;
	if (b->at_prompt) {
		b->state = STATE_LOADING;
		board_loader_run(&b->loader);
	}
	return 0;
}

static int machine_board_stop(struct machine *m, struct err *e)
{
	struct machine_board *b = to_board(m);

	if (b->stopping)
		return err_set(e, EALREADY, "the board is being stopped already");
	b->stopping = true;
	cut(b);
	return 0;
}

static void machine_board_free(struct machine *m)
{
	struct machine_board *b = to_board(m);

	process_unwatch(steal_ptr(b->recovery_watch));
	process_stop(&b->recovery, 0);
	console_free(steal_ptr(b->machine.console));
	board_power_free(steal_ptr(b->power));
	uboot_free(steal_ptr(b->uboot));
	board_loader_fini(&b->loader);
	b->timer = sd_event_source_disable_unref(b->timer);
	b->dead = true;
	if (!b->busy)
		destroy(b);
}

static const struct machine_ops machine_board_ops = {
	.name = "board",
	.start = machine_board_start,
	.stop = machine_board_stop,
	.free = machine_board_free,
};

static int open_wires(struct machine_board *b, struct err *e)
{
	const struct console_events events = {on_bytes, on_hangup, on_back, b};
	struct diag diag __free_diag = DIAG_INIT;
	int rc = 0;

	if (!console_place_read(&b->console_place, b->place->console, &diag) ||
	    board_power_new(b->opts.loop, b->place, &b->power, &diag))
		return err_set(e, EINVAL, "%s:%u:%u: %s", diag.messages[0].file,
			       diag.messages[0].line, diag.messages[0].col, diag.messages[0].text);
	rc = sd_event_add_time(b->opts.loop, &b->timer, CLOCK_MONOTONIC, 0, 1000, on_timer, b);
	if (rc < 0)
		return err_errno(e, -rc, "cannot make a timer");
	disarm(b);
	return console_place_open(&b->console_place, b->opts.loop, b->hardware->baud, &events,
				  &b->machine.console, e);
}

static int machine_board_new(const struct machine_opts *opts, const struct machine_events *events,
			     const struct console_events *console_events, struct machine **ret,
			     struct err *e)
{
	struct uboot_opts uboot = {.loop = opts->loop, .write = type};
	struct machine_board *b;
	int rc;

	xnew(b);
	b->machine.ops = &machine_board_ops;
	b->machine.events = *events;
	b->machine.burst = BURST;
	b->console_events = *console_events;
	b->opts = *opts;
	b->opts.display_events = NULL;
	b->hardware = opts->spec->hardware;
	b->place = opts->spec->place;
	b->recovery = (struct process)PROCESS_INIT;
	uboot.arg = b;
	uboot.prompt = b->hardware->prompt;
	uboot.burst = b->hardware->burst;
	b->uboot = uboot_new(&uboot);
	b->loader = (struct board_loader){.uboot = b->uboot,
					  .hardware = b->hardware,
					  .place = b->place,
					  .said = on_said,
					  .done = on_loaded,
					  .arg = b};
	rc = open_wires(b, e);
	if (rc) {
		machine_board_free(&b->machine);
		return err_prefix(e, rc, "board '%s'", opts->spec->place->name);
	}
	*ret = &b->machine;
	return 0;
}

static int board_base_dtb(const struct machine_opts *opts, struct buf *out, struct err *e)
{
	return file_read(opts->spec->place->devicetree, DTB_MAX, out, e);
}

static int board_preflight(const struct machine_spec *spec, uint64_t *ret_bytes, struct err *e)
{
	*ret_bytes = 0;
	if (!file_exists(spec->place->tftp_directory))
		return err_set(e, ENOENT, "place '%s': there is no directory '%s'",
			       spec->place->name, spec->place->tftp_directory);
	return 0;
}

const struct machine_driver machine_driver_board = {
	.new = machine_board_new,
	.base_dtb = board_base_dtb,
	.preflight = board_preflight,
};
