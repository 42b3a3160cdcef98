// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test-uboot.c - U-Boot's command line against a peer that edits a line as
 * U-Boot does, and loses what it is told to lose.
 */
#include "test/test.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "machine/uboot/uboot.h"

#define PATIENCE_NS (60 * NS_PER_S)

struct peer {
	sd_event *loop;
	struct uboot *uboot;
	struct buf line, ran; /* being typed; executed, one a line */
	struct buf say;	      /* comes from the loop, as a console's bytes do */
	sd_event_source *defer;
	const char *output; /* of every command */
	int status;
	unsigned int lose_one_in;
	uint64_t random;
	char stop_key; /* 0: at the prompt */
	bool kernel;
	/* what was called back */
	bool done;
	int error, got_status;
	char *got;
};

static bool lost(struct peer *p)
{
	p->random = p->random * 6364136223846793005u + 1442695040888963407u;
	return p->lose_one_in && (p->random >> 33) % p->lose_one_in == 0;
}

static void say(struct peer *p, const char *text)
{
	for (; *text; text++) {
		if (!lost(p))
			buf_addch(&p->say, *text);
	}
	sd_event_source_set_enabled(p->defer, SD_EVENT_ONESHOT);
}

/* "CMD; echo TAG$?." as its shell would run it. */
static void execute(struct peer *p)
{
	char *echo = strstr(p->line.data, "; echo ");
	char answer[64] = "";

	say(p, "\r\n");
	buf_addf(&p->ran, "%s\n", p->line.data);
	if (echo) {
		*strstr(echo, "$?") = '\0';
		snprintf(answer, sizeof(answer), "%s%d.\r\n", echo + 7, p->status);
	}
	say(p, p->output ? p->output : "");
	if (p->kernel && !strncmp(p->line.data, "booti", 5)) {
		say(p, "Starting kernel ...\r\n");
		return;
	}
	say(p, answer);
	say(p, "=> ");
	buf_reset(&p->line);
}

static int typed(const void *data, size_t len, void *arg)
{
	struct peer *p = arg;
	const char *c = data;
	size_t i;

	for (i = 0; i < len; i++) {
		char echo[2] = {c[i], '\0'};

		if (lost(p))
			continue;
		if (p->stop_key) {
			if (c[i] != p->stop_key)
				continue;
			p->stop_key = 0;
			say(p, "\r\n=> ");
		} else if (c[i] == '\x03') {
			buf_reset(&p->line);
			say(p, "<INTERRUPT>\r\n=> ");
		} else if (c[i] == '\r') {
			execute(p);
		} else {
			buf_addch(&p->line, c[i]);
			say(p, echo);
		}
	}
	return 0;
}

static int on_defer(sd_event_source *source, void *userdata)
{
	struct peer *p = userdata;
	struct buf out __free_buf = p->say;

	buf_init(&p->say);
	uboot_feed(p->uboot, out.data, out.len);
	return 0;
}

static void on_done(int error, int status, const char *output, void *arg)
{
	struct peer *p = arg;

	assert_false(p->done);
	p->done = true;
	p->error = error;
	p->got_status = status;
	free(p->got);
	p->got = xstrdup(output);
}

static int set_up(void **state)
{
	struct uboot_opts opts = {.write = typed, .prompt = "=> ", .burst = 8};
	struct peer *p;

	xnew(p);
	*state = p;
	p->random = 7;
	buf_init(&p->line);
	buf_init(&p->ran);
	buf_init(&p->say);
	assert_true(sd_event_new(&p->loop) >= 0);
	assert_true(sd_event_add_defer(p->loop, &p->defer, on_defer, p) >= 0);
	opts.loop = p->loop;
	opts.arg = p;
	p->uboot = uboot_new(&opts);
	return 0;
}

static int tear_down(void **state)
{
	struct peer *p = *state;

	uboot_free(p->uboot);
	sd_event_source_disable_unref(p->defer);
	sd_event_unref(p->loop);
	buf_fini(&p->line);
	buf_fini(&p->ran);
	buf_fini(&p->say);
	free(p->got);
	free(p);
	return 0;
}

static void wait_done(struct peer *p)
{
	uint64_t end = clock_ns() + PATIENCE_NS;

	while (!p->done) {
		assert_true(clock_ns() < end);
		assert_true(sd_event_run(p->loop, 50000) >= 0);
	}
	p->done = false;
}

static void knows_how_countdowns_are_stopped(void **state)
{
	static const struct {
		const char *text;
		char key;
	} cases[] = {
		{"Hit any key to stop autoboot:  2 \b\b\b 1", '\x03'},
		{"\x1b[2K\rHit any key to stop autoboot: 3", '\x03'},
		{"Hit key to stop autoboot('CTRL+C'):  0", '\x03'},
		{"Autoboot in 1 seconds, to stop use 's' key", 's'},
		{"U-Boot 2023.01", 0},
		{"to stop use '", 0},
		{"", 0},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(uboot_countdown_key(cases[i].text, strlen(cases[i].text)),
				 cases[i].key);
}

static void stops_countdown(struct peer *p, char key, const char *text)
{
	p->stop_key = key;
	uboot_stop_countdown(p->uboot, 60000, on_done, p);
	say(p, text);
	wait_done(p);
	assert_int_equal(p->error, 0);
}

static void stops_a_mainline_countdown(void **state)
{
	stops_countdown(*state, '\x03',
			"U-Boot 2023.01\r\nHit any key to stop autoboot:  2 \b\b\b 1 \b\b\b 1 ");
}

static void stops_a_keyed_countdown(void **state)
{
	stops_countdown(
		*state, 's',
		"\x1b[2J\x1b[1;1HAutoboot in 1 seconds, to stop use '\x1b[1ms\x1b[0m' key ");
}

static void gives_up_on_silence(void **state)
{
	struct peer *p = *state;

	uboot_stop_countdown(p->uboot, 50, on_done, p);
	wait_done(p);
	assert_int_equal(p->error, -ETIMEDOUT);
}

static void tells_status_and_output(void **state)
{
	struct peer *p = *state;

	p->output = "TFTP error: 'File not found' (1)\r\n";
	p->status = 1;
	uboot_run(p->uboot, "tftpboot 48000000 nothing", 5000, on_done, p);
	wait_done(p);
	assert_int_equal(p->error, 0);
	assert_int_equal(p->got_status, 1);
	assert_non_null(strstr(p->got, "File not found"));
}

static void a_boot_command_that_returns_has_failed(void **state)
{
	struct peer *p = *state;

	p->output = "Bad Linux ARM64 Image magic!\r\n";
	uboot_boot(p->uboot, "booti 48000000 - 46000000", 5000, on_done, p);
	wait_done(p);
	assert_int_equal(p->got_status, 1);
	p->kernel = true;
	uboot_boot(p->uboot, "booti 48000000 - 46000000", 5000, on_done, p);
	wait_done(p);
	assert_int_equal(p->error, 0);
	assert_int_equal(p->got_status, 0);
}

/* What was executed is what was meant, or nothing but a prompt's empty line. */
static void never_runs_a_damaged_command(void **state)
{
	static const char command[] = "setenv bootargs console=ttyAMA0 earlycon panic=-1";
	struct peer *p = *state;
	char *line, *save = NULL;
	int i;

	p->lose_one_in = 100;
	for (i = 0; i < 10; i++) {
		uboot_run(p->uboot, command, 1000, on_done, p);
		wait_done(p);
		assert_int_equal(p->error, 0);
		assert_int_equal(p->got_status, 0);
	}
	assert_true(p->ran.len > 10 * strlen(command));
	for (line = strtok_r(p->ran.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		assert_int_equal(strncmp(line, command, strlen(command)), 0);
		assert_int_equal(strncmp(line + strlen(command), "; echo kj", 9), 0);
	}
}

#define WITH_PEER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_how_countdowns_are_stopped),
		WITH_PEER(stops_a_mainline_countdown),
		WITH_PEER(stops_a_keyed_countdown),
		WITH_PEER(gives_up_on_silence),
		WITH_PEER(tells_status_and_output),
		WITH_PEER(a_boot_command_that_returns_has_failed),
		WITH_PEER(never_runs_a_damaged_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
