/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sim.h - a board that is a program: QEMU with U-Boot behind a serial line, and
 * relays that cut its power, with the faults that real ones have.
 *
 * It is one process with one loop; each part is a file and owns its own fields.
 * What kjump says to it goes through the same drivers as to a real board.
 */
#ifndef KJUMP_SIM_SIM_H
#define KJUMP_SIM_SIM_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/process.h"
#include "machine/listener.h"

#define SIM_BAUD 1500000

enum sim_stuck { SIM_STUCK_NO, SIM_STUCK_ON, SIM_STUCK_OFF };

/* Bytes on their way, due at a time. */
struct sim_delayed {
	uint64_t due_ns;
	size_t len;
};

/* One end of a pty, under a name that stays. */
struct sim_pty {
	int fd; /* -1: unplugged */
	char *link;
	sd_event_source *io, *poll;
	void (*bytes)(const void *data, size_t len, void *arg);
	sd_event *loop;
	void *arg;
};

struct sim {
	sd_event *loop;
	const char *dir, *uboot;
	/* faults */
	unsigned int lose_one_in; /* 0: none is lost */
	uint64_t echo_delay_ms;
	uint64_t watchdog_ms; /* 0: nothing resets it */
	enum sim_stuck stuck;
	bool silent;	  /* only the boot ROM is left of its firmware */
	bool flash_cures; /* a MaskROM start ends that */
	uint64_t random;
	/* the serial line */
	struct sim_pty console;
	sd_event_source *replug, *delay;
	struct buf on_way;
	struct sim_delayed *delays;
	size_t n_delays;
	/* the relays */
	struct sim_pty lcus, modbus;
	bool relay[4]; /* by channel - 1 */
	/* the target */
	struct process qemu;
	struct process_watch *watch;
	struct listener *uart;
	int uart_fd;
	sd_event_source *uart_io, *watchdog;
	bool powered, reset_held;
	struct listener *control;
};

/* --- sim_pty.c */
int sim_pty_open(struct sim_pty *p, struct err *e);
void sim_pty_close(struct sim_pty *p);
/* What nobody reads is lost, as on a wire. */
void sim_pty_write(struct sim_pty *p, const void *data, size_t len);

/* --- sim_line.c: the UART between target and adapter */
int sim_line_open(struct sim *s, struct err *e);
/* From the target. */
void sim_line_say(struct sim *s, const void *data, size_t len);
/* The adapter is away for so long. */
void sim_line_unplug(struct sim *s, uint64_t ms);
void sim_line_close(struct sim *s);

/* --- sim_relay.c */
int sim_relay_open(struct sim *s, struct err *e);
void sim_relay_close(struct sim *s);

/* --- sim_target.c */
int sim_target_open(struct sim *s, struct err *e);
void sim_target_close(struct sim *s);
void sim_target_type(struct sim *s, const void *data, size_t len);
/* A relay has moved, or a fault was set: power, reset and MaskROM as they are now. */
void sim_target_update(struct sim *s);

/* --- sim_control.c */
int sim_control_open(struct sim *s, struct err *e);
/* "lose 2000": one order to the simulator in @dir; its answer goes to @answer. */
int sim_control_send(const char *dir, const char *order, struct buf *answer, struct err *e);

#endif
