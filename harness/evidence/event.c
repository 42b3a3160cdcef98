// SPDX-License-Identifier: GPL-2.0-or-later
#include "evidence/event.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

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
	[PROBE_INJECTED] = "injected",
	[PROBE_EXCEPTION] = "exception",
	[PROBE_SUSPECTED] = "suspected",
	[PROBE_PROVEN] = "proven",
	[PROBE_COUNT] = "count",
	[PROBE_LOST] = "lost",
};

static int lookup(const char *const *names, size_t n, const char *s)
{
	size_t i;

	for (i = 0; s && i < n; i++)
		if (!strcmp(names[i], s))
			return (int)i;
	return -EINVAL;
}

const char *event_type_name(enum event_type t)
{
	return type_names[t];
}

int event_type_parse(const char *s, enum event_type *ret)
{
	int i = lookup(type_names, ARRAY_SIZE(type_names), s);

	if (i < 0)
		return i;
	*ret = (enum event_type)i;
	return 0;
}

const char *mark_name(enum mark m)
{
	return mark_names[m];
}

int mark_parse(const char *s, enum mark *ret)
{
	int i = lookup(mark_names, ARRAY_SIZE(mark_names), s);

	if (i < 0)
		return i;
	*ret = (enum mark)i;
	return 0;
}

const char *machine_what_name(enum machine_what w)
{
	return machine_names[w];
}

int machine_what_parse(const char *s, enum machine_what *ret)
{
	int i = lookup(machine_names, ARRAY_SIZE(machine_names), s);

	if (i < 0)
		return i;
	*ret = (enum machine_what)i;
	return 0;
}

const char *probe_what_name(enum probe_what w)
{
	return probe_names[w];
}

int probe_what_parse(const char *s, enum probe_what *ret)
{
	int i = lookup(probe_names, ARRAY_SIZE(probe_names), s);

	if (i < 0)
		return i;
	*ret = (enum probe_what)i;
	return 0;
}
