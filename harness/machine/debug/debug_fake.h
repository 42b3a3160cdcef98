/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_fake.h - a debug port with a target made of plain memory, for tests
 * and for faults that no real target shows on demand.
 *
 * Registers and memory are what was put there; what its CPUs do when they
 * step or run, a callback says. It answers from the loop, in order, as every
 * driver does.
 */
#ifndef KJUMP_MACHINE_DEBUG_DEBUG_FAKE_H
#define KJUMP_MACHINE_DEBUG_DEBUG_FAKE_H

#include <systemd/sd-event.h>

#include "machine/debug/debug.h"

struct debug_fake_script {
	unsigned int n_cpus;
	/*
	 * One instruction of @cpu; 0 or the errno of the reply (-ETIME: it completes
	 * none). NULL: PC goes on by 4.
	 */
	int (*step)(struct debug *d, unsigned int cpu, void *arg);
	/* It ran, freely, until the halt that is about to be answered. NULL: nothing changed. */
	void (*ran)(struct debug *d, void *arg);
	/* Asked before each request is served: not 0 is its error. NULL: none fails. */
	int (*fails)(const struct debug_request *request, void *arg);
	void *arg;
};

/* @script and @events are copied. The target runs until DEBUG_ATTACH. */
int debug_fake_new(sd_event *loop, const struct debug_fake_script *script,
		   const struct debug_events *events, struct debug **ret, struct err *e);

/* A register that was never set is absent. */
void debug_fake_set(struct debug *d, unsigned int cpu, const char *name, uint64_t value);
/* 0 for one that is absent. */
uint64_t debug_fake_get(struct debug *d, unsigned int cpu, const char *name);
/* Bytes at an address of @space, taken into a page of zeroes where there is none. */
void debug_fake_poke(struct debug *d, enum debug_space space, uint64_t address, const void *data,
		     size_t len);
bool debug_fake_has_breakpoint(const struct debug *d, uint64_t address);
/* It stops by itself; the event comes from the loop. Nothing when it stands already. */
void debug_fake_stop(struct debug *d, enum debug_stop why, unsigned int cpu);
/* The other end goes away; the event comes from the loop. */
void debug_fake_lose(struct debug *d, const char *why);

#endif
