// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/uboot/uboot.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/random.h>

#include "base/alloc.h"
#include "base/clock.h"

#define ECHO_MS	   1500
#define SETTLE_MS  150 /* after Ctrl-C, until its prompt is there */
#define KEY_MS	   100 /* between two keys that should stop a countdown */
#define PROBE_MS   3000
#define TYPE_TRIES 20
#define RUN_TRIES  3
#define OUTPUT_MAX 65536
#define COUNTDOWN  "stop autoboot"
#define KEYED	   "to stop use '"
#define CTRL_C	   '\x03'
#define MARKER_FMT "; echo %s$?."

enum phase { PHASE_IDLE, PHASE_COUNTDOWN, PHASE_TYPE, PHASE_SETTLE, PHASE_RUN };

struct uboot {
	struct uboot_opts opts;
	enum phase phase;
	bool stopping; /* the request is to stop the countdown */
	bool booting;  /* the request starts a kernel */
	uint64_t deadline_ns, timeout_ms;
	char *command;
	struct buf line; /* with the marker */
	char tag[8];
	size_t typed;
	unsigned int type_tries, run_tries;
	char key;	 /* that stops the countdown; 0: not known yet */
	struct buf seen; /* clean text since the phase began */
	bool in_escape;
	bool in_csi;
	uboot_done_fn done;
	void *arg;
	sd_event_source *timer;
};

static void arm(struct uboot *u, uint64_t ms)
{
	sd_event_source_set_time_relative(u->timer, ms * 1000);
	sd_event_source_set_enabled(u->timer, SD_EVENT_ONESHOT);
}

static void enter(struct uboot *u, enum phase phase, uint64_t ms)
{
	u->phase = phase;
	buf_reset(&u->seen);
	arm(u, ms);
}

static void finish(struct uboot *u, int error, int status)
{
	struct buf output __free_buf = u->seen;

	buf_init(&u->seen);
	u->phase = PHASE_IDLE;
	sd_event_source_set_enabled(u->timer, SD_EVENT_OFF);
	u->done(error, status, output.data, u->arg);
}

static void type(struct uboot *u, const char *text, size_t len)
{
	u->opts.write(text, len, u->opts.arg);
}

static void type_burst(struct uboot *u)
{
	size_t n = u->line.len - u->typed;

	if (n > u->opts.burst)
		n = u->opts.burst;
	type(u, u->line.data + u->typed, n);
	u->typed += n;
	arm(u, ECHO_MS);
}

static void start_typing(struct uboot *u)
{
	unsigned int salt = 0;

	if (getrandom(&salt, sizeof(salt), 0) < 0)
		salt = (unsigned int)clock_ns();
	snprintf(u->tag, sizeof(u->tag), "kj%04x", salt & 0xffff);
	buf_reset(&u->line);
	buf_adds(&u->line, u->command);
	buf_addf(&u->line, MARKER_FMT, u->tag);
	u->typed = 0;
	enter(u, PHASE_TYPE, ECHO_MS);
	type_burst(u);
}

/* Drops what stands on the line, or what runs, and begins anew. */
static void interrupt(struct uboot *u)
{
	static const char c = CTRL_C;

	type(u, &c, 1);
	enter(u, PHASE_SETTLE, SETTLE_MS);
}

char uboot_countdown_key(const char *text, size_t len)
{
	const char *at = memmem(text, len, KEYED, strlen(KEYED));

	if (at && (size_t)(text + len - at) >= strlen(KEYED) + 2 && at[strlen(KEYED) + 1] == '\'')
		return at[strlen(KEYED)];
	if (memmem(text, len, COUNTDOWN, strlen(COUNTDOWN)))
		return CTRL_C;
	return 0;
}

/* --- what the target says ---------------------------------------------------- */

static bool saw(const struct uboot *u, const char *text)
{
	return memmem(u->seen.data, u->seen.len, text, strlen(text));
}

/* The echo may be split by what a driver prints, never by what was not typed. */
static void on_echo(struct uboot *u)
{
	const char *at = memmem(u->seen.data, u->seen.len, u->line.data, u->typed);

	if (!at)
		return;
	if (u->typed < u->line.len) {
		type_burst(u);
		return;
	}
	enter(u, PHASE_RUN, u->stopping ? PROBE_MS : u->timeout_ms);
	type(u, "\r", 1);
}

static bool kernel_runs(const struct uboot *u)
{
	return saw(u, "Starting kernel") || saw(u, "Booting Linux") || saw(u, "EFI stub:") ||
	       saw(u, "[    0.0");
}

/* "TAG0." and nothing else: an echo has "$?" there. */
static void on_run(struct uboot *u)
{
	const char *at = memmem(u->seen.data, u->seen.len, u->tag, strlen(u->tag));
	char *end;
	long status;

	if (u->booting && kernel_runs(u)) {
		finish(u, 0, 0);
		return;
	}
	if (!at)
		return;
	status = strtol(at + strlen(u->tag), &end, 10);
	if (end == at + strlen(u->tag) || *end != '.')
		return;
	buf_truncate(&u->seen, (size_t)(at - u->seen.data));
	/* A boot command that comes back has failed, whatever it says. */
	finish(u, 0, u->booting && !status ? 1 : (int)status);
}

static void on_countdown(struct uboot *u)
{
	char key = uboot_countdown_key(u->seen.data, u->seen.len);

	if (key && !u->key) {
		u->key = key;
		type(u, &key, 1);
		arm(u, KEY_MS);
	} else if (!u->key && saw(u, u->opts.prompt)) {
		interrupt(u);
	}
}

/* Printable text and newlines; control sequences are what menus draw with. */
static void add_clean(struct uboot *u, unsigned char c)
{
	if (u->in_csi) {
		u->in_csi = c < 0x40 || c > 0x7e;
	} else if (u->in_escape) {
		u->in_escape = false;
		u->in_csi = c == '[';
	} else if (c == 0x1b) {
		u->in_escape = true;
	} else if (c == '\n' || (c >= 0x20 && c < 0x7f)) {
		buf_addch(&u->seen, (char)c);
	}
}

void uboot_feed(struct uboot *u, const void *data, size_t len)
{
	const unsigned char *p = data;
	size_t i;

	if (u->phase == PHASE_IDLE)
		return;
	for (i = 0; i < len; i++)
		add_clean(u, p[i]);
	if (u->seen.len > OUTPUT_MAX)
		buf_consume(&u->seen, u->seen.len - OUTPUT_MAX / 2);
	switch (u->phase) {
	case PHASE_COUNTDOWN:
		on_countdown(u);
		break;
	case PHASE_TYPE:
		on_echo(u);
		break;
	case PHASE_RUN:
		on_run(u);
		break;
	case PHASE_SETTLE:
	case PHASE_IDLE:
		break;
	}
}

/* --- time --------------------------------------------------------------------- */

static void retype(struct uboot *u)
{
	if (u->type_tries++ < TYPE_TRIES)
		interrupt(u);
	else
		finish(u, -EIO, 0);
}

static void on_late(struct uboot *u)
{
	switch (u->phase) {
	case PHASE_COUNTDOWN:
		/* The key may have been lost; one that comes too early or too often does no harm. */
		if (u->key && !saw(u, u->opts.prompt)) {
			type(u, &u->key, 1);
			arm(u, KEY_MS);
		} else {
			interrupt(u);
		}
		break;
	case PHASE_SETTLE:
		start_typing(u);
		break;
	case PHASE_TYPE:
		retype(u);
		break;
	case PHASE_RUN:
		if (u->run_tries++ < RUN_TRIES)
			interrupt(u);
		else
			finish(u, -ETIMEDOUT, 0);
		break;
	case PHASE_IDLE:
		break;
	}
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct uboot *u = userdata;

	if (u->stopping && clock_ns() > u->deadline_ns)
		finish(u, -ETIMEDOUT, 0);
	else
		on_late(u);
	return 0;
}

/* --- requests ------------------------------------------------------------------ */

static void begin(struct uboot *u, const char *command, uint64_t timeout_ms, uboot_done_fn done,
		  void *arg)
{
	free(u->command);
	u->command = xstrdup(command);
	u->timeout_ms = timeout_ms;
	u->deadline_ns = clock_ns() + timeout_ms * NS_PER_MS;
	u->type_tries = u->run_tries = 0;
	u->stopping = u->booting = false;
	u->done = done;
	u->arg = arg;
}

void uboot_stop_countdown(struct uboot *u, uint64_t timeout_ms, uboot_done_fn done, void *arg)
{
	begin(u, "true", timeout_ms, done, arg);
	u->stopping = true;
	u->key = 0;
	enter(u, PHASE_COUNTDOWN, timeout_ms);
}

void uboot_run(struct uboot *u, const char *line, uint64_t timeout_ms, uboot_done_fn done,
	       void *arg)
{
	begin(u, line, timeout_ms, done, arg);
	start_typing(u);
}

void uboot_boot(struct uboot *u, const char *line, uint64_t timeout_ms, uboot_done_fn done,
		void *arg)
{
	begin(u, line, timeout_ms, done, arg);
	u->booting = true;
	start_typing(u);
}

void uboot_reset(struct uboot *u)
{
	u->phase = PHASE_IDLE;
	buf_reset(&u->seen);
	sd_event_source_set_enabled(u->timer, SD_EVENT_OFF);
}

struct uboot *uboot_new(const struct uboot_opts *opts)
{
	struct uboot *u;

	xnew(u);
	u->opts = *opts;
	buf_init(&u->line);
	buf_init(&u->seen);
	if (sd_event_add_time(opts->loop, &u->timer, CLOCK_MONOTONIC, 0, 1000, on_timer, u) < 0)
		abort();
	sd_event_source_set_enabled(u->timer, SD_EVENT_OFF);
	return u;
}

void uboot_free(struct uboot *u)
{
	if (!u)
		return;
	sd_event_source_disable_unref(u->timer);
	buf_fini(&u->line);
	buf_fini(&u->seen);
	free(u->command);
	free(u);
}
