// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * First pixels of real kernels: on virtio-gpu, whose placeholder after a reset is
 * nobody's picture, and in the guest's RAM; what a person sees where nobody
 * answers; and a display that must stay dark.
 */
#include "test/boot/kjump.h"

#include "base/alloc.h"
#include "base/file.h"
#include "machine/display/picture.h"

static const char head[] = "name: first-pixel-test\n"
			   "machines:\n"
			   "  - {board: qemu-virt, ram: 2G, cpu: max, lpa2: off}\n"
			   "kernels: [debian-7.2.9]\n"
			   "limits: {jump: 30}\n"
			   "jumps:\n";

static struct json *run_case(struct bench *b, const char *jumps, int status)
{
	char *text __free(str) = xasprintf("%s%s", head, jumps);
	char *path __free(str) = bench_file(b, "case.yaml", text);
	struct json *run = NULL;

	assert_int_equal(bench_run(b, &run, ARGV("run", path, "--json")), status);
	assert_non_null(run);
	return run;
}

static const struct json *attempt_to(const struct json *run, const char *to)
{
	const struct json *attempts = json_get(run, "attempts");
	size_t i;

	for (i = 0; i < json_len(attempts); i++) {
		if (!strcmp(json_get_str(json_at(attempts, i), "to"), to))
			return json_at(attempts, i);
	}
	fail_msg("no attempt to %s", to);
	return NULL;
}

static int64_t milestone_ms(const struct json *attempt, const char *name)
{
	return json_get_int(json_get(json_get(attempt, "milestones"), name), "ms", -1);
}

/* The picture that stands behind a milestone, out of the evidence. */
static void read_picture(struct bench *b, const struct json *run, const struct json *attempt,
			 const char *milestone, struct picture *ret)
{
	const struct json *m = json_get(json_get(attempt, "milestones"), milestone);
	const char *run_id = json_get_str(json_get(run, "run"), "id");
	struct buf png __free_buf = BUF_INIT;
	struct err e __free_err = ERR_INIT;
	char *path __free(str) = NULL;

	assert_non_null(m);
	assert_non_null(run_id);
	assert_non_null(json_get_str(m, "picture"));
	path = xasprintf("%s/runs/%s/%s.%d/%s", b->results, run_id, json_get_str(attempt, "job"),
			 (int)json_get_int(attempt, "attempt", -1), json_get_str(m, "picture"));
	if (file_read(path, 64 << 20, &png, &e) || picture_parse_png(ret, png.data, png.len, &e))
		fail_msg("%s", err_msg(&e));
}

/* B's splash, and no picture before it, is what is seen first; then it is recognized. */
static void sees_splash(struct bench *b, const struct json *run, const struct json *attempt)
{
	static const uint8_t orange[] = {0xf0, 0x80, 0x10};
	struct picture p __free_picture = PICTURE_INIT;

	assert_string_equal(json_get_str(attempt, "outcome"), "userspace-reached");
	assert_true(json_get_int(attempt, "userspace_ms", -1) > 0);
	assert_true(json_get_int(attempt, "first_pixel_ms", -1) > 0);
	assert_true(milestone_ms(attempt, "match") >= milestone_ms(attempt, "lit"));
	assert_true(milestone_ms(attempt, "stable") >= milestone_ms(attempt, "lit"));
	read_picture(b, run, attempt, "match", &p);
	assert_memory_equal(p.rgb + picture_bytes(&p) / 2 + (size_t)3 * p.width / 2, orange, 3);
	/* The placeholder of QEMU has 0.07 % of its pixels lit. */
	read_picture(b, run, attempt, "lit", &p);
	assert_true(picture_lit_ppm(&p) > 10000);
}

static void the_new_system_is_seen(void **state)
{
	struct bench *b = *state;
	struct json *run __free(json) =
		run_case(b,
			 "  - {from: minimal, to: desktop, jump: kexec}\n"
			 "  - {from: minimal-framebuffer, to: desktop-framebuffer, jump: pivot}\n",
			 0);

	sees_splash(b, run, attempt_to(run, "desktop"));
	sees_splash(b, run, attempt_to(run, "desktop-framebuffer"));
}

static void nobody_answers_but_it_is_lit(void **state)
{
	struct bench *b = *state;
	struct json *run __free(json) =
		run_case(b,
			 "  - {from: minimal, to: fault-lit-init, jump: kexec}\n"
			 "  - {from: minimal, to: fault-silent-lit, jump: kexec}\n"
			 "  - {from: minimal, to: fault-lights-up, jump: cold}\n",
			 1);
	const struct json *a = attempt_to(run, "fault-lit-init");
	struct picture p __free_picture = PICTURE_INIT;

	assert_string_equal(json_get_str(a, "outcome"), "first-pixel");
	assert_true(json_get_int(a, "first_pixel_ms", -1) > 0);
	read_picture(b, run, a, "lit", &p);
	assert_true(picture_lit_ppm(&p) > 0);
	/* Not a byte on the serial console: that is no hang where a person sees the kernel. */
	a = attempt_to(run, "fault-silent-lit");
	assert_string_equal(json_get_str(a, "outcome"), "first-pixel");
	assert_true(json_get_int(a, "first_pixel_ms", -1) > 0);
	a = attempt_to(run, "fault-lights-up");
	assert_string_equal(json_get_str(a, "outcome"), "degraded");
	assert_non_null(strstr(json_get_str(a, "signature"), "unexpected-pixel"));
}

#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, bench_setup, bench_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_BENCH(the_new_system_is_seen),
		WITH_BENCH(nobody_answers_but_it_is_lit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
