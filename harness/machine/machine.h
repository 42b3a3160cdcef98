/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - the port to something that boots: QEMU, a board, a fake.
 *
 * Calls never block: 0 means accepted, and exactly one completion event
 * follows from the loop, never before the call has returned. free is legal in
 * any state, ends what runs, and no event comes after it. No driver keeps
 * state outside its instance.
 */
#ifndef KJUMP_MACHINE_MACHINE_H
#define KJUMP_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/err.h"
#include "machine/console/console.h"
#include "machine/debug/debug.h"
#include "machine/display/display.h"
#include "machine/ram.h"
#include "plan/framebuffer.h"
#include "plan/job.h"

struct machine;
struct power;

/* What the machine's loader (QEMU, U-Boot) starts; borrowed strings. */
struct machine_boot {
	const char *kernel; /* files of the host */
	const char *initrd; /* NULL: none */
	const char *dtb;    /* NULL: the machine's own */
	const char *cmdline;
};

enum machine_down {
	MACHINE_DOWN_ASKED,	  /* stop was called */
	MACHINE_DOWN_GUEST_OFF,	  /* the target powered itself off */
	MACHINE_DOWN_GUEST_RESET, /* the target asked for a reset; RAM is gone */
	MACHINE_DOWN_DIED,	  /* the machine itself failed */
	MACHINE_DOWN_LOAD_FAILED, /* its loader says that it cannot load what it should */
};

struct machine_events {
	/* start was completed: CPUs run. Console bytes can come before. */
	void (*up)(void *arg);
	/* start failed, or what ran has ended. @text: for people, or NULL. */
	void (*down)(enum machine_down why, const char *text, void *arg);
	/* The target reset itself and goes on running. */
	void (*reset)(void *arg);
	/* The monitor reports something; @json is one line. */
	void (*notice)(const char *json, void *arg);
	void *arg;
};

struct machine_ops {
	const char *name;
	/* Powers on with @boot. Completion: up or down. */
	int (*start)(struct machine *m, const struct machine_boot *boot, struct err *e);
	/* Cuts the power. Completion: down(ASKED). */
	int (*stop)(struct machine *m, struct err *e);
	/* Presses reset. Completion: reset. NULL where there is no such button. */
	int (*reset)(struct machine *m, struct err *e);
	void (*free)(struct machine *m);
};

struct machine {
	const struct machine_ops *ops;
	struct machine_events events;
	/* Ports that it lends; NULL: it has none. Owned by the machine. */
	struct console *console;
	struct power *power;
	struct display *display;
	/*
	 * Of one start: lent from up until its lost(), which comes before down (a
	 * machine that is freed calls nothing), and never again; the next start has
	 * another one. The target runs at full speed until DEBUG_ATTACH.
	 */
	struct debug *debug;
	/* The target's RAM as a file, from up until down; NULL: cannot be had. Borrowed. */
	const struct ram *ram;
	/* Characters that a terminal on its console takes at once; 0: a long line. */
	unsigned int burst;
};

struct machine_opts {
	const struct machine_spec *spec; /* borrowed, outlives the machine */
	bool display;			 /* a profile of the job wants one */
	/* It is in the machine's RAM, as the device tree has it; NULL: it is a device. */
	const struct framebuffer *framebuffer;
	const struct display_events *display_events; /* copied; NULL: nobody looks at it */
	/*
	 * NULL: no debug port. Copied. Where there is one, RAM is a file, too; what the
	 * port makes a monitor say (STOP, RESUME) is no notice.
	 */
	const struct debug_events *debug_events;
	bool network;
	sd_event *loop;
};

/* Makes the driver that @opts->spec->board asks for. Nothing is started yet. */
int machine_new(const struct machine_opts *opts, const struct machine_events *events,
		const struct console_events *console_events, struct machine **ret, struct err *e);

/*
 * The device tree that this machine would hand to a kernel, appended to @out;
 * blocks for the fraction of a second that QEMU takes to print it.
 */
int machine_base_dtb(const struct machine_opts *opts, struct buf *out, struct err *e);

/*
 * Can this host hold the job? 0, or -ENOMEM/-ENOTSUP with the reason.
 * *ret_bytes: host memory it is estimated to need for the most expensive jump;
 * refused is only what cannot even boot. Blocks for a fraction of a second.
 */
int machine_preflight(const struct machine_spec *spec, uint64_t *ret_bytes, struct err *e);

/*
 * How much slower than the reference host this one runs guest instructions,
 * as a factor (1.0 = as fast); measured with a bare guest, blocks below 2 s.
 */
int machine_calibrate(double *ret_factor, struct err *e);

static inline void machine_free(struct machine *m)
{
	if (m)
		m->ops->free(m);
}

#endif
