/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_qemu.h - what the files of the QEMU driver share: one machine, how it
 * ends (machine_qemu_end.c) and what comes over QEMU's lines
 * (machine_qemu_lines.c). Nobody else includes it.
 */
#ifndef KJUMP_MACHINE_MACHINE_QEMU_H
#define KJUMP_MACHINE_MACHINE_QEMU_H

#include "base/cleanup.h"
#include "base/process.h"
#include "machine/last_words.h"
#include "machine/listener.h"
#include "machine/machine.h"
#include "machine/qemu_ready.h"
#include "machine/qemu_screen.h"
#include "machine/qmp.h"
#include "machine/ram.h"
#include "machine/runtime.h"

enum qemu_state {
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
	enum qemu_state state;
	struct process process;
	struct process_watch *watch;
	struct listener *listener; /* for the monitor, while it has not connected */
	struct qmp *qmp;
	bool qmp_ready;
	struct qemu_screen screen;
	bool has_debug;
	struct debug_events debug_events;
	struct listener *debug_listener; /* while its stub has not connected */
	struct debug *port;		 /* lent as machine.debug while it is up */
	struct ram ram;			 /* while it is on; without a size: QEMU's own memory */
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

static inline struct machine_qemu *to_qemu(struct machine *m)
{
	return container_of(m, struct machine_qemu, machine);
}

/* Around all that may call back: the machine may be freed in there. */
void machine_qemu_enter(struct machine_qemu *q);
void machine_qemu_leave(struct machine_qemu *q);
void machine_qemu_destroy(struct machine_qemu *q);

/* Back to "off"; the console, the directory and the callbacks stay. */
void machine_qemu_clear(struct machine_qemu *q);

/* The process has ended, with that wait status; @arg is the machine. */
void machine_qemu_ended(int status, void *arg);
/* There never was a process. */
int machine_qemu_never_started(sd_event_source *source, void *userdata);
/* Something is given up, or ended more firmly, after @ns. */
void machine_qemu_arm_timer(struct machine_qemu *q, uint64_t ns);
/* Ends a QEMU that is of no use; down follows. @text is *taken*. */
void machine_qemu_give_up(struct machine_qemu *q, char *text);
/* QEMU closes its sockets when it ends. If it does not end, it is broken. */
void machine_qemu_lost_line(struct machine_qemu *q, const char *what, const char *text);

/* QEMU has connected its monitor; @fd is *taken*. */
void machine_qemu_monitor(int fd, void *arg);
/* All lines are there: look at the machine, then let it run. Legal at any time. */
void machine_qemu_proceed(struct machine_qemu *q);
/* What the console's events are relayed through; for @q. */
struct console_events machine_qemu_console_events(struct machine_qemu *q);

/* The debug port, where one is wanted. Listens at @path until QEMU has connected. */
int machine_qemu_debug_listen(struct machine_qemu *q, const char *path, struct err *e);
/* Connected, or not wanted. */
bool machine_qemu_debug_ready(const struct machine_qemu *q);
void machine_qemu_debug_lend(struct machine_qemu *q);
/* QEMU has ended: what it had said to the port, then the port is lost. */
void machine_qemu_debug_finish(struct machine_qemu *q);
/* Without a word to anybody. */
void machine_qemu_debug_clear(struct machine_qemu *q);

/* How long QEMU may take to connect and to answer before it is given up. */
#define START_PATIENCE_NS (120 * NS_PER_S)
/* How long it may take to end when told to, each time more firmly. */
#define STOP_PATIENCE_NS  (5 * NS_PER_S)

#endif
