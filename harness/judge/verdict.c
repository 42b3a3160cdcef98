// SPDX-License-Identifier: GPL-2.0-or-later
#include "judge/verdict.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/named.h"

static const char *const outcome_names[] = {
	[OUTCOME_USERSPACE_REACHED] = "userspace-reached",
	[OUTCOME_DEGRADED] = "degraded",
	[OUTCOME_FIRST_PIXEL] = "first-pixel",
	[OUTCOME_LOAD_FAILED] = "load-failed",
	[OUTCOME_PANIC] = "panic",
	[OUTCOME_HANG] = "hang",
	[OUTCOME_RESET] = "reset",
	[OUTCOME_WRONG_TARGET] = "wrong-target",
	[OUTCOME_INFRA_ERROR] = "infra-error",
};

static const char *const stage_names[] = {
	[STAGE_POWER] = "power",
	[STAGE_FIRMWARE] = "firmware",
	[STAGE_BOOT_A] = "boot-a",
	[STAGE_USERSPACE_A] = "userspace-a",
	[STAGE_LOAD] = "load",
	[STAGE_SHUTDOWN] = "shutdown",
	[STAGE_RELOCATE] = "relocate",
	[STAGE_PURGATORY] = "purgatory",
	[STAGE_ENTRY] = "entry",
	[STAGE_EARLY] = "early",
	[STAGE_KERNEL_INIT] = "kernel-init",
	[STAGE_FIRST_PIXEL] = "first-pixel",
	[STAGE_INITRAMFS] = "initramfs",
	[STAGE_USERSPACE_B] = "userspace-b",
};

static const char *const proof_names[] = {
	[PROOF_NONE] = "none",
	[PROOF_SILENT] = "silent",
	[PROOF_SUSPECTED] = "suspected",
	[PROOF_PROVEN] = "proven",
};

static const char *const milestone_names[] = {
	[MILESTONE_DARK] = "dark",
	[MILESTONE_LIT] = "lit",
	[MILESTONE_STABLE] = "stable",
	[MILESTONE_MATCH] = "match",
};

DEFINE_NAMED(outcome, outcome_names);
DEFINE_NAMED(stage, stage_names);
DEFINE_NAMED(milestone, milestone_names);
DEFINE_NAMED(proof, proof_names);

void verdict_free(struct verdict *v)
{
	size_t i;

	if (!v)
		return;
	free(v->signature);
	free(v->detail);
	strings_free(v->consequences, v->n_consequences);
	strings_free(v->degradations, v->n_degradations);
	for (i = 0; i < v->n_ranges; i++)
		free(v->ranges[i].rule);
	free(v->ranges);
	for (i = 0; i < N_MILESTONES; i++)
		free(v->milestones[i].picture);
	free(v->rules_version);
	free(v->last_lines);
	free(v);
}

static struct json *strings_json(char *const *list, size_t n)
{
	struct json *array = json_new_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_push(array, json_new_string(list[i]));
	return array;
}

static struct json *ranges_json(const struct verdict *v)
{
	struct json *array = json_new_array();
	size_t i;

	for (i = 0; i < v->n_ranges; i++) {
		struct json *range = json_new_object();

		json_set_int(range, "start", (int64_t)v->ranges[i].start);
		json_set_int(range, "end", (int64_t)v->ranges[i].end);
		json_set_str(range, "rule", v->ranges[i].rule);
		json_push(array, range);
	}
	return array;
}

static struct json *stages_json(const struct verdict *v)
{
	struct json *stages = json_new_object();
	size_t i;

	for (i = 0; i < N_STAGES; i++)
		if (v->stage_ns[i] != TIME_UNSEEN)
			json_set_int(stages, stage_names[i], (int64_t)(v->stage_ns[i] / NS_PER_MS));
	return stages;
}

static struct json *milestones_json(const struct verdict *v)
{
	struct json *all = json_new_object();
	size_t i;

	for (i = 0; i < N_MILESTONES; i++) {
		const struct verdict_milestone *m = &v->milestones[i];
		struct json *one;

		if (m->t_ns == TIME_UNSEEN)
			continue;
		one = json_new_object();
		json_set_int(one, "ms", (int64_t)(m->t_ns / NS_PER_MS));
		json_set_int(one, "uncertainty_us", (int64_t)(m->uncertainty_ns / 1000));
		json_set_str(one, "picture", m->picture);
		json_set(all, milestone_names[i], one);
	}
	return all;
}

/* Unseen times are JSON null: a reader can tell them from zero. */
static void set_ms(struct json *j, const char *key, uint64_t ns)
{
	json_set(j, key, ns == TIME_UNSEEN ? NULL : json_new_int((int64_t)(ns / NS_PER_MS)));
}

struct json *verdict_json(const struct verdict *v)
{
	struct json *j = json_new_object();

	json_set_str(j, "outcome", outcome_name(v->outcome));
	json_set_str(j, "stage", stage_name(v->stage));
	json_set_str(j, "proof", proof_name(v->proof));
	json_set_str(j, "signature", v->signature);
	json_set_str(j, "detail", v->detail);
	json_set(j, "consequences", strings_json(v->consequences, v->n_consequences));
	json_set(j, "degradations", strings_json(v->degradations, v->n_degradations));
	json_set_bool(j, "truncated", v->truncated);
	json_set(j, "ranges", ranges_json(v));
	json_set(j, "stages", stages_json(v));
	json_set(j, "milestones", milestones_json(v));
	set_ms(j, "load_ms", v->load_ns);
	set_ms(j, "jump_ms", v->jump_ns);
	set_ms(j, "first_pixel_ms", v->first_pixel_ns);
	set_ms(j, "userspace_ms", v->userspace_ns);
	json_set_str(j, "rules_version", v->rules_version);
	json_set_str(j, "last_lines", v->last_lines);
	return j;
}
