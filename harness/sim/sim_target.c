// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sim_target.c - what runs when there is power: U-Boot in QEMU, whose UART is a
 * socket of ours and whose TFTP server is QEMU's own.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "machine/qemu_args.h"
#include "sim/sim.h"

#define MACHINE "virt,gic-version=2,dtb-randomness=off"
#define STOP_NS 2000000000ULL

/* One set of arguments for the board and for asking what its device tree is. */
static void run_args(const struct sim *s, const char *machine, const char *chardev, const char *net,
		     const char **argv)
{
	const char *const args[] = {QEMU_BINARY,
				    "-no-user-config",
				    "-nodefaults",
				    "-display",
				    "none",
				    "-machine",
				    machine,
				    "-cpu",
				    "max,lpa2=off",
				    "-accel",
				    "tcg,thread=multi",
				    "-m",
				    "2G",
				    "-global",
				    "virtio-mmio.force-legacy=false",
				    "-device",
				    "virtio-gpu-device,bus=virtio-mmio-bus.0",
				    "-netdev",
				    net,
				    "-device",
				    "virtio-net-pci,netdev=net,romfile=",
				    "-bios",
				    s->uboot,
				    "-chardev",
				    chardev,
				    "-serial",
				    "chardev:uart",
				    NULL};

	memcpy(argv, args, sizeof(args));
}

#define N_ARGS 32

static int make_dtb(struct sim *s, struct err *e)
{
	char *machine __free(str) = xasprintf(MACHINE ",dumpdtb=%s/board.dtb", s->dir);
	const char *argv[N_ARGS];

	run_args(s, machine, "null,id=uart", "user,id=net", argv);
	return process_run(argv, 4096, NULL, NULL, e);
}

static int on_uart(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct sim *s = userdata;
	char block[4096];
	ssize_t n = read(fd, block, sizeof(block));

	if (n > 0) {
		sim_line_say(s, block, (size_t)n);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		s->uart_io = sd_event_source_disable_unref(s->uart_io);
		close(steal_fd(&s->uart_fd));
	}
	return 0;
}

static void on_connected(int fd, void *arg)
{
	struct sim *s = arg;

	if (s->uart_fd >= 0) {
		s->uart_io = sd_event_source_disable_unref(s->uart_io);
		close(steal_fd(&s->uart_fd));
	}
	s->uart_fd = fd;
	sd_event_add_io(s->loop, &s->uart_io, fd, EPOLLIN, on_uart, s);
}

void sim_target_type(struct sim *s, const void *data, size_t len)
{
	if (s->uart_fd >= 0)
		file_write_all(s->uart_fd, data, len);
}

static void on_ended(int status, void *arg)
{
	struct sim *s = arg;

	process_unwatch(steal_ptr(s->watch));
}

static void stop(struct sim *s)
{
	process_unwatch(steal_ptr(s->watch));
	process_stop(&s->qemu, STOP_NS);
	s->uart_io = sd_event_source_disable_unref(s->uart_io);
	if (s->uart_fd >= 0)
		close(steal_fd(&s->uart_fd));
	sd_event_source_set_enabled(s->watchdog, SD_EVENT_OFF);
}

static void start(struct sim *s)
{
	char *chardev __free(str) = xasprintf("socket,id=uart,path=%s/uart,server=off", s->dir);
	char *net __free(str) = xasprintf("user,id=net,restrict=on,tftp=%s/tftp", s->dir);
	const char *argv[N_ARGS];
	const struct process_opts opts = {
		.argv = argv, .stdin_fd = -1, .stdout_fd = -1, .stderr_fd = STDERR_FILENO};
	struct err e __free_err = ERR_INIT;

	run_args(s, MACHINE, chardev, net, argv);
	if (process_start(&s->qemu, &opts, &e) ||
	    process_watch(&s->qemu, s->loop, on_ended, s, &s->watch, &e))
		fprintf(stderr, "board-sim: %s\n", err_msg(&e));
	if (s->watchdog_ms) {
		sd_event_source_set_time_relative(s->watchdog, s->watchdog_ms * 1000);
		sd_event_source_set_enabled(s->watchdog, SD_EVENT_ONESHOT);
	}
}

static int on_watchdog(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct sim *s = userdata;

	stop(s);
	if (s->powered && !s->reset_held && !s->silent)
		start(s);
	return 0;
}

void sim_target_update(struct sim *s)
{
	bool power = s->stuck == SIM_STUCK_NO ? s->relay[0] : s->stuck == SIM_STUCK_ON;
	bool reset = s->relay[1], maskrom = s->relay[2];
	bool begins = power && !reset && (!s->powered || s->reset_held);

	if ((s->powered && !power) || (reset && !s->reset_held))
		stop(s);
	s->powered = power;
	s->reset_held = reset;
	if (!begins)
		return;
	if (maskrom && s->flash_cures)
		s->silent = false; /* the next start is from what was flashed now */
	if (!maskrom && !s->silent)
		start(s);
}

int sim_target_open(struct sim *s, struct err *e)
{
	char *uart __free(str) = xasprintf("%s/uart", s->dir);
	char *tftp __free(str) = xasprintf("%s/tftp", s->dir);
	int rc = file_mkdir(tftp, 0755, e);

	s->uart_fd = -1;
	s->qemu = (struct process)PROCESS_INIT;
	if (!rc)
		rc = make_dtb(s, e);
	if (rc)
		return rc;
	rc = sd_event_add_time(s->loop, &s->watchdog, CLOCK_MONOTONIC, 0, 1000, on_watchdog, s);
	if (rc < 0)
		return err_errno(e, -rc, "cannot make a timer");
	sd_event_source_set_enabled(s->watchdog, SD_EVENT_OFF);
	unlink(uart);
	return listener_new(s->loop, uart, on_connected, s, &s->uart, e);
}

void sim_target_close(struct sim *s)
{
	stop(s);
	listener_free(s->uart);
	s->watchdog = sd_event_source_disable_unref(s->watchdog);
}
