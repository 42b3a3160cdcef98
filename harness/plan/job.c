// SPDX-License-Identifier: GPL-2.0-or-later
#include "plan/job.h"

#include <string.h>

#include "base/named.h"
#include "base/text.h"
#include "plan/case.h"

static const char *const kind_names[] = {"cold", "reboot", "kexec", "pivot"};

DEFINE_NAMED(jump_kind, kind_names);

const char *dt_source_name(enum dt_source d)
{
	return d == DT_LIVE ? "live" : "profile";
}

void job_tree(const struct job *j, char *buf, size_t size)
{
	size_t n = j->to->n_overlays;

	if (j->dt == DT_LIVE || j->kind == JUMP_PIVOT)
		snprintf(buf, size, "live");
	else if (!j->to->devicetree)
		snprintf(buf, size, "the machine's");
	else if (!n)
		snprintf(buf, size, "base dtb");
	else
		snprintf(buf, size, "base dtb + %zu overlay%s", n, n == 1 ? "" : "s");
}

const char *lpa2_name(enum lpa2 l)
{
	static const char *const names[] = {"default", "on", "off"};

	return names[l];
}

struct json *job_json(const struct job *j)
{
	struct json *o = json_new_object(), *m = json_new_object();
	char ram[24], tree[48];

	json_set_str(o, "job", j->id);
	json_set_str(o, "title", j->title);
	json_set_str(o, "from", j->from->id);
	json_set_str(o, "to", j->to->id);
	json_set_str(o, "kind", jump_kind_name(j->kind));
	json_set_str(o, "kernel", j->from_kernel->name);
	json_set_str(o, "to_kernel", j->to_kernel->name);
	job_tree(j, tree, sizeof(tree));
	json_set_str(o, "dt", tree);
	text_format_size(j->machine->ram_bytes, ram, sizeof(ram));
	json_set_str(m, "name", j->machine->name);
	json_set_str(m, "board", j->machine->board);
	json_set_str(m, "ram", ram);
	json_set_str(m, "cpu", j->machine->cpu);
	json_set_str(m, "lpa2", lpa2_name(j->machine->lpa2));
	json_set_bool(m, "el2", j->machine->el2);
	json_set_int(m, "cpus", j->machine->cpus);
	json_set_int(m, "gic", j->machine->gic);
	json_set(o, "machine", m);
	json_set_str(o, "inject", inject_names[j->inject]);
	json_set_int(o, "repeat", j->repeat);
	return o;
}
