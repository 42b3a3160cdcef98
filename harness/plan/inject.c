// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/inject.h"

const char *const inject_names[N_INJECTS] = {
	[INJECT_NONE] = "none",
	[INJECT_UNMAP_SOURCE] = "unmap-source",
	[INJECT_UNMAP_DESTINATION] = "unmap-destination",
	[INJECT_UNMAP_INDIRECTION] = "unmap-indirection",
	[INJECT_UNMAP_BLOCK] = "unmap-block",
	[INJECT_UNMAP_CONTROL] = "unmap-control",
	[INJECT_READONLY_DESTINATION] = "readonly-destination",
	[INJECT_SPIN_RELOCATION] = "spin-relocation",
	[INJECT_SPIN_PURGATORY] = "spin-purgatory",
	[INJECT_SPIN_ENTRY] = "spin-entry",
	[INJECT_UNDEF_RELOCATION] = "undef-relocation",
	[INJECT_UNDEF_PURGATORY] = "undef-purgatory",
	[INJECT_UNDEF_ENTRY] = "undef-entry",
	[INJECT_CORRUPT_SOURCE] = "corrupt-source",
	[INJECT_STOP_CPU] = "stop-cpu",
};
