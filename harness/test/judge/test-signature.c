// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/test.h"

#include "base/esr.h"
#include "judge/signature.h"
#include "judge/verdict.h"

static void expands(const char *title, const struct signature_parts *parts, const char *expected)
{
	char *s __free(str) = signature_expand(title, parts);

	assert_string_equal(s, expected);
}

static void insertions(void **state)
{
	const struct signature_parts all = {
		.groups = {[1] = "one", [2] = "0000000b", [3] = "00000100"},
		.function = "do_it.isra.0",
		.class = "DABT",
	};
	const struct signature_parts none = {.groups = {NULL}};

	expands("a \\1 b", &all, "a one b");
	expands("\\1[ in {function}][ ({class})]", &all, "one in do_it (DABT)");
	expands("x[ in {function}][ ({class})] y", &none, "x y");
	expands("killed ({exit:\\2}, {exit:\\3})", &all, "killed (SIGSEGV, exit status 1)");
	expands("{other} \\", &all, "{other} \\");
	expands("open [ never closed", &all, "open  never closed");
}

/* What a guest wrote cannot reach a terminal through a title. */
static void hostile_groups_are_escaped(void **state)
{
	char longer[2000];
	struct signature_parts parts = {.groups = {[1] = "a\x1b[2J\xff\nb"}};
	char *s __free(str) = NULL;

	expands("\\1", &parts, "a\\x1b[2J\\xff\\x0ab");
	memset(longer, '\x01', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	parts.groups[1] = longer;
	s = signature_expand("\\1\\1", &parts);
	assert_true(strlen(s) <= SIGNATURE_BYTES);
}

static void same(const char *a, const char *b)
{
	struct buf x __free_buf = BUF_INIT, y __free_buf = BUF_INIT;

	signature_normalise(&x, a, strlen(a));
	signature_normalise(&y, b, strlen(b));
	assert_string_equal(x.data, y.data);
}

static void different(const char *a, const char *b)
{
	struct buf x __free_buf = BUF_INIT, y __free_buf = BUF_INIT;

	signature_normalise(&x, a, strlen(a));
	signature_normalise(&y, b, strlen(b));
	assert_string_not_equal(x.data, y.data);
}

static void what_varies_is_made_one(void **state)
{
	same("at ffffffbefe638000", "at ffff800080010000");
	same("at 0xffff0000", "at 0x12345678");
	same("CPU: 1 PID: 170", "CPU: 0 PID: 4");
	same("on CPU#3 of", "on CPU#0 of");
	same("CPU3: failed", "CPU12: failed");
	same("task swapper/0:1", "task swapper/3:0");
	same("kworker/u4:4", "kworker/2:1H");
	same("foo+0x1c/0x30", "foo+0x20/0x34");
	same("foo.isra.0.cold at", "foo.constprop.12 at");
	same("Address not available", "Cannot assign requested address");
}

static void what_identifies_stays(void **state)
{
	different("mm/slub.c:448", "mm/slub.c:449");
	different("unknown-block(0,0)", "unknown-block(179,2)");
	different("exit status 1", "exit status 2");
	different("mmc0: error", "mmc1: error");
	different("ext4", "ext3");
	different("foo", "foo_bar");
	different("deadbee", "deadbed");
}

static void decodes(uint64_t esr, const char *expected)
{
	char text[64];

	esr_format(esr, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void syndromes(void **state)
{
	decodes(0x96000004, "DABT, translation fault");
	decodes(0x97de8007, "DABT, translation fault");
	decodes(0x9600004f, "DABT, permission fault");
	decodes(0x8600000e, "IABT, permission fault");
	decodes(0x96000210, "DABT, synchronous external abort");
	decodes(0x9600006b, "DABT, translation fault");
	decodes(0xbe000011, "SError");
	decodes(0x02000000, "undefined instruction");
	decodes(0xf2000800, "BRK");
	decodes(0xfc000000, "EC 0x3f");
}

static void verdict_as_json(void **state)
{
	struct verdict v = {.outcome = OUTCOME_HANG, .stage = STAGE_ENTRY, .proof = PROOF_SILENT};
	struct json *j __free(json) = NULL;
	size_t i;

	for (i = 0; i < N_STAGES; i++)
		v.stage_ns[i] = TIME_UNSEEN;
	v.stage_ns[STAGE_ENTRY] = 1234567890;
	v.load_ns = v.jump_ns = v.first_pixel_ns = v.userspace_ns = TIME_UNSEEN;
	j = verdict_json(&v);
	assert_string_equal(json_get_str(j, "outcome"), "hang");
	assert_string_equal(json_get_str(j, "stage"), "entry");
	assert_string_equal(json_get_str(j, "proof"), "silent");
	assert_int_equal(json_get_int(json_get(j, "stages"), "entry", -1), 1234);
	assert_null(json_get(json_get(j, "stages"), "early"));
	assert_int_equal(json_get_int(j, "userspace_ms", -7), -7);
}

static void names_go_both_ways(void **state)
{
	enum outcome o;
	enum stage s;
	enum proof p;
	int i;

	for (i = 0; i < N_OUTCOMES; i++) {
		assert_int_equal(outcome_parse(outcome_name((enum outcome)i), &o), 0);
		assert_int_equal(o, i);
	}
	for (i = 0; i < N_STAGES; i++) {
		assert_int_equal(stage_parse(stage_name((enum stage)i), &s), 0);
		assert_int_equal(s, i);
	}
	assert_int_equal(proof_parse("suspected", &p), 0);
	assert_int_equal(p, PROOF_SUSPECTED);
	assert_int_equal(outcome_parse("Panic", &o), -EINVAL);
	assert_int_equal(stage_parse(NULL, &s), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(insertions),
		cmocka_unit_test(hostile_groups_are_escaped),
		cmocka_unit_test(what_varies_is_made_one),
		cmocka_unit_test(what_identifies_stays),
		cmocka_unit_test(syndromes),
		cmocka_unit_test(verdict_as_json),
		cmocka_unit_test(names_go_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
