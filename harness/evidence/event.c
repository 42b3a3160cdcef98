// SPDX-License-Identifier: GPL-2.0-or-later
#include "evidence/event.h"

#include "base/named.h"

static const char *const type_names[] = {
	[EVENT_CONSOLE] = "console", [EVENT_INPUT] = "input",	  [EVENT_GAP] = "gap",
	[EVENT_MARK] = "mark",	     [EVENT_COMMAND] = "command", [EVENT_CHECK] = "check",
	[EVENT_MACHINE] = "machine", [EVENT_FRAME] = "frame",	  [EVENT_SIGNAL] = "signal",
	[EVENT_PROBE] = "probe",     [EVENT_LIMIT] = "limit",	  [EVENT_INFRA] = "infra",
};

static const char *const mark_names[] = {
	[MARK_POWER_ON] = "power-on",	[MARK_A_UP] = "a-up",
	[MARK_A_PROVEN] = "a-proven",	[MARK_LOAD] = "load",
	[MARK_LOADED] = "loaded",	[MARK_LOAD_FAILED] = "load-failed",
	[MARK_JUMP] = "jump",		[MARK_RELOCATE] = "relocate",
	[MARK_PURGATORY] = "purgatory", [MARK_ENTRY] = "entry",
	[MARK_MMU_ON] = "mmu-on",	[MARK_B_KERNEL] = "b-kernel",
	[MARK_POWER_OFF] = "power-off", [MARK_B_POWER_ON] = "b-power-on",
	[MARK_B_UP] = "b-up",		[MARK_B_PROVEN] = "b-proven",
};

static const char *const machine_names[] = {
	[MACHINE_EVENT_QMP] = "qmp",	       [MACHINE_EVENT_RESET] = "reset",
	[MACHINE_EVENT_SHUTDOWN] = "shutdown", [MACHINE_EVENT_PANIC] = "panic",
	[MACHINE_EVENT_DIED] = "died",
};

static const char *const probe_names[] = {
	[PROBE_TABLES_GOOD] = "tables-good",
	[PROBE_TABLES_BAD] = "tables-bad",
	[PROBE_TABLES_UNKNOWN] = "tables-unknown",
	[PROBE_INJECTED] = "injected",
	[PROBE_EXCEPTION] = "exception",
	[PROBE_SUSPECTED] = "suspected",
	[PROBE_PROVEN] = "proven",
	[PROBE_COUNT] = "count",
	[PROBE_LOST] = "lost",
};

DEFINE_NAMED(event_type, type_names);
DEFINE_NAMED(mark, mark_names);
DEFINE_NAMED(machine_what, machine_names);
DEFINE_NAMED(probe_what, probe_names);
