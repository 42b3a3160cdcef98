// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-judge.c - any console, any order of events: a verdict that is the same
 * however the bytes were cut, and whose texts are safe on a terminal.
 *
 * Input: one byte of options, then console bytes in which 0xf0..0xfc followed
 * by one more byte stands for another event.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "judge/judge.h"

static struct rule_set *rules;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct diag diag = DIAG_INIT;

	if (rule_set_load("cases/symptoms.yaml", &diag, &rules)) {
		diag_print(&diag, stderr);
		exit(1);
	}
	return 0;
}

static const char *const texts[] = {
	"release",	 "cpus",   "",	"kexec_load failed: Invalid argument",
	"\x1b[2J\n\xff", "hangup", NULL};

static struct event event_of(uint8_t kind, uint8_t arg)
{
	const char *text = texts[arg % ARRAY_SIZE(texts)], *some = text ? text : "x";
	struct event ev = {.type = EVENT_MARK};

	if (kind <= 0xf7) {
		ev.mark.mark = (enum mark)(arg % (MARK_B_PROVEN + 1));
		ev.mark.text = text;
	} else if (kind == 0xf8) {
		ev.type = EVENT_CHECK;
		ev.check.name = some;
		ev.check.expected = text;
		ev.check.ok = arg & 0x80;
	} else if (kind == 0xf9) {
		ev.type = EVENT_MACHINE;
		ev.machine.what = (enum machine_what)(arg % (MACHINE_EVENT_DIED + 1));
		ev.machine.text = text;
	} else if (kind == 0xfa) {
		ev.type = EVENT_LIMIT;
		ev.limit.what = some;
	} else if (kind == 0xfb) {
		ev.type = EVENT_INFRA;
		ev.infra.text = some;
	} else if (kind == 0xfc) {
		ev.type = EVENT_PROBE;
		ev.probe.what = (enum probe_what)(arg % (PROBE_LOST + 1));
		ev.probe.title = some;
		ev.probe.text = text;
	} else {
		ev.type = EVENT_GAP;
		ev.gap.bytes = arg;
		ev.gap.why = text;
	}
	return ev;
}

static bool is_event(const uint8_t *data, size_t left)
{
	return left > 1 && data[0] >= 0xf0 && data[0] <= 0xfc;
}

static void feed_bytes(struct judge *j, const uint8_t *data, size_t len, size_t step)
{
	struct event ev = {.type = EVENT_CONSOLE};
	size_t i;

	for (i = 0; i < len; i += ev.bytes.len) {
		ev.bytes.data = data + i;
		ev.bytes.len = len - i < step ? len - i : step;
		judge_feed(j, &ev);
	}
}

/* Escaping it once more changes nothing: no control, no bidi, no invalid UTF-8. */
static void check_safe(const char *s, bool lines)
{
	const char *end;

	for (; s && *s; s = *end ? end + 1 : end) {
		struct buf again __free_buf = BUF_INIT;

		end = lines ? strchrnul(s, '\n') : s + strlen(s);
		text_escape(&again, s, (size_t)(end - s));
		if (again.len != (size_t)(end - s) || memcmp(again.data, s, again.len) != 0)
			abort();
	}
}

static void check_all_safe(const struct verdict *v)
{
	size_t i;

	check_safe(v->signature, false);
	check_safe(v->detail, false);
	check_safe(v->last_lines, true);
	for (i = 0; i < v->n_consequences; i++)
		check_safe(v->consequences[i], false);
	for (i = 0; i < v->n_degradations; i++)
		check_safe(v->degradations[i], false);
}

/* The verdict as JSON, appended to @out. */
static void judge_all(const uint8_t *data, size_t size, size_t step, struct buf *out)
{
	const struct judge_opts opts = {.bare = data[0] & 1,
					.kind = (enum jump_kind)(data[0] >> 1 & 3)};
	struct verdict *v __free(verdict) = NULL;
	struct json *json __free(json) = NULL;
	struct judge *j __free(judge) = NULL;
	size_t i = 1, start;

	if (judge_new(rules, &opts, &j, NULL))
		abort();
	while (i < size) {
		struct event ev;

		for (start = i; i < size && !is_event(data + i, size - i); i++)
			;
		feed_bytes(j, data + start, i - start, step);
		if (i == size)
			break;
		ev = event_of(data[i], data[i + 1]);
		judge_feed(j, &ev);
		i += 2;
	}
	v = judge_finish(j);
	check_all_safe(v);
	json = verdict_json(v);
	json_print(json, false, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole __free_buf = BUF_INIT, cut __free_buf = BUF_INIT;

	if (!size)
		return 0;
	judge_all(data, size, size, &whole);
	judge_all(data, size, 1 + data[0] % 7, &cut);
	if (whole.len != cut.len || memcmp(whole.data, cut.data, whole.len))
		abort();
	return 0;
}
