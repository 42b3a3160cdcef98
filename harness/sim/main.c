// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * board-sim - a board for kjump where there is none.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "sim/sim.h"

#define UBOOT "/usr/lib/u-boot/qemu_arm64/u-boot.bin"

static const char usage_text[] =
	"usage: board-sim DIR [--seed N]      be a board; its wires are in DIR\n"
	"       board-sim DIR ORDER...        give the one that runs there orders\n"
	"\n"
	"DIR/lab.yaml says where its wires are. Orders, each one argument:\n"
	"  'lose N'              one byte in N is lost, both ways; 0: none\n"
	"  'echo-delay MS'       what it says comes so much later\n"
	"  'unplug MS'           its serial adapter is away for so long\n"
	"  'relay-stuck WHAT'    the power relay: on, off, no\n"
	"  'silent [no|until-flashed]'  from the next power-on only the boot ROM runs\n"
	"  'watchdog MS'         so long after power-on it is reset, once; 0: it is not\n"
	"  'state'               is there power?\n";

static int write_lab(const struct sim *s, struct err *e)
{
	char *path __free(str) = file_join(s->dir, "lab.yaml");
	char *text __free(str) =
		xasprintf("# written by board-sim\n"
			  "places:\n"
			  "  sim:\n"
			  "    board: sim\n"
			  "    console: {driver: tty, path: %1$s/tty-console}\n"
			  "    power: {driver: lcus, path: %1$s/tty-relay, channel: 1}\n"
			  "    reset: {driver: modbus, path: %1$s/tty-modbus, channel: 2}\n"
			  "    maskrom: {driver: modbus, path: %1$s/tty-modbus, channel: 3}\n"
			  "    rests: off\n"
			  "    devicetree: board.dtb\n"
			  "    tftp: {server: 10.0.2.2, directory: tftp}\n"
			  "    recovery: [sh, -c, 'echo flashed >>%1$s/flashed']\n",
			  s->dir);

	return file_write(path, text, strlen(text), e);
}

static int serve(struct sim *s, struct err *e)
{
	sigset_t set;
	int rc = sd_event_new(&s->loop);

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (rc >= 0)
		rc = sd_event_add_signal(s->loop, NULL, SIGTERM, NULL, NULL);
	if (rc >= 0)
		rc = sd_event_add_signal(s->loop, NULL, SIGINT, NULL, NULL);
	if (rc < 0)
		return err_errno(e, -rc, "cannot make an event loop");
	rc = sim_target_open(s, e);
	if (!rc)
		rc = sim_line_open(s, e);
	if (!rc)
		rc = sim_relay_open(s, e);
	if (!rc)
		rc = sim_control_open(s, e);
	if (!rc)
		rc = write_lab(s, e); /* the last: who waits for it finds all the rest */
	if (rc)
		return rc;
	rc = sd_event_loop(s->loop);
	listener_free(s->control);
	sim_relay_close(s);
	sim_target_close(s);
	sim_line_close(s);
	sd_event_unref(s->loop);
	return rc;
}

static int order(const char *dir, char **orders, int n, struct err *e)
{
	int i, rc = 0;

	for (i = 0; !rc && i < n; i++) {
		struct buf answer __free_buf = BUF_INIT;

		rc = sim_control_send(dir, orders[i], &answer, e);
		if (!rc)
			fputs(answer.data, stdout);
	}
	return rc;
}

int main(int argc, char **argv)
{
	struct sim s = {.uboot = UBOOT, .random = 1, .on_way = BUF_INIT};
	struct err e __free_err = ERR_INIT;
	char dir[PATH_MAX];
	int rc;

	if (argc < 2 || argv[1][0] == '-') {
		fputs(usage_text, stderr);
		return 2;
	}
	rc = file_mkdir(argv[1], 0755, &e);
	if (!rc && !realpath(argv[1], dir))
		rc = err_errno(&e, errno, "'%s'", argv[1]);
	s.dir = dir;
	if (!rc && argc == 4 && !strcmp(argv[2], "--seed"))
		s.random = strtoull(argv[3], NULL, 10) | 1;
	if (!rc && (argc == 2 || !strcmp(argv[2], "--seed")))
		rc = serve(&s, &e);
	else if (!rc)
		rc = order(dir, argv + 2, argc - 2, &e);
	if (rc < 0)
		fprintf(stderr, "board-sim: %s\n", err_msg(&e));
	return rc < 0;
}
